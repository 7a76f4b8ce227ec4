// Rules of chess as the page needs them at once; the server has the last word.
import { castlingSide, Chess } from "chessops/chess";
import { makeFen, parseFen } from "chessops/fen";
import { makeSan, parseSan } from "chessops/san";
import { isNormal, type Move, type Role } from "chessops/types";
import { kingCastlesTo, makeUci, parseSquare, parseUci } from "chessops/util";

export const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

const NAMES: Record<Role, string> = {
  king: "king",
  queen: "queen",
  rook: "rook",
  bishop: "bishop",
  knight: "knight",
  pawn: "pawn",
};

/** A position that the server gave, or the page made from one. */
export function positionAt(fen: string): Chess {
  return Chess.fromSetup(parseFen(fen).unwrap()).unwrap();
}

/** A legal move that somebody typed, in SAN or UCI, as UCI. */
export function readMove(position: Chess, text: string): string | null {
  const word = text.trim();
  const move = parseSan(position, word) ?? parseUci(word);
  return move && position.isLegal(move) ? asUci(position, move) : null;
}

/** A move as the server names it: castling is the king's step, not that onto its rook. */
export function asUci(position: Chess, move: Move): string {
  const side = castlingSide(position, move);
  if (side && isNormal(move)) return makeUci({ from: move.from, to: kingCastlesTo(position.turn, side) });
  return makeUci(move);
}

export interface Played {
  uci: string;
  san: string;
  fen: string;
}

/** What a legal move makes of a position. */
export function play(fen: string, uci: string): Played {
  const position = positionAt(fen);
  const move = parseUci(uci);
  if (!move || !position.isLegal(move)) throw new Error(`${uci}: not a legal move`);
  const san = makeSan(position, move);
  position.play(move);
  return { uci, san, fen: makeFen(position.toSetup()) };
}

/** The position after legal moves in UCI. */
export function fenAfter(start: string, moves: string[]): string {
  const position = positionAt(start);
  for (const move of moves) position.play(parseUci(move)!);
  return makeFen(position.toSetup());
}

/** Plies from the first move of White in a game to the position, by the number of the move in its FEN. */
export function plyOf(fen: string): number {
  const { turn, fullmoves } = positionAt(fen);
  return 2 * (fullmoves - 1) + (turn === "white" ? 0 : 1);
}

/** What stands before a move that is named alone: `7.` or `7…`. */
export function moveNumber(ply: number): string {
  return `${Math.floor(ply / 2) + 1}${ply % 2 === 0 ? "." : "…"}`;
}

export function isPromotion(position: Chess, from: string, to: string): boolean {
  const piece = position.board.get(parseSquare(from as "a1"));
  return piece?.role === "pawn" && (to[1] === "1" || to[1] === "8");
}

/** The position in words. */
export function spoken(position: Chess): string {
  const pieces = (["white", "black"] as const).map((color) => {
    const named = [...position.board[color]].map((square) => {
      const file = "abcdefgh"[square & 7]!;
      return `${NAMES[position.board.getRole(square)!]} ${file}${(square >> 3) + 1}`;
    });
    return `${color === "white" ? "White" : "Black"}: ${named.join(", ")}`;
  });
  return `${pieces.join(". ")}. ${position.turn === "white" ? "White" : "Black"} to move.`;
}
