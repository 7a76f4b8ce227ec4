// The lines in which an opponent errs, as they are found; each can be stepped through, and played.
import { useState } from "preact/hooks";

import { play, START } from "../chess";
import { command, useAnswer, useCommands } from "../connection";
import { RATINGS, type OpponentShown, type PlayerReply, type PrepLine, type PrepReport, type Preparing } from "../messages";
import { Board, type Arrow } from "../parts/board";
import { MoveList } from "../parts/move-list";
import { counted, inPercent, lossMark, MISTAKE, percent, signed, withError } from "../words";
import { goToGame } from "./play";

const POSITIONS = [50, 200, 500];

export function PreparedAgainst({ opponent }: { opponent: OpponentShown }) {
  const [games, setGames] = useState(5);
  const [positions, setPositions] = useState(200);
  const { reply, done, error } = useAnswer({ kind: "prepare", opponent: opponent.id, games, positions });
  const [looked, setLooked] = useState("");
  const lines = reply?.lines ?? [];
  const line = lines.find((one) => keyOf(one) === looked) ?? lines[0];
  const rating = opponent.rating === null ? "" : `, rated ${Math.round(opponent.rating)}`;
  return (
    <>
      <h1>Against {opponent.name}</h1>
      <p>
        {counted(opponent.games, "game")}
        {rating}. <a href="#/prepare">Somebody else</a>
      </p>
      <div class="row">
        <Spar opponent={opponent} moves={[]}>
          Spar with this opponent
        </Spar>
        <span class="soft">plays as in those games, and where they never were as others of their level</span>
      </div>
      <div class="card row">
        <label>
          Positions that came up
          <input type="number" min={1} max={1000} value={games} onChange={(event) => setGames(event.currentTarget.valueAsNumber || 1)} />
          times or more,
        </label>
        <label>
          of them
          <select value={positions} onChange={(event) => setPositions(Number(event.currentTarget.value))}>
            {POSITIONS.map((number) => (
              <option value={number}>the commonest {number}</option>
            ))}
          </select>
        </label>
      </div>
      <Progress reply={reply} done={done} error={error} />
      <div class="columns">
        <div>{line && <Steps key={keyOf(line)} line={line} opponent={opponent} />}</div>
        <div>
          {lines.length > 0 && <Lines lines={lines} looked={line} onLook={(one) => setLooked(keyOf(one))} />}
          {reply?.report && <Report report={reply.report} lines={lines} />}
        </div>
      </div>
    </>
  );
}

function Progress({ reply, done, error }: { reply: Preparing | null; done: boolean; error: string | null }) {
  if (error)
    return (
      <p class="error" role="alert">
        {error}
      </p>
    );
  if (done) return null;
  const words = reply ? `${reply.what}: ${reply.done} of ${reply.what.startsWith("positions") ? "at most " : ""}${reply.total}` : "reading the games …";
  return (
    <p class="row" role="status">
      <progress max={reply?.total || undefined} value={reply?.done} aria-label="How far the search is" />
      {words}
      {reply?.lines.length ? "; the lines below are drafts" : ""}
    </p>
  );
}

/** A game against the opponent, from the start or from a position. */
function Spar({ opponent, moves, children }: { opponent: OpponentShown; moves: string[]; children: string }) {
  const { run, error } = useCommands();
  const colour = opponent.colour === "white" ? "black" : "white";
  const setup = { opponent: opponent.name, opponent_rating: levelOf(opponent), colour, line: { moves } } as const;
  return (
    <>
      <button type="button" class={moves.length ? "" : "main"} onClick={() => void run(() => command({ kind: "new_game", setup }), goToGame)}>
        {children}
      </button>
      <span class="error" role="alert">
        {error}
      </span>
    </>
  );
}

function levelOf({ rating }: OpponentShown): number {
  return rating === null ? 1500 : Math.max(RATINGS.lowest, Math.min(RATINGS.highest, Math.round(rating)));
}

function Steps({ line, opponent }: { line: PrepLine; opponent: OpponentShown }) {
  const [ply, setPly] = useState(line.moves.length);
  const [reply, setReply] = useState<PlayerReply | null>(null);
  const end = line.moves.at(-1)?.fen ?? START;
  const marked = line.moves.map((move, index) => ({ ...move, san: move.san + markOf(line, index) }));
  const moves = reply ? [...marked, play(end, reply.uci)] : marked;
  const shown = moves.slice(0, ply);
  const goTo = (next: number) => setPly(Math.max(0, Math.min(moves.length, next)));
  const look = (one: PlayerReply) => {
    setReply(one);
    setPly(line.moves.length + 1);
  };
  const ucis = shown.map((move) => move.uci);
  const explained = new URLSearchParams({ moves: ucis.join(" "), rating: String(levelOf(opponent)) });
  const step = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by) goTo(ply + by);
  };
  return (
    <section aria-label="The line on the board" onKeyDown={step}>
      <Board
        fen={shown.at(-1)?.fen ?? START}
        orientation={opponent.colour === "white" ? "black" : "white"}
        lastMove={shown.at(-1)?.uci}
        arrows={ply === line.moves.length ? arrowsOf(line) : []}
      />
      <MoveList moves={moves} start={START} ply={ply} onPick={goTo} />
      <div class="row">
        <a href={`#/explain?${explained}`}>Explain this position</a>
        {ply > 0 && (
          <Spar opponent={opponent} moves={ucis}>
            Spar from here
          </Spar>
        )}
      </div>
      <Replies line={line} looked={reply} onLook={look} />
    </section>
  );
}

