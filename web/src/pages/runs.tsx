// The run folders: which there are and how far they are, and what is in one. All of it is told again as it changes.
import { useEffect, useState } from "preact/hooks";

import { useAnswer } from "../connection";
import type { RunDescription, RunEntry, RunLive, RunShown, Standing } from "../messages";
import { duration, grouped, rateOf } from "../words";
import { GoTrainingView, ImproveView, LabelsView, SelfplayView, TrainingView } from "./run-curves";
import { LiveBoards, LiveNumbers } from "./run-live";
import { GoMatchView, Latest, MatchView, SweepView } from "./run-matches";

const TICK_MILLISECONDS = 5000;
const STOPPED_SECONDS = 300;

export function Runs({ query }: { query: URLSearchParams }) {
  const name = query.get("run");
  const { reply, error } = useAnswer({ kind: "list_runs" });
  if (error) return <p class="error">{error}</p>;
  if (!reply) return <p class="soft">looking …</p>;
  if (name !== null) return <OneRun name={name} entries={reply.runs} />;
  return (
    <>
      <h1>Runs</h1>
      <p class="soft">
        Run folders below {reply.folder}: matches, sweeps, self-play, labels, trainings. They are only read.
      </p>
      {reply.runs.length === 0 && <p>There are none yet. Every long job makes one: foible match, foible selfplay, foible train …</p>}
      <List entries={reply.runs.filter((one) => one.part_of === null)} label="All runs" />
    </>
  );
}

export function addressOf(name: string): string {
  return `#/runs?${new URLSearchParams({ run: name })}`;
}

function List({ entries, label, inside = "" }: { entries: RunEntry[]; label: string; inside?: string }) {
  const now = useNow();
  if (!entries.length) return null;
  return (
    <div class="scroll card" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">run</th>
            <th scope="col" class="left">
              kind
            </th>
            <th scope="col" class="left">
              how far
            </th>
            <th scope="col">last change</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((one) => (
            <tr key={one.name}>
              <th scope="row">
                <a href={addressOf(one.name)}>{one.name.replace(inside, "")}</a>
              </th>
              <td class="left">{one.kind ?? "–"}</td>
              <td class="left">{one.problem ? <span class="error">{one.problem}</span> : <HowFar standing={one.standing} />}</td>
              <td class="wraps">{one.live ? <strong>in progress</strong> : ago(one.changed, now)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function HowFar({ standing }: { standing: Standing | null }) {
  if (!standing) return <>–</>;
  const { done, total, unit } = standing;
  if (total === null) return <>{`${grouped(done)} ${unit}`}</>;
  const words = `${grouped(done)} of ${grouped(total)} ${unit}`;
  return (
    <>
      <progress max={total} value={Math.min(done, total)} aria-label={words} /> {words}
    </>
  );
}

/** Seconds since 1970, now and then. */
function useNow(): number {
  const [now, setNow] = useState(Date.now() / 1000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), TICK_MILLISECONDS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function ago(when: number, now: number): string {
  if (!when) return "–";
  return now - when < TICK_MILLISECONDS / 1000 ? "just now" : `${duration(now - when)} ago`;
}

function OneRun({ name, entries }: { name: string; entries: RunEntry[] }) {
  const { reply, error } = useAnswer({ kind: "watch_run", name });
  const live = useAnswer({ kind: "watch_live", name }).reply;
  const whole = entries.find((one) => one.name === name)?.part_of;
  const parts = entries.filter((one) => one.part_of === name).sort((a, b) => a.name.localeCompare(b.name));
  return (
    <>
      <p>
        <a href="#/runs">All runs</a>
        {whole && (
          <>
            {" › "}
            <a href={addressOf(whole)}>{whole}</a>
          </>
        )}
      </p>
      <h1>{name}</h1>
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {reply?.problem && (
        <p class="error" role="alert">
          {reply.problem}
        </p>
      )}
      {!reply && !error && <p class="soft">reading …</p>}
      {reply?.run && <Found shown={reply} run={reply.run} live={live} />}
      {parts.length > 0 && <h2>Parts</h2>}
      <List entries={parts} label="Parts" inside={`${name}/`} />
      {reply?.run && <Texts run={reply.run} />}
    </>
  );
}

function Found({ shown, run, live }: { shown: RunShown; run: RunDescription; live: RunLive | null }) {
  const now = useNow();
  const tested = run.content.type === "match" && run.content.sprt?.verdict === "continue" && !live?.part;
  return (
    <>
      <p class="row">
        <strong>{run.kind}</strong>
        <span>
          <HowFar standing={run.standing} />
        </span>
        <span class="soft">last change {ago(run.changed, now)}</span>
        {!live?.live && <Pace shown={shown} standing={run.standing} quiet={now - run.changed} />}
      </p>
      {live?.live && <LiveNumbers live={live.live} part={live.part} address={addressOf(`${shown.name}/${live.part}`)} tested={tested} />}
      <Content name={shown.name} run={run} />
      {live?.live && <LiveBoards key={live.part} live={live.live} />}
      <Latest run={run.content} />
    </>
  );
}

/** `quiet`: seconds since its last change. */
function Pace({ shown: { rate, seconds_left }, standing, quiet }: { shown: RunShown; standing: Standing | null; quiet: number }) {
  if (!standing || (standing.total !== null && standing.done >= standing.total)) return null;
  if (quiet > STOPPED_SECONDS) return <span class="soft">it seems to have stopped; the command that began it goes on with it</span>;
  if (rate === null) return <span class="soft">its pace is known once it has been seen to go on</span>;
  return (
    <span>
      {rateOf(rate, standing.unit)}
      {seconds_left !== null && `, ${duration(seconds_left)} left`}
    </span>
  );
}

function Content({ name, run: { content } }: { name: string; run: RunDescription }) {
  switch (content.type) {
    case "match":
      return <MatchView run={content} />;
    case "go match":
      return <GoMatchView run={content} />;
    case "sweep":
      return <SweepView run={content} addressOf={(part) => addressOf(`${name}/${part}`)} />;
    case "self-play":
      return <SelfplayView run={content} />;
    case "training":
      return <TrainingView run={content} />;
    case "go training":
      return <GoTrainingView run={content} />;
    case "labels":
      return <LabelsView run={content} />;
    case "improvement":
      return <ImproveView run={content} />;
    case "other":
      return null;
  }
}

function Texts({ run }: { run: RunDescription }) {
  const texts = [
    ["Configuration", run.configuration],
    ["Report", run.report],
  ] as const;
  return (
    <>
      {texts.map(
        ([title, text]) =>
          text && (
            <details class="card">
              <summary>{title}</summary>
              <pre class="scroll" tabIndex={0}>
                {text}
              </pre>
            </details>
          ),
      )}
    </>
  );
}
