// What trainings, self-play and the like tell: curves by step, batch, generation or round.
import { useMemo } from "preact/hooks";
import type uPlot from "uplot";

import type { Generation, GoTrainingRun, ImproveRun, LabelsRun, LossCurve, SelfplayRun, TrainingRun } from "../messages";
import { Curve } from "../parts/curve";
import { bytes, grouped, percent, rateOf, withError } from "../words";
import { Facts } from "./run-matches";

export function TrainingView({ run }: { run: TrainingRun }) {
  const data = useMemo(() => merged([run.training, run.validation]), [run]);
  const last = run.validation.losses.at(-1) ?? null;
  const facts: [string, string][] = [
    ["step", run.steps === null ? grouped(run.step) : `${grouped(run.step)} of ${grouped(run.steps)}`],
    ["validation loss", withError(last, null, 4)],
    ["lowest at step", run.best_step === null ? "–" : grouped(run.best_step)],
  ];
  if (run.positions_per_second !== null) facts.push(["positions", rateOf(run.positions_per_second, "positions")]);
  if (run.spikes) facts.push(["spikes", String(run.spikes)]);
  if (run.ended) facts.push(["ended", run.ended]);
  if (run.test !== null) facts.push(["test loss", run.test.toFixed(4)]);
  return (
    <section class="card" aria-label="Loss by step">
      <Facts facts={facts} />
      {data[0].length > 0 && (
        <Curve
          data={data}
          labels={["training loss", "validation loss"]}
          across="step"
          format={digits(3)}
          height={280}
          describe={`Training and validation loss up to step ${run.step}; the last validation loss is ${withError(last, null, 4)}`}
        />
      )}
    </section>
  );
}

/** Curves over steps of their own as one table, with gaps. */
function merged(curves: LossCurve[]): uPlot.AlignedData {
  const steps = [...new Set(curves.flatMap((curve) => curve.steps))].sort((a, b) => a - b);
  const rows = curves.map((curve) => {
    const losses = new Map(curve.steps.map((step, index) => [step, curve.losses[index] ?? null]));
    return steps.map((step) => losses.get(step) ?? null);
  });
  return [steps, ...rows];
}

function digits(count: number): (value: number) => string {
  return (value) => Number(value.toPrecision(count)).toString();
}

export function SelfplayView({ run }: { run: SelfplayRun }) {
  const { value, low, high } = run.decisive_ratio;
  const ratio = low === null ? "–" : `${value?.toFixed(2) ?? "∞"} [${low.toFixed(2)}, ${high?.toFixed(2) ?? "∞"}]`;
  const facts: [string, string][] = [
    ["White, draws, Black", `${run.white}, ${run.draws}, ${run.black}`],
    ["(wins + losses) / draws", ratio],
    ["plies a game", run.mean_plies?.toFixed(1) ?? "–"],
  ];
  if (run.contempt_visits !== null) facts.push(["contempt visits now", run.contempt_visits.toFixed(2)]);
  if (run.target !== null) facts.push(["ratio aimed at", String(run.target)]);
  return (
    <>
      <section class="card" aria-label="Results">
        <Facts facts={facts} />
      </section>
      {run.path.length > 0 && <Controller run={run} />}
    </>
  );
}

function Controller({ run }: { run: SelfplayRun }) {
  const data = useMemo(() => {
    const batches = run.path.map((point) => point.batch);
    const ratios = run.path.map(({ games, decisive }) => (games > decisive ? decisive / (games - decisive) : null));
    return {
      visits: [batches, run.path.map((point) => point.contempt_visits)] as uPlot.AlignedData,
      ratios: [batches, ratios, batches.map(() => run.target)] as uPlot.AlignedData,
    };
  }, [run]);
  return (
    <section class="card" aria-label="The path of the controller">
      <h2>The path of the controller</h2>
      <p class="soft">N_scl, the visits after which the modelled opponent stops thinking, by batch of games</p>
      <Curve data={data.visits} labels={["N_scl"]} across="batch" format={digits(3)} describe={`N_scl by batch; now ${run.contempt_visits}`} />
      <p class="soft">(wins + losses) / draws of each batch, and what is aimed at</p>
      <Curve data={data.ratios} labels={["ratio", "aimed at"]} across="batch" format={digits(3)} describe={`Decisive ratio by batch, aimed at ${run.target}`} />
    </section>
  );
}

interface Panel {
  title: string;
  labels: string[];
  values: ((one: Generation) => number | null | undefined)[];
}

/** The komi of 10 and of 90 % winrate lie so far from alpha, times beta: ln 9. */
const DECILE = Math.log(9);