/** The strongest reply in green, the likeliest that is a mistake in red. */
function arrowsOf(line: PrepLine): Arrow[] {
  const arrows: Arrow[] = line.strongest ? [{ uci: line.strongest.uci, brush: "green" }] : [];
  const mistake = line.replies.find((one) => (one.loss ?? 0) >= MISTAKE);
  if (mistake) arrows.push({ uci: mistake.uci, brush: "red" });
  return arrows;
}

function Replies({ line, looked, onLook }: { line: PrepLine; looked: PlayerReply | null; onLook: (one: PlayerReply) => void }) {
  const rare = line.strongest && !line.replies.some((one) => one.uci === line.strongest?.uci) ? [line.strongest] : [];
  return (
    <section class="card scroll" aria-label="How they go on">
      <h2>How they go on</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">reply</th>
            <th scope="col">probable</th>
            <th scope="col">played</th>
            <th scope="col">then</th>
          </tr>
        </thead>
        <tbody>
          {[...line.replies, ...rare].map((one) => (
            <tr aria-selected={looked?.uci === one.uci}>
              <td>
                <button type="button" aria-pressed={looked?.uci === one.uci} onClick={() => onLook(one)}>
                  {one.san}
                  {lossMark(one.loss)}
                </button>
                {one.uci === line.strongest?.uci ? " strongest" : ""}
              </td>
              <td>{percent(one.p)}</td>
              <td>{one.games}</td>
              <td>{percent(one.value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const COLUMNS = [
  ["games", "of theirs that came to this position"],
  ["reached", "how often one comes here when playing for it"],
  ["surplus", "the lower end of E’s interval less the V of the safest move: lines rank by it"],
  ["E (80 %)", "expected after their reply, and the interval that the number of games allows"],
  ["V", "against the best of the likely replies and the judge’s own"],
  ["price", "what V falls short of the safest move’s"],
  ["gain", "what E exceeds that of the safest move"],
  ["trap", "probability of a reply that gives away 10 % or more"],
] as const;

function Lines({ lines, looked, onLook }: { lines: PrepLine[]; looked: PrepLine | undefined; onLook: (line: PrepLine) => void }) {
  return (
    <section class="card" aria-label="Lines">
      <div class="scroll">
        <table class="lines">
          <thead>
            <tr>
              <th scope="col">line</th>
              {COLUMNS.map(([name, meaning]) => (
                <th scope="col" title={meaning}>
                  {name}
                </th>
              ))}
              <th scope="col" class="left" title="the best against the line: the one to know">
                reply
              </th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line) => (
              <tr aria-selected={line === looked}>
                <td class="wraps">
                  <button type="button" aria-pressed={line === looked} onClick={() => onLook(line)}>
                    {textOf(line)}
                  </button>
                </td>
                <td>{line.games}</td>
                <td>{inPercent(line.reach, 0)}</td>
                <td>{signed(100 * line.surplus)}</td>
                <td>
                  {inPercent(line.expected, 0)} ({inPercent(line.low, 0)}–{inPercent(line.high, 0)})
                </td>
                <td>{inPercent(line.safe, 0)}</td>
                <td>{inPercent(line.price)}</td>
                <td>{signed(100 * line.gain)}</td>
                <td>{inPercent(line.trap_probability, 0)}</td>
                <td class="left">{line.strongest?.san ?? ""}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <details>
        <summary>What the numbers mean</summary>
        <p class="soft">In % of win probability for us. The judge’s own errors, some 2 points, are not in the interval.</p>
        <dl>
          {COLUMNS.map(([name, meaning]) => (
            <>
              <dt>{name}</dt>
              <dd>{meaning}</dd>
            </>
          ))}
        </dl>
      </details>
    </section>
  );
}

function Report({ report, lines }: { report: PrepReport; lines: PrepLine[] }) {
  const days = report.first && report.last ? `, ${report.first} to ${report.last}` : "";
  const gain = report.gain === null ? "" : ` (${withError(report.gain, report.gain_standard_error, 3)} nats a move)`;
  return (
    <section class="card" aria-label="What this stands on">
      {!lines.length && <p>No position came up so often: lower the number above.</p>}
      {lines.length > 0 && lines.every((line) => line.surplus <= 0) && <p>No surplus above 0: these games show no mistake to rely on.</p>}
      <p>
        {counted(report.positions, "position")}
        {days}. Judge: {report.judge}. The moves of {counted(report.predicted, "later game")} are predicted{" "}
        {report.personal ? "better" : "no better"} by their earlier games than by {report.base}{gain}:{" "}
        {report.personal ? "the replies are their own." : `${report.base} alone stands for their replies.`}
      </p>
      {report.remarks.map((remark) => (
        <p class="soft">{remark}</p>
      ))}
      <a download={`prep-${report.opponent.player.replace(/\W+/g, "-")}.pgn`} href={`data:application/x-chess-pgn;charset=utf-8,${encodeURIComponent(report.pgn)}`}>
        These lines as PGN
      </a>
      <p class="soft">{report.note}</p>
    </section>
  );
}

/** A draft and what it becomes are the same line. */
function keyOf(line: PrepLine): string {
  return line.moves.map((move) => move.uci).join(" ");
}

/** `1.e4 e5 2.Nf3`, their mistakes marked. */
function textOf(line: PrepLine): string {
  return line.moves
    .map((move, index) => `${index % 2 === 0 ? `${index / 2 + 1}.` : ""}${move.san}${markOf(line, index)}`)
    .join(" ");
}

/** Marks the moves of theirs: the last move of a line is ours. */
function markOf(line: PrepLine, index: number): string {
  const theirs = (line.moves.length - index) % 2 === 0;
  return theirs ? lossMark(line.moves[index]?.loss) : "";
}
