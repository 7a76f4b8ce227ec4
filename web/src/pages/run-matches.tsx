// What matches and sweeps tell: scores, losses, and the boards of the latest games.
import { useState } from "preact/hooks";

import { fenAfter, positionAt } from "../chess";
import type { ChessGame, Elo, GoGameShown, GoMatchRun, MatchRun, RoleLoss, RunDescription, SprtStanding, SweepCell, SweepRun } from "../messages";
import { Board } from "../parts/board";
import { GoPicture } from "../parts/go-picture";
import { duration, minus, percent, PLUS_MINUS, rateOf, withError } from "../words";

export function MatchView({ run }: { run: MatchRun }) {
  const { wins, draws, losses } = run;
  const counted = losses + draws + wins;
  return (
    <div class="columns">
      <section class="card" aria-label="Score">
        <h2>{run.finished ? `${run.focal} against ${run.alter}` : "No game is finished yet"}</h2>
        {counted > 0 && (
          <Facts
            facts={[
              ...(run.repetition ? [["different games", run.repetition] as [string, string]] : []),
              ["share", percent(run.share, run.paired_error)],
              ["Elo [95 %]", run.elo ? eloWords(run.elo) : "–"],
              ["wins, draws, losses", `${wins}, ${draws}, ${losses}`],
              ["pairs LL LD = WD WW", run.pairs.join(" ")],
              ["ends", endsOf(run.terminations)],
              ["plies a game", run.mean_plies?.toFixed(1) ?? "–"],
            ]}
          />
        )}
        {run.sprt && <Test sprt={run.sprt} />}
        {run.finished > counted && (
          <p>
            {`All ${run.finished} finished games: ${percent(run.finished_share, run.finished_standard_error)}. `}
            <span class="soft">
              {`The first ${counted} count, the longest beginning of complete pairs: of the others the short ones end first.`}
            </span>
          </p>
        )}
        {counted > 0 && <p class="soft">{PLUS_MINUS}.</p>}
        <Speed run={run} />
      </section>
      {run.roles.length > 0 && <Losses roles={run.roles} judge={run.judge} />}
    </div>
  );
}

/** The sequential test that ends the match. */
function Test({ sprt: { test, llr, lower, upper, verdict } }: { sprt: SprtStanding }) {
  const [atMost, atLeast] = [test.elo0, test.elo1].map((elo) => minus(String(elo)));
  const scale = test.model === "normalised" ? "normalised Elo" : "logistic Elo";
  const verdicts: Record<SprtStanding["verdict"], string> = {
    H0: `H0 is accepted: at most ${atMost} ${scale}`,
    H1: `H1 is accepted: at least ${atLeast} ${scale}`,
    continue: "undecided",
  };
  return (
    <>
      <Facts
        facts={[
          ["sequential test", `H0: at most ${atMost}, H1: at least ${atLeast} ${scale}`],
          ["LLR", `${minus(llr.toFixed(2))}; accepts H0 at ${minus(lower.toFixed(2))}, H1 at ${minus(upper.toFixed(2))}`],
          ["verdict", verdicts[verdict]],
        ]}
      />
      {verdict !== "continue" && (
        <p class="soft">Share and Elo depend on where the test stopped: they tend to overstate the difference.</p>
      )}
    </>
  );
}

function Speed({ run }: { run: MatchRun }) {
  if (!run.speed) return null;
  const busy = Object.entries(run.speed.busy).map(([net, share]) => `${net} busy ${percent(share, null, 0)}`);
  const spent = `${duration(run.speed.seconds)}, ${rateOf(run.speed.plies_per_second, "plies")}`;
  return <p class="soft">The last process that played: {[spent, ...busy].join(", ")}.</p>;
}

export function eloWords({ value, low, high }: Elo): string {
  const [from, to] = [low, high].map((end) => minus(end.toFixed(0)));
  if (value !== null) return `${minus(value.toFixed(1))} [${from}, ${to}]`;
  return low + high > 0 ? `above ${from}` : low + high < 0 ? `below ${to}` : "–";
}

function endsOf(terminations: Record<string, number>): string {
  return Object.entries(terminations)
    .map(([name, count]) => `${name.replaceAll("_", " ")} ${count}`)
    .join(", ");
}