function panelsOf(run: GoTrainingRun): Panel[] {
  const reach = (one: Generation) => (one.beta ? DECILE / one.beta : null);
  const off = (one: Generation, side: number) => (one.alpha == null || reach(one) === null ? null : one.alpha + side * reach(one)!);
  const fair: Panel = {
    title: "Komi of the empty board: alpha, which the net thinks fair, and those of 10 and 90 % winrate",
    labels: ["alpha", "10 %", "90 %"],
    values: [(one) => one.alpha, (one) => off(one, -1), (one) => off(one, 1)],
  };
  if (run.perfect !== null) {
    fair.labels.push("perfect play");
    fair.values.push(() => run.perfect);
  }
  return [
    fair,
    { title: "Beta: how sure the net is, per point", labels: ["beta"], values: [(one) => one.beta] },
    { title: "Elo, the random net 0", labels: ["Elo"], values: [(one) => one.elo] },
    { title: "Share won against the panel", labels: ["share"], values: [(one) => one.panel] },
    { title: "Losses on held-out games", labels: ["policy (nats)", "value"], values: [(one) => one.policy, (one) => one.value] },
  ];
}

export function GoTrainingView({ run }: { run: GoTrainingRun }) {
  const panels = useMemo(() => {
    const numbers = run.generations.map((one) => one.number);
    return panelsOf(run)
      .map(({ values, ...panel }) => ({ ...panel, rows: values.map((of) => run.generations.map((one) => of(one) ?? null)) }))
      .filter(({ rows }) => rows[0]!.some((value) => value !== null))
      .map(({ rows, ...panel }) => ({ ...panel, data: [numbers, ...rows] as uPlot.AlignedData }));
  }, [run]);
  const last = run.generations.at(-1);
  const over = run.generations.length > run.asked;
  return (
    <>
      <section class="card" aria-label="Now">
        <Facts
          facts={[
            ["board", `${run.size}×${run.size}`],
            ["best net", last ? `of generation ${last.best}` : "–"],
            ["Elo", withError(last?.elo, last?.elo_standard_error, 0)],
            ["alpha, beta", `${withError(last?.alpha, null, 2)}, ${withError(last?.beta, null, 3)}`],
          ]}
        />
        {!over && !run.ended && (
          <p>
            {`Generation ${run.generations.length} is under way: `}
            {run.games < run.games_asked
              ? `${run.games} of ${run.games_asked} games of self-play.`
              : "its self-play is over, a net learns from it or plays matches."}
          </p>
        )}
        {run.ended && <p>{`It is over: ${run.ended}.`}</p>}
      </section>
      {panels.map(({ title, labels, data }) => (
        <section class="card" aria-label={title}>
          <h2>{title}</h2>
          <Curve data={data} labels={labels} across="generation" format={digits(3)} describe={`${title}, by generation`} />
        </section>
      ))}
    </>
  );
}

export function LabelsView({ run }: { run: LabelsRun }) {
  const facts: [string, string][] = [
    ["teacher", run.teacher || "–"],
    ["positions", run.wanted === null ? grouped(run.labelled) : `${grouped(run.labelled)} of ${grouped(run.wanted)}`],
    ["tables", `${run.shards} shards, ${bytes(run.bytes)}`],
  ];
  if (run.positions_per_second !== null) facts.push(["rate", rateOf(run.positions_per_second, "positions")]);
  if (run.agreement !== null) facts.push(["first choice was played", percent(run.agreement)]);
  if (run.nats !== null) facts.push(["mean entropy", `${run.nats.toFixed(2)} nats`]);
  return (
    <section class="card" aria-label="Labels">
      <Facts facts={facts} />
      <p class="soft">Labels are written shard by shard: positions of the one under way are not counted yet.</p>
    </section>
  );
}

export function ImproveView({ run }: { run: ImproveRun }) {
  return (
    <section class="card" aria-label="Rounds">
      <div class="scroll" tabIndex={0} role="region" aria-label="Rounds so far">
        <table>
          <thead>
            <tr>
              <th scope="col">round</th>
              <th scope="col">positions labelled</th>
              <th scope="col" title="how often the search’s first choice was the move that was played">
                agreement
              </th>
              <th scope="col">step</th>
              <th scope="col">validation loss</th>
              <th scope="col">games</th>
              <th scope="col" title="of the round’s net against the last one’s">
                share
              </th>
            </tr>
          </thead>
          <tbody>
            {run.rounds.map((one) => (
              <tr>
                <th scope="row">{one.number}</th>
                <td>{grouped(one.labelled)}</td>
                <td>{percent(one.agreement)}</td>
                <td>{one.step ?? "–"}</td>
                <td>{withError(one.loss, null, 4)}</td>
                <td>{one.games || "–"}</td>
                <td>{percent(one.share, one.paired_error)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
