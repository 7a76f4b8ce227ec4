// The course of a game: its win probability, and the moment that changed it most.
import { useMemo } from "preact/hooks";

import { moveNumber, plyOf, positionAt } from "../chess";
import { useAnswers } from "../connection";
import type { Game, Line } from "../messages";
import { Curve } from "../parts/curve";
import { inPercent, percent, signed } from "../words";

export function fenAt(game: Game, ply: number): string {
  return game.moves[ply - 1]?.fen ?? game.start;
}

export function lineUpTo(game: Game, ply: number): Line {
  return { start: game.start, moves: game.moves.slice(0, ply).map((move) => move.uci) };
}

/** The win probability over the game, and the move that changed it most. */
export function GameCourse({ game, ply, onPick }: { game: Game; ply: number; onPick: (ply: number) => void }) {
  const plies = game.moves.length;
  const { replies } = useAnswers(plies ? { kind: "judge", line: lineUpTo(game, plies) } : null);
  const white = replies.flatMap((reply) => reply.white);
  const data = useMemo<[number[], number[]]>(() => [white.map((_, index) => index), white], [white.length]);
  if (!plies) return null;
  const moment = worstMove(game, white);
  return (
    <section aria-label="The course of the game">
      <h2>White’s win probability, %</h2>
      <Curve
        data={data}
        labels={["White"]}
        range={[0, 1]}
        format={(share) => inPercent(share, 0)}
        onPick={onPick}
        describe={`Win probability of White after each move; now ${percent(white[ply] ?? 0.5)}`}
      />
      {moment && (
        <p class="row">
          The moment:
          <button type="button" onClick={() => onPick(moment.ply)}>
            {numbered(game, moment.ply)} ({signed(-100 * moment.lost)} %)
          </button>
        </p>
      )}
    </section>
  );
}

/** The ply before which most was at stake: the position in which the worst move was made. */
function worstMove(game: Game, white: number[]): { ply: number; lost: number } | null {
  const whiteBegins = positionAt(game.start).turn === "white";
  let worst: { ply: number; lost: number } | null = null;
  for (let ply = 0; ply + 1 < white.length; ply++) {
    const fall = white[ply]! - white[ply + 1]!;
    const lost = (ply % 2 === 0) === whiteBegins ? fall : -fall;
    if (lost > (worst?.lost ?? 0.05)) worst = { ply, lost };
  }
  return worst;
}

function numbered(game: Game, ply: number): string {
  return `${moveNumber(plyOf(game.start) + ply)} ${game.moves[ply]?.san ?? ""}`;
}
