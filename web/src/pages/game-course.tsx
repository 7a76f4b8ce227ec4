// The course of a game: its win probability, and the mistakes that changed it.
import { useMemo } from "preact/hooks";

import { moveNumber, plyOf, positionAt } from "../chess";
import { useAnswers } from "../connection";
import type { Game, Line } from "../messages";
import { Curve } from "../parts/curve";
import { inPercent, lossMark, MISTAKE, percent, signed } from "../words";

export function fenAt(game: Game, ply: number): string {
  return game.moves[ply - 1]?.fen ?? game.start;
}

export function lineUpTo(game: Game, ply: number): Line {
  return { start: game.start, moves: game.moves.slice(0, ply).map((move) => move.uci) };
}

interface Course {
  /** White's win probability after so many plies, 0 to 1, as far as it is known. */
  white: number[];
  /** The win probability that each move gave away, as far as it is known; below 0 where the judge likes it better afterwards. */
  losses: number[];
}

/** The judgements of all positions of a game, as they come. */
export function useCourse(game: Game): Course {
  const plies = game.moves.length;
  const { replies } = useAnswers(plies ? { kind: "judge", line: lineUpTo(game, plies) } : null);
  return useMemo(() => {
    const white = replies.flatMap((reply) => reply.white);
    const whiteBegins = positionAt(game.start).turn === "white";
    const losses = white.slice(1).map((after, ply) => {
      const fall = white[ply]! - after;
      return (ply % 2 === 0) === whiteBegins ? fall : -fall;
    });
    return { white, losses };
  }, [replies, game]);
}

interface Props {
  game: Game;
  course: Course;
  ply: number;
  onPick: (ply: number) => void;
}

/** The win probability over the game, and the way from mistake to mistake. */
export function GameCourse({ game, course: { white, losses }, ply, onPick }: Props) {
  const data = useMemo<[number[], number[]]>(() => [white.map((_, index) => index), white], [white]);
  if (!game.moves.length) return null;
  return (
    <section aria-label="The course of the game">
      <h2>White’s win probability, %</h2>
      <Curve
        data={data}
        labels={["White"]}
        range={[0, 1]}
        format={(share) => inPercent(share, 0)}
        onPick={onPick}
        marks={[{ from: ply, to: ply, colour: "--blue" }]}
        describe={`Win probability of White after each move; now ${percent(white[ply] ?? 0.5)}`}
      />
      <Mistakes game={game} losses={losses} ply={ply} onPick={onPick} />
    </section>
  );
}

/** Buttons that lead to the positions in which mistakes were made, and to the worst of them. */
function Mistakes({ game, losses, ply, onPick }: Omit<Props, "course"> & { losses: number[] }) {
  const mistakes = losses.flatMap((loss, at) => (loss >= MISTAKE ? [at] : []));
  if (!mistakes.length) return null;
  const worst = mistakes.reduce((a, b) => (losses[b]! > losses[a]! ? b : a));
  const here = mistakes.indexOf(ply);
  const goTo = (at: number | undefined) => at !== undefined && onPick(at);
  const told = (at: number) => `${moveNumber(plyOf(game.start) + at)} ${game.moves[at]!.san}${lossMark(losses[at])} (${signed(-100 * losses[at]!)} %)`;
  return (
    <>
      <p class="row">
        <button type="button" onClick={() => goTo(mistakes.findLast((at) => at < ply))}>
          ‹ Previous mistake
        </button>
        <button type="button" onClick={() => goTo(mistakes.find((at) => at > ply))}>
          Next mistake ›
        </button>
        <span role="status">{here < 0 ? `${mistakes.length} in this game` : `${here + 1} of ${mistakes.length}: ${told(ply)}`}</span>
      </p>
      <p class="row">
        The moment:
        <button type="button" onClick={() => onPick(worst)}>
          {told(worst)}
        </button>
      </p>
    </>
  );
}
