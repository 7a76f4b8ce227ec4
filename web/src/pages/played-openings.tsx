// What real games did in a position of the opening: how often each move was played, and how it scored.
import { useState } from "preact/hooks";

import { useAnswer } from "../connection";
import type { Line, OpeningsHere, ReadingGames } from "../messages";
import { grouped, inPercent, percent, withError } from "../words";

const MOST_MOVES = 8;
const WITHIN = [null, 200, 100];

interface Props {
  line: Line;
  rating: number;
  /** Absent while the board shows another position than the table. */
  onMove: ((uci: string) => void) | undefined;
}

export function PlayedOpenings({ line, rating, onMove }: Props) {
  const [within, setWithin] = useState<number | null>(null);
  // The rating is asked about only where it matters: otherwise the slider would ask anew for the same.
  const { reply, error } = useAnswer({ kind: "openings", line, rating: within === null ? 0 : rating, within });
  const given = !reply || reply.reading || reply.here;
  return (
    <section class="card" aria-label="What games did here">
      <h2>What games did here</h2>
      {error && <p class="error">{error}</p>}
      {!given && (
        <p class="soft">
          No games were given: <code>foible web --openings GAMES.pgn</code> shows here what they did.
        </p>
      )}
      {reply?.reading && <Reading reading={reply.reading} />}
      {given && !error && !reply?.reading && (
        <label class="row">
          Players
          <select value={String(within)} onChange={(event) => setWithin(Number(event.currentTarget.value) || null)}>
            {WITHIN.map((points) => (
              <option value={String(points)}>{points === null ? "of any rating" : `both rated ${rating} ± ${points}`}</option>
            ))}
          </select>
        </label>
      )}
      {reply?.here && <Here here={reply.here} chosen={within !== null} onMove={onMove} />}
    </section>
  );
}

function Reading({ reading: { what, games, part } }: { reading: ReadingGames }) {
  return (
    <p class="row" role="status">
      <progress value={part} aria-label="How far the games are read" />
      {what}: {grouped(games)} games, {percent(part)}
    </p>
  );
}

function Here({ here, chosen, onMove }: { here: OpeningsHere; chosen: boolean; onMove: Props["onMove"] }) {
  const [all, setAll] = useState(false);
  const of = chosen ? ` of ${grouped(here.games_of_any_rating)}` : "";
  if (!here.games)
    return (
      <p class="soft">
        {here.games_of_any_rating
          ? `None of the ${grouped(here.games_of_any_rating)} games here is between such players.`
          : `No two of the ${grouped(here.all_games)} games came here in their opening.`}
      </p>
    );
  return (
    <>
      <p>
        {grouped(here.games)}
        {of} games went on from here; who is to move scored {percent(here.score, here.standard_error)}.
        {here.opening && ` Most frequent opening: ${here.opening} (${percent(here.opening_share)}).`}
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="table">
        <table>
          <thead>
            <tr>
              <th scope="col">move</th>
              <th scope="col">games</th>
              <th scope="col">share %</th>
              <th scope="col" title="mean points of who played it, with one standard error">
                score %
              </th>
            </tr>
          </thead>
          <tbody>
            {here.moves.slice(0, all ? undefined : MOST_MOVES).map((one) => (
              <tr>
                <td>
                  <button type="button" disabled={!onMove} onClick={() => onMove?.(one.move)}>
                    {one.san}
                  </button>
                </td>
                <td>{grouped(one.games)}</td>
                <td>
                  <span class="share" style={{ "--part": `${100 * one.share}%` }}>
                    {inPercent(one.share)}
                  </span>
                </td>
                <td>{withError(points(one.score), points(one.standard_error), 1)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {here.moves.length > MOST_MOVES && (
        <p>
          <button type="button" onClick={() => setAll(!all)}>
            {all ? "Fewer moves" : `All ${here.moves.length} moves`}
          </button>
        </p>
      )}
      {chosen && here.all_rated < here.all_games && (
        <p class="soft">
          {grouped(here.all_rated)} of the {grouped(here.all_games)} games have the ratings of both players.
        </p>
      )}
    </>
  );
}

function points(share: number | null): number | null {
  return share === null ? null : 100 * share;
}
