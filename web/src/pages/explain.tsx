// Paste a game or a position: who would play what, and what each move is worth against players of a rating.
import { useEffect, useLayoutEffect, useState } from "preact/hooks";

import { play, positionAt, START } from "../chess";
import { useAnswer } from "../connection";
import { RATINGS, type Game, type Line } from "../messages";
import { Board } from "../parts/board";
import { MoveList } from "../parts/move-list";
import { useSettled } from "../steady";
import { lossMark } from "../words";
import { arrowsOf, CandidateMoves } from "./candidate-moves";
import { fenAt, GameCourse, lineUpTo, useCourse } from "./game-course";
import { PasteGame } from "./paste-game";
import { PlayedOpenings } from "./played-openings";
import { PolicyBars } from "./policy-bars";

interface Shown {
  game: Game;
  ply: number;
}

const EMPTY: Game = { start: START, white: "", black: "", result: "*", moves: [], games: 1 };

export function Explain({ query }: { query: URLSearchParams }) {
  const [{ game, ply }, setShown] = useState<Shown>(() => shownBy(query));
  const [rating, setRating] = useState(Number(query.get("rating")) || 1500);
  const [below, setBelow] = useState<"white" | "black">(() => positionAt(fenAt(game, ply)).turn);
  const line = lineUpTo(game, ply);
  const wanted = JSON.stringify({ line, rating });
  const asked = useSettled(wanted);
  const settled = JSON.parse(asked) as { line: Line; rating: number };
  const fen = fenAt(game, ply);
  const position = positionAt(fen);
  const turn = position.turn;
  const over = position.isEnd();
  const explained = useAnswer(over ? null : { kind: "explain", ...settled });
  const course = useCourse(game);
  const marked = game.moves.map((move, index) => ({ ...move, san: move.san + lossMark(course.losses[index]) }));
  const [looked, setLooked] = useState<string | null>(null);
  const address = useSettled(`#/explain?${addressOf(game, ply, rating)}`); // browsers bound how often it may change
  useLayoutEffect(() => history.replaceState(null, "", address), [address]); // before anybody can go back
  useEffect(() => setLooked(null), [fen]);

  const goTo = (next: number) => setShown({ game, ply: Math.max(0, Math.min(game.moves.length, next)) });
  const show = (game: Game) => {
    setShown({ game, ply: 0 });
    setBelow(positionAt(game.start).turn);
  };
  const move = (uci: string) => {
    if (game.moves[ply]?.uci === uci) return goTo(ply + 1);
    const moves = [...game.moves.slice(0, ply), play(fen, uci)];
    setShown({ game: { ...game, moves, result: "*" }, ply: ply + 1 });
  };
  return (
    <>
      <h1>Why this move, against this player?</h1>
      <div class="columns" onKeyDown={(event) => stepByKey(event, ply, goTo)}>
        <div>
          <Board
            fen={fen}
            orientation={below}
            lastMove={game.moves[ply - 1]?.uci}
            arrows={asked === wanted ? arrowsOf(explained.reply, looked) : []}
            onMove={over ? undefined : move}
          />
          <div class="row">
            <button type="button" onClick={() => setBelow(below === "white" ? "black" : "white")}>
              Turn the board
            </button>
            <span class="soft">{turn === "white" ? "White" : "Black"} to move</span>
          </div>
          {game.white || game.black ? (
            <p>
              {`${game.white} – ${game.black} ${game.result}`}
              {game.games > 1 ? ` (the first of ${game.games} games)` : ""}
            </p>
          ) : null}
          <MoveList moves={marked} start={game.start} ply={ply} onPick={goTo} />
          <GameCourse game={game} course={course} ply={ply} onPick={goTo} />
          <PasteGame onGame={show} />
        </div>
        <div>
          <div class="card">
            <label class="row">
              The opponent is rated
              <input
                type="range"
                min={RATINGS.lowest}
                max={RATINGS.highest}
                step={RATINGS.step}
                value={rating}
                onInput={(event) => setRating(Number(event.currentTarget.value))}
              />
              <output>{rating}</output>
            </label>
            <p class="soft">
              The models know what players rated {RATINGS.lowest} to {RATINGS.highest} on lichess play; they do not predict weaker or stronger ones.
            </p>
            <p class="row">
              <a href={`#/play?${played(line, rating)}`}>Play on against a {rating}</a>
              <a href={`#/play?${played(line, rating)}&role=tag_team`}>Play on with a partner, against a master</a>
            </p>
          </div>
          {over ? <p>The game is over here.</p> : <CandidateMoves explained={explained} looked={looked} onLook={setLooked} />}
          {!over && <PolicyBars line={settled.line} rating={rating} />}
          {!over && <PlayedOpenings line={settled.line} rating={settled.rating} onMove={asked === wanted ? move : undefined} />}
          <p class="soft">For study and training only: help during rated games against people is cheating.</p>
        </div>
      </div>
    </>
  );
}

/** What a reload, a link and the way back lead to. */
function addressOf(game: Game, ply: number, rating: number): URLSearchParams {
  const moves = game.moves.map((move) => move.uci).join(" ");
  return new URLSearchParams({ start: game.start === START ? "" : game.start, moves, ply: String(ply), rating: String(rating) });
}

/** The line that an address has, or that another page links to: then at its end. */
function shownBy(query: URLSearchParams): Shown {
  const start = query.get("start") || START;
  const moves: Game["moves"] = [];
  try {
    positionAt(start);
    for (const uci of (query.get("moves") ?? "").split(" ").filter(Boolean)) moves.push(play(moves.at(-1)?.fen ?? start, uci));
  } catch {
    return { game: EMPTY, ply: 0 }; // an address that was cut off or made up
  }
  const ply = query.has("ply") ? Math.min(Number(query.get("ply")) || 0, moves.length) : moves.length;
  return { game: { ...EMPTY, start, moves }, ply };
}

function played(line: Line, rating: number): URLSearchParams {
  return new URLSearchParams({ start: line.start ?? "", moves: (line.moves ?? []).join(" "), opponent: String(rating) });
}

function stepByKey(event: KeyboardEvent, ply: number, goTo: (ply: number) => void) {
  if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step) goTo(ply + step);
}
