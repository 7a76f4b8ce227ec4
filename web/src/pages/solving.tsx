// One puzzle: moves are tried until it is solved or its solution shown; then what it is about.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { play, positionAt, type Played } from "../chess";
import { command, useCommands } from "../connection";
import type { DeckShown, PuzzleAnswered, PuzzleShown, SolutionShown } from "../messages";
import { Board } from "../parts/board";
import { MoveList } from "../parts/move-list";
import { inWords, untilThen } from "../words";

interface Props {
  deck: string;
  /** Of the next puzzle; `null`: any. */
  theme: string | null;
  puzzle: PuzzleShown;
  /** Whether whoever came here uses the keyboard: then the place for moves has the focus. */
  byKey: boolean;
  onSay: (text: string) => void;
  onAnswered: (deck: DeckShown) => void;
  onNext: (byKey: boolean) => void;
  /** What stands beside the board as well. */
  children: ComponentChildren;
}

interface End {
  answered: PuzzleAnswered;
  solution: SolutionShown;
  /** What was played, or the solution that was shown. */
  moves: Played[];
}

const GRADES = { good: "Solved.", hard: "Solved, slowly.", again: "Missed." };

export function Solving({ deck, theme, puzzle, byKey, onSay, onAnswered, onNext, children }: Props) {
  const [line, setLine] = useState<Played[]>([]);
  const [end, setEnd] = useState<End | null>(null);
  const [looked, setLooked] = useState(0);
  const { run, error: wrong } = useCommands();
  const wrongMoves = useRef(0);
  const since = useRef(performance.now());
  const place = useRef<HTMLDivElement>(null);
  const about = { deck, puzzle: puzzle.id };

  useEffect(() => {
    onSay(task(puzzle));
    if (byKey) place.current?.querySelector("input")?.focus();
  }, []);

  const finish = async (played: Played[], shown: boolean) => {
    const seconds = Math.min((performance.now() - since.current) / 1000, 7 * 86_400);
    const solution = await command({ kind: "solution", ...about });
    const answered = await command({ kind: "answer_puzzle", ...about, wrong_moves: wrongMoves.current, shown, seconds, theme });
    setEnd({ answered, solution, moves: shown ? solution.moves : played });
    setLooked(shown ? line.length + 1 : played.length);
    onSay(`${GRADES[answered.grade]} It comes again ${untilThen(86_400 * answered.days)}.`);
    onAnswered(answered.deck);
  };
  const tryMove = async (uci: string) => {
    const mine = play(line.at(-1)?.fen ?? puzzle.fen, uci);
    const tried = await command({ kind: "try_move", ...about, played: line.map((move) => move.uci), move: uci });
    if (!tried.right) {
      wrongMoves.current += 1;
      setLine([...line]); // the board takes the move back
      onSay(`${mine.san} is not it: try again, or see the solution.`);
      return;
    }
    const played = [...line, mine, ...(tried.reply ? [play(mine.fen, tried.reply)] : [])];
    setLine(played);
    if (tried.solved) await finish(played, false);
    else onSay(`${mine.san} is right; ${played.at(-1)!.san} is the reply. Go on.`);
  };

  const moves = end?.moves ?? line;
  const ply = end ? looked : line.length;
  return (
    <div class="columns">
      <div ref={place}>
        <Board
          fen={moves[ply - 1]?.fen ?? puzzle.fen}
          orientation={positionAt(puzzle.fen).turn}
          lastMove={moves[ply - 1]?.uci ?? puzzle.setup ?? undefined}
          onMove={end ? undefined : (uci) => void run(() => tryMove(uci))}
        />
        <MoveList moves={moves} start={puzzle.fen} ply={ply} onPick={setLooked} />
      </div>
      <div>
        {end ? (
          <Why puzzle={puzzle} end={end} onNext={onNext} />
        ) : (
          <section class="card" aria-label="The puzzle">
            <p class="soft">
              {puzzle.rating === null ? "Its difficulty is not known." : `Difficulty ${puzzle.rating}.`}{" "}
              {puzzle.new ? "New to you." : "You have met it before."}
            </p>
            <button type="button" onClick={() => void run(() => finish(line, true))}>
              See the solution
            </button>
          </section>
        )}
        <p class="error" role="alert">
          {wrong}
        </p>
        {children}
      </div>
    </div>
  );
}

function task({ fen, moves }: PuzzleShown): string {
  const side = positionAt(fen).turn === "white" ? "White" : "Black";
  return `${side} to move: find ${moves === 1 ? "the move" : `the ${moves} moves`}.`;
}

function Why({ puzzle, end: { answered, solution }, onNext }: { puzzle: PuzzleShown; end: End; onNext: Props["onNext"] }) {
  const next = useRef<HTMLButtonElement>(null);
  useEffect(() => next.current?.focus(), []);
  const facts = [
    puzzle.rating === null ? "" : `Difficulty ${puzzle.rating}, on the scale of the lichess puzzles.`,
    ...solution.findings.map((text) => `${text[0]!.toUpperCase()}${text.slice(1)}.`),
    solution.source && `From ${solution.source}.`,
  ];
  return (
    <section class="card" aria-label="Why">
      <div class="row">
        <button ref={next} type="button" class="main" onClick={(event) => onNext(event.detail === 0)}>
          {answered.deck.puzzle ? "Next puzzle" : "Done"}
        </button>
        <a href={`#/explain?${explained(puzzle)}`}>Explain this position</a>
        {solution.url && (
          <a href={solution.url} target="_blank" rel="noreferrer">
            The game
          </a>
        )}
      </div>
      <p>
        <strong>{solution.moves.map((move) => move.san).join(" ")}</strong>
      </p>
      <p>{solution.themes.map(inWords).join(", ")}</p>
      {facts.filter(Boolean).map((fact) => (
        <p class="soft">{fact}</p>
      ))}
    </section>
  );
}

function explained({ before, setup, rating }: PuzzleShown): URLSearchParams {
  const near = Math.min(2000, Math.max(1000, rating ?? 1500)); // what the models of people know
  return new URLSearchParams({ start: before, moves: setup ?? "", rating: String(near) });
}
