// A game that is being played: the board, what is asked, who did what, and the clocks.
import { useEffect, useLayoutEffect, useState } from "preact/hooks";

import { moveNumber, plyOf } from "../chess";
import { command, useAnswer, useCommands } from "../connection";
import { download } from "../download";
import type { GameView, MoveShown } from "../messages";
import { Board } from "../parts/board";
import { MoveList } from "../parts/move-list";
import { percent } from "../words";
import { Review } from "./review";

const PIECES: Record<string, string> = { P: "pawn", N: "knight", B: "bishop", R: "rook", Q: "queen", K: "king" };
const LAST = 6; // moves of which is told who made them

export function GamePage({ id }: { id: string }) {
  const { reply: view, error } = useAnswer({ kind: "watch_game", id });
  if (error) return <Lost error={error} />;
  if (!view) return <p class="soft">setting up the board: nets and engines are opened …</p>;
  return <Game id={id} view={view} />;
}

function Lost({ error }: { error: string }) {
  return (
    <p class="error" role="alert">
      {error}. <a href="#/play">Another game</a>
    </p>
  );
}

function Game({ id, view }: { id: string; view: GameView }) {
  const [looked, setLooked] = useState<number | null>(null);
  const { run, error: wrong, forget } = useCommands(view);
  const [said, setSaid] = useState("");
  const ply = looked ?? view.ply;
  const fen = view.moves[ply - 1]?.fen ?? view.start;
  const theirs = view.you === "white" ? "black" : "white";
  const now = looked === null || looked === view.ply;
  const over = view.termination !== "";
  useLayoutEffect(() => {
    setLooked(null);
    forget();
    setSaid("");
  }, [view.ply, over]);

  const answer = (text: string) => void run(() => command({ kind: "answer_game", id, ply: view.ply, text }));
  const draw = () =>
    void run(
      () => command({ kind: "draw", id }),
      ({ drawn }) => setSaid(drawn ? "" : "The draw is declined."),
    );
  const movable = new Set(view.choices.map((move) => move.slice(0, 2)));
  return (
    <>
      <h1>{`${view[view.you]} against ${view[theirs]}`}</h1>
      <div class="columns">
        <div>
          <Clock view={view} side={theirs} />
          <Board
            fen={fen}
            orientation={view.you}
            lastMove={view.moves[ply - 1]?.uci}
            onMove={now && view.wanted === "move" ? answer : undefined}
            only={(from) => movable.has(from)}
            typing={!over && view.setup.part !== "brain"}
          />
          <Clock view={view} side={view.you} />
        </div>
        <div>
          <div class="card" aria-live="polite">
            <Asked view={view} onName={answer} />
            {view.draw_offered && (
              <div class="row" role="group" aria-label="A draw is offered">
                Your opponent offers a draw.
                <button type="button" disabled={!view.wanted} onClick={draw}>
                  Accept
                </button>
                <button type="button" onClick={() => void run(() => command({ kind: "decline_draw", id }))}>
                  Decline
                </button>
              </div>
            )}
            {said && <p>{said}</p>}
            <p class="error" role="alert">
              {wrong || view.failure}
            </p>
          </div>
          <div class="row">
            <button
              type="button"
              disabled={view.termination === "time forfeit"}
              onClick={() => void run(() => command({ kind: "take_back", id }))}
            >
              Take back
            </button>
            {!view.draw_offered && !view.setup.to_the_end && (
              <button type="button" disabled={!view.wanted} onClick={draw}>
                Offer a draw
              </button>
            )}
            <button type="button" disabled={over} onClick={() => void run(() => command({ kind: "resign", id }))}>
              Resign
            </button>
            <button type="button" onClick={() => void run(() => save(id))}>
              PGN
            </button>
            <a href={`#/explain?${explained(view, ply)}`}>Explain this position</a>
            <a href="#/play">Another game</a>
          </div>
          <MoveList moves={view.moves} start={view.start} ply={ply} onPick={setLooked} />
          <Story view={view} />
          {over && <Review id={id} view={view} onPick={setLooked} />}
        </div>
      </div>
    </>
  );
}

function explained(view: GameView, ply: number): URLSearchParams {
  const moves = view.moves.slice(0, ply).map((move) => move.uci);
  return new URLSearchParams({ start: view.start, moves: moves.join(" "), rating: String(view.setup.opponent_rating ?? 1500) });
}

async function save(id: string): Promise<void> {
  const { pgn } = await command({ kind: "game_pgn", id });
  download(pgn, `foible-${id}.pgn`, "application/x-chess-pgn");
}

function Asked({ view, onName }: { view: GameView; onName: (piece: string) => void }) {
  if (view.termination) return <p>{`${view.result}: ${view.termination.replaceAll("_", " ")}.`}</p>;
  if (view.wanted === "piece")
    return (
      <div class="row" role="group" aria-label="Name a piece for your hand">
        Name a piece:
        {view.choices.map((piece) => (
          <button type="button" class="main" onClick={() => onName(piece)}>
            {PIECES[piece]}
          </button>
        ))}
      </div>
    );
  if (view.wanted === "move")
    return (
      <p>
        {view.named ? `Your brain says: ${PIECES[view.named]}. ` : ""}
        {view.setup.part === "junior" ? "The coin says: you. " : ""}Your move.
      </p>
    );
  return <p class="soft">{view.to_move === view.you ? `${view.setup.helper} is thinking …` : "your opponent is thinking …"}</p>;
}

/** What the last moves were: whose, and what brains and coins said. */
function Story({ view }: { view: GameView }) {
  const first = plyOf(view.start);
  const lines = view.moves.map((move, index) => tell(move, moveNumber(first + index), view));
  return (
    <ol class="story-lines" aria-label="What happened last">
      {lines.slice(-LAST).reverse().map((line) => (
        <li>{line}</li>
      ))}
    </ol>
  );
}

function tell(move: MoveShown, number: string, view: GameView): string {
  const who = { you: "You", helper: view.setup.helper ?? "", opponent: "Opponent", "": "Opening" }[move.by];
  const named = move.named ? ` (${PIECES[move.named]} named${move.wish && move.wish !== move.san ? `, meant ${move.wish}` : ""})` : "";
  const value = move.by === "helper" && move.value !== null ? `, expects ${percent(move.value)}` : "";
  return `${who}: ${number} ${move.san}${named}${value}`;
}

function Clock({ view, side }: { view: GameView; side: "white" | "black" }) {
  const [, tick] = useState(0);
  const since = useSince(view);
  const runs = view.running === side;
  useEffect(() => {
    if (!runs) return;
    const timer = setInterval(() => tick((n) => n + 1), 200);
    return () => clearInterval(timer);
  }, [runs]);
  const left = view.seconds?.[side];
  const seconds = left === undefined ? null : Math.max(0, left - (runs ? (performance.now() - since) / 1000 : 0));
  return (
    <div class={`player ${view.to_move === side ? "to-move" : ""}`}>
      <span>{view[side]}</span>
      {seconds !== null && <time>{clockFace(seconds)}</time>}
    </div>
  );
}

/** When this view came. */
function useSince(view: GameView): number {
  const [kept, keep] = useState({ view, at: performance.now() });
  if (kept.view !== view) keep({ view, at: performance.now() });
  return kept.at;
}

function clockFace(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  return seconds < 10 ? `0:0${(Math.floor(10 * rest) / 10).toFixed(1)}` : `${minutes}:${String(Math.floor(rest)).padStart(2, "0")}`;
}
