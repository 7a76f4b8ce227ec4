// Games of Go as the page holds them: the server is asked by all their moves, and a reload goes on.
import { type Dispatch, type StateUpdater, useEffect, useState } from "preact/hooks";

import type { GoLine } from "./messages";

export type Colour = "black" | "white";

export interface GoGame {
  net: string;
  /** Whether the net judges margins, so that lambda means something. */
  margins: boolean;
  size: number;
  komi: number;
  rules: GoLine["rules"];
  person: Colour | "both";
  moves: string[];
  /** One for each move: what the engine thought, empty where a person moved. */
  remarks: string[];
  resigned: Colour | null;
}

/** How the engine thinks; may change during a game. */
export interface Thinking {
  visits: number;
  lambda: number;
  mu: number;
}

export interface Kept {
  game: GoGame | null;
  thinking: Thinking;
}

const KEY = "foible-go";
const FRESH: Kept = { game: null, thinking: { visits: 200, lambda: 0, mu: 0 } };
const COLUMNS = "ABCDEFGHJKLMNOPQRST";

/** The game and the settings, kept by the browser. */
export function useKept(): [Kept, Dispatch<StateUpdater<Kept>>] {
  const [kept, setKept] = useState(readKept);
  useEffect(() => {
    try {
      localStorage.setItem(KEY, JSON.stringify(kept));
    } catch {
      // A browser that keeps nothing: a reload begins anew.
    }
  }, [kept]);
  return [kept, setKept];
}

function readKept(): Kept {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? "null") as Kept | null;
    return found && isThinking(found.thinking) && (found.game === null || isGame(found.game)) ? found : FRESH;
  } catch {
    return FRESH;
  }
}

function isThinking(found: Thinking): boolean {
  return [found.visits, found.lambda, found.mu].every(Number.isFinite);
}

function isGame({ size, komi, moves, remarks }: GoGame): boolean {
  return Number.isInteger(size) && Number.isFinite(komi) && Array.isArray(moves) && remarks.length === moves.length;
}

export function lineOf({ size, komi, rules, moves }: GoGame): Required<GoLine> {
  return { size, komi, rules, moves };
}

export function turnOf({ moves }: GoGame): Colour {
  return moves.length % 2 ? "white" : "black";
}

export function isOver({ moves, resigned }: GoGame): boolean {
  return resigned !== null || (moves.at(-1) === "pass" && moves.at(-2) === "pass");
}

/** How many moves are taken back, so that it is the person's turn again; 0 where none can be. */
export function movesBack(game: GoGame): number {
  const wanted = game.person === "both" || turnOf(game) !== game.person ? 1 : 2;
  return wanted <= game.moves.length ? wanted : 0;
}

/** The point of a column and a row that are counted from the top left corner. */
export function vertexAt(x: number, y: number, size: number): string {
  return `${COLUMNS[x]}${size - y}`;
}

/** Column and row of a point, counted from the top left corner; null of a pass. */
export function pointOf(vertex: string, size: number): [x: number, y: number] | null {
  return vertex === "pass" ? null : [COLUMNS.indexOf(vertex[0]!), size - Number(vertex.slice(1))];
}

/** A board in words. */
export function stonesInWords(rows: string[]): string {
  const named = (stone: string) =>
    rows.flatMap((row, y) => [...row].flatMap((found, x) => (found === stone ? [vertexAt(x, y, rows.length)] : []))).join(", ") || "no stones";
  return `Black: ${named("X")}. White: ${named("O")}.`;
}

export function capital(colour: Colour): string {
  return colour === "black" ? "Black" : "White";
}

/** A score as the server writes it, `B+3.5`, in words. */
export function scoreInWords(score: string): string {
  const [winner, points] = score.split("+");
  if (points === undefined) return "The game is drawn";
  return `${winner === "B" ? "Black" : "White"} wins by ${points} ${points === "1" ? "point" : "points"}`;
}
