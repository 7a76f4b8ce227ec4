// Black's winrate by komi, with the komi of the game and the bonus points by which the engine weighs it.
import { useMemo } from "preact/hooks";

import { useAnswer } from "../connection";
import { capital, type GoGame, lineOf, type Thinking, turnOf } from "../go";
import type { GoCurveShown } from "../messages";
import { useLast } from "../steady";
import { percent, signed } from "../words";
import { Curve, type Mark } from "./curve";

const WINRATES: [number, number] = [0, 1];
const HEIGHT = 220;

export function KomiCurve({ game, thinking: { lambda, mu } }: { game: GoGame; thinking: Thinking }) {
  const aim = game.margins ? { net: game.net, lambda, mu } : { net: game.net };
  const { reply, error } = useAnswer({ kind: "go_curve", line: lineOf(game), aim });
  const shown = useLast(reply && { opinion: reply, game });
  return (
    <section class="card komi" aria-label="Winrate by komi">
      <h2>Black’s winrate by komi</h2>
      {error && <p class="error">{error}</p>}
      {shown?.opinion.curve && <Drawn curve={shown.opinion.curve} winrate={shown.opinion.winrate} game={shown.game} />}
      {shown && !shown.opinion.curve && <p>At sight, without a search, Black wins {percent(shown.opinion.winrate)}.</p>}
    </section>
  );
}

function Drawn({ curve, winrate, game }: { curve: GoCurveShown; winrate: number; game: GoGame }) {
  const data = useMemo(() => [curve.komi, curve.winrates] as [number[], number[]], [curve]);
  const [from, to] = curve.shaded;
  const marks: Mark[] = [
    { from: game.komi, to: game.komi, colour: "--soft" },
    { from: curve.fair_komi, to: curve.fair_komi, colour: "--blue" },
  ];
  if (from < to) marks.push({ from, to, colour: "--blue" });
  const mover = capital(turnOf(game));
  return (
    <>
      <Curve
        data={data}
        labels={["Black’s winrate"]}
        range={WINRATES}
        format={(share) => percent(share, null, 0)}
        across="komi"
        marks={marks}
        height={HEIGHT}
        describe={`Black’s winrate falls with the komi: ${percent(winrate)} at ${game.komi}, 50 % at ${curve.fair_komi.toFixed(1)}`}
      />
      <p class="soft">
        At sight, without a search: {mover} expects {signed(curve.alpha)} on the board (alpha), so that a komi of{" "}
        {curve.fair_komi.toFixed(1)} is fair (blue line); at the {game.komi} of this game (grey line) Black wins {percent(winrate)}. Beta, the steepness, is{" "}
        {curve.beta.toFixed(2)} per point.{" "}
        {from < to
          ? `The engine as ${mover} weighs the shaded komi: bonus points from ${signed(curve.interval[0])} to ${signed(curve.interval[1])}.`
          : from === game.komi
            ? "The engine weighs the game’s own komi alone."
            : `The engine weighs one bonus alone: ${signed(curve.interval[0])} points.`}
      </p>
    </>
  );
}
