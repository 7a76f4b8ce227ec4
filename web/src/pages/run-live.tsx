// What a run tells while its games are in progress: their boards, how busy the nets are, how long still.
import { useState } from "preact/hooks";

import { fenAfter } from "../chess";
import type { Live, LiveChess, LiveGo, LiveNet } from "../messages";
import { Board } from "../parts/board";
import { GoPicture } from "../parts/go-picture";
import { duration, grouped, percent, rateOf } from "../words";
import { Facts } from "./run-matches";

/** Boards before somebody asks for more: so many are taken in. */
const FIRST = 12;
/** Pixels of a small Go board. */
const GO_WIDTH = 140;

interface NumbersProps {
  live: Live;
  /** Where in the run it is played; empty for the run itself. */
  part: string;
  /** The page of that. */
  address: string;
  /** Whether a sequential test ends it: nobody knows after how many games. */
  tested: boolean;
}

export function LiveNumbers({ live, part, address, tested }: NumbersProps) {
  const paces = [rateOf(live.plies_per_second, "plies")];
  if (live.rate !== null) paces.unshift(rateOf(live.rate, "games"));
  return (
    <div class="columns">
      <section class="card" aria-label="In progress">
        <h2>In progress{live.stage && `: ${live.stage}`}</h2>
        {part && (
          <p>
            It plays <a href={address}>{part}</a>.
          </p>
        )}
        <Facts
          facts={[
            ["games", `${grouped(live.done)}${tested ? "" : ` of ${grouped(live.total)}`} finished, ${grouped(live.in_progress)} in progress`],
            ["pace", paces.join(", ")],
            ["time left", tested ? "until the test is decided" : left(live.seconds_left)],
            ["process", String(live.process)],
          ]}
        />
      </section>
      {live.nets.length > 0 && <Nets nets={live.nets} />}
    </div>
  );
}

function left(seconds: number | null): string {
  return seconds === null ? "known once a game has ended" : `about ${duration(seconds)}`;
}

function Nets({ nets }: { nets: LiveNet[] }) {
  return (
    <section class="card" aria-label="Nets">
      <h2>Nets, in the last seconds</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="How busy each net is">
        <table class="nets">
          <thead>
            <tr>
              <th scope="col">net</th>
              <th scope="col">evaluations / s</th>
              <th scope="col" title="positions a call">
                mean batch
              </th>
              <th scope="col" title="share of the time in which it computes">
                busy
              </th>
            </tr>
          </thead>
          <tbody>
            {nets.map((net) => (
              <tr key={net.name}>
                <th scope="row">{net.name}</th>
                <td>{grouped(Math.round(net.evaluations_per_second))}</td>
                <td>{net.mean_batch.toFixed(1)}</td>
                <td>{percent(net.busy, null, 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

export function LiveBoards({ live: { games, in_progress } }: { live: Live }) {
  const [all, setAll] = useState(false);
  const shown = all ? games : games.slice(0, FIRST);
  if (!games.length) return null;
  return (
    <section aria-label="Games in progress">
      <h2>Games in progress</h2>
      <div class="boards small">
        {shown.map((game) => (
          <figure class="card" key={`${game.game} ${game.white} ${game.black}`}>
            {game.type === "chess" ? <ChessInProgress game={game} /> : <GoPicture rows={game.rows} lastMove={game.last_move} width={GO_WIDTH} />}
            <Caption game={game} />
          </figure>
        ))}
      </div>
      {in_progress > FIRST && (
        <p class="row">
          <span class="soft">{`${shown.length} of ${in_progress} games in progress`}</span>
          <button type="button" onClick={() => setAll(!all)}>
            {all ? "Show fewer" : "Show more"}
          </button>
        </p>
      )}
    </section>
  );
}

function ChessInProgress({ game }: { game: LiveChess }) {
  return <Board fen={fenAfter(game.start, game.moves)} orientation="white" lastMove={game.moves.at(-1)} />;
}

function Caption({ game }: { game: LiveChess | LiveGo }) {
  const [first, second] = game.type === "chess" ? [game.white, game.black] : [game.black, game.white];
  const plies = game.type === "chess" ? game.moves.length : game.plies;
  const facts = [`${plies} plies`];
  if (game.opening) facts.push(`${game.opening} of the opening`);
  if (game.type === "go") facts.push(`komi ${game.komi}`);
  return (
    <figcaption>
      <strong>{`Game ${game.game}`}</strong>
      <br />
      {first === second ? first : `${first} – ${second}`}
      <br />
      <span class="soft">{facts.join(", ")}</span>
    </figcaption>
  );
}