export function Facts({ facts }: { facts: [string, string][] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Losses({ roles, judge }: { roles: RoleLoss[]; judge: string | null }) {
  return (
    <section class="card" aria-label="Who lost how much">
      <h2>Who lost how much</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Losses by player">
        <table>
          <thead>
            <tr>
              <th scope="col">team</th>
              <th scope="col" class="left">
                role
              </th>
              <th scope="col">loss a move</th>
              <th scope="col">moves</th>
            </tr>
          </thead>
          <tbody>
            {roles.map((one) => (
              <tr>
                <th scope="row">{one.team}</th>
                <td class="left">{one.role}</td>
                <td class="wraps">{withError(one.mean, one.standard_error, 2)}</td>
                <td>{one.moves}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="soft">In points of win probability (%) a move, judged by {judge ?? "the players themselves"}.</p>
    </section>
  );
}

/** The games that finished last, where a run keeps games. */
export function Latest({ run }: { run: RunDescription["content"] }) {
  if (!("latest" in run) || !run.latest.length) return null;
  return (
    <section aria-label="The latest finished games">
      <h2>The latest finished games</h2>
      <p class="soft">The newest first.</p>
      <div class="boards">
        {run.type === "go match"
          ? run.latest.map((game) => <GoEnd key={`${game.black} ${game.white} ${game.number}`} game={game} />)
          : run.latest.map((game) => <Replay key={game.number} game={game} />)}
      </div>
    </section>
  );
}

function GoEnd({ game }: { game: GoGameShown }) {
  return (
    <figure class="card">
      <GoPicture rows={game.rows} lastMove={game.last_move} />
      <figcaption>
        <strong>{`Game ${game.number + 1}: ${game.black} – ${game.white}`}</strong>
        <br />
        {`${game.result}, ${game.plies} plies, ${game.termination.replaceAll("_", " ")}`}
      </figcaption>
    </figure>
  );
}

/** A game as it ended, or at any ply before. */
function Replay({ game }: { game: ChessGame }) {
  const [looked, setLooked] = useState<number | null>(null);
  const ply = Math.min(looked ?? game.moves.length, game.moves.length);
  const fen = fenAfter(game.start, game.moves.slice(0, ply));
  const players = game.white === game.black ? game.white : `${game.white} – ${game.black}`;
  return (
    <figure class="card">
      <Board fen={fen} orientation="white" lastMove={game.moves[ply - 1]} />
      <figcaption>
        <strong>{`Game ${game.number + 1}: ${players}`}</strong>
        <br />
        {`${game.chess960 ? "Chess960, " : ""}${game.result}, ${game.termination.replaceAll("_", " ")}`}
        <input
          type="range"
          min={0}
          max={game.moves.length}
          value={ply}
          aria-label={`Ply of game ${game.number + 1}`}
          aria-valuetext={`ply ${ply} of ${game.moves.length}, ${positionAt(fen).turn} to move`}
          onInput={(event) => setLooked(Number(event.currentTarget.value))}
        />
      </figcaption>
    </figure>
  );
}

export function GoMatchView({ run }: { run: GoMatchRun }) {
  return (
    <section class="card" aria-label="Scores">
      <h2>{`${run.size}×${run.size}, komi ${run.komi}`}</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Scores by players">
        <table>
          <thead>
            <tr>
              <th scope="col">player</th>
              <th scope="col" class="left">
                against
              </th>
              <th scope="col">share</th>
              <th scope="col">games</th>
              <th scope="col">Elo [95 %]</th>
              <th scope="col" title="points after komi, of the games that were counted">
                margin
              </th>
              <th scope="col" title="of the games that were won">
                margin of victory
              </th>
            </tr>
          </thead>
          <tbody>
            {run.cells.map((cell) => (
              <tr>
                <th scope="row">{cell.focal}</th>
                <td class="left">{cell.opponent}</td>
                <td>{percent(cell.share.value, cell.share.standard_error)}</td>
                <td>{`${cell.games} of ${cell.total}`}</td>
                <td>{cell.elo ? eloWords(cell.elo) : "–"}</td>
                <td>{withError(cell.margin.value, cell.margin.standard_error, 1)}</td>
                <td>{withError(cell.margin_won.value, cell.margin_won.standard_error, 1)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="soft">{PLUS_MINUS}.</p>
    </section>
  );
}

export function SweepView({ run, addressOf }: { run: SweepRun; addressOf: (part: string) => string }) {
  const opponents = distinct(run.cells.map((cell) => cell.opponent));
  return (
    <>
      {opponents.map((opponent) => (
        <Grid opponent={opponent} cells={run.cells.filter((cell) => cell.opponent === opponent)} addressOf={addressOf} />
      ))}
      <p class="soft">Share of the points of the player under test; the stronger the colour, the more. {PLUS_MINUS}. Framework: {run.framework}.</p>
    </>
  );
}

function Grid({ opponent, cells, addressOf }: { opponent: string; cells: SweepCell[]; addressOf: (part: string) => string }) {
  const players = distinct(cells.map((cell) => cell.player));
  const nodes = distinct(cells.map((cell) => cell.nodes)).sort((a, b) => (a ?? 0) - (b ?? 0));
  return (
    <section class="card" aria-label={`Against ${opponent}`}>
      <h2>Against {opponent}</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Shares against ${opponent}`}>
        <table class="grid">
          <thead>
            <tr>
              <th scope="col">player</th>
              {nodes.map((count) => (
                <th scope="col">{count === null ? "share" : `${count} nodes`}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {players.map((player) => (
              <tr>
                <th scope="row">{player}</th>
                {nodes.map((count) => {
                  const cell = cells.find((one) => one.player === player && one.nodes === count);
                  return cell ? <GridCell cell={cell} address={addressOf(cell.part)} /> : <td>–</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function GridCell({ cell, address }: { cell: SweepCell; address: string }) {
  return (
    <td style={{ "--part": `${100 * (cell.share ?? 0)}%` }}>
      <a href={address}>{percent(cell.share, cell.paired_error)}</a>
      <br />
      <span>{`${cell.finished}${cell.total === null ? "" : ` of ${cell.total}`} games`}</span>
    </td>
  );
}

function distinct<T>(values: T[]): T[] {
  return [...new Set(values)];
}
