// The moves that searches with several lambdas prefer, beside each other.
import { useAnswer } from "../connection";
import { type GoGame, lineOf, type Thinking } from "../go";
import type { GoPreference, GoPreferences } from "../messages";
import { inPercent, signed } from "../words";

const COMPARED = [0, 0.5, 1];
const ROWS = 7;

export interface Preferred {
  columns: GoPreference[];
  turn: GoPreferences["turn"] | null;
  complete: boolean;
  error: string | null;
}

/** What lambda 0, 0.5 and 1 prefer, and that of the slider, which is asked for by itself: it moves. */
export function usePreferences(game: GoGame | null, { visits, lambda, mu }: Thinking): Preferred {
  const ask = (lambdas: number[]) =>
    game && { kind: "go_compare" as const, line: lineOf(game), net: game.net, lambdas, mu: game.margins ? mu : 0, visits };
  const compared = useAnswer(ask(game?.margins ? COMPARED : [0]));
  const own = useAnswer(game?.margins && !COMPARED.includes(lambda) ? ask([lambda]) : null);
  const found = [...(compared.reply?.by_lambda ?? []), ...(own.reply?.by_lambda ?? [])];
  return {
    columns: found.sort((a, b) => a.lambda - b.lambda),
    turn: compared.reply?.turn ?? null,
    complete: Boolean(compared.reply?.complete),
    error: compared.error ?? own.error,
  };
}

/** Which lambdas like a point best, as words on the board; λ is that of the slider. */
export function labelsOf({ columns }: Preferred): Map<string, string> {
  const labels = new Map<string, string[]>();
  for (const { lambda, moves } of columns) {
    const best = moves[0]?.move;
    if (best) labels.set(best, [...(labels.get(best) ?? []), COMPARED.includes(lambda) ? String(lambda).replace("0.5", "½") : "λ"]);
  }
  const words = (found: string[]) => (found.length === columns.length ? "all" : found.join(" "));
  return new Map([...labels].map(([point, found]) => [point, words(found)]));
}

export function Preferences({ preferred: { columns, turn, complete, error }, margins }: { preferred: Preferred; margins: boolean }) {
  if (error) return <p class="error">{error}</p>;
  if (!columns.length) return <p>Searching …</p>;
  const names = ["visits", "wins %", ...(margins ? ["margin"] : [])];
  return (
    <>
      <div class="scroll" tabIndex={0} role="group" aria-label="Moves by lambda">
        <table class="preferences">
          <thead>
            {margins && (
              <tr>
                <td />
                {columns.map(({ lambda, moves }) => (
                  <th scope="colgroup" colSpan={names.length}>
                    lambda {lambda}: {moves[0]?.move}
                  </th>
                ))}
              </tr>
            )}
            <tr>
              <th scope="col">move</th>
              {columns.map(() => names.map((name) => <th scope="col">{name}</th>))}
            </tr>
          </thead>
          <tbody>
            {shownMoves(columns).map((move) => (
              <tr>
                <th scope="row">{move}</th>
                {columns.map((one) => (
                  <Cells one={one} move={move} margins={margins} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="soft">
        Of {turn === "white" ? "White" : "Black"}, who is to move: winrate{margins && " and mean margin in points, both"} at the game’s
        own komi, after {columns[0]!.visits} visits{complete ? "." : ", searching on …"}
      </p>
    </>
  );
}

/** The moves with the most visits of all searches together. */
function shownMoves(columns: GoPreference[]): string[] {
  const visits = new Map<string, number>();
  for (const { moves } of columns) for (const one of moves) visits.set(one.move, (visits.get(one.move) ?? 0) + one.visits);
  const ranked = [...visits].sort((a, b) => b[1] - a[1]).map(([move]) => move);
  return ranked.slice(0, ROWS);
}

function Cells({ one, move, margins }: { one: GoPreference; move: string; margins: boolean }) {
  const found = one.moves.find((searched) => searched.move === move);
  const best = one.moves[0]?.move === move ? "best" : "";
  return (
    <>
      <td class={best}>{found?.visits ?? "–"}</td>
      <td class={best}>{found ? inPercent(found.winrate) : "–"}</td>
      {margins && <td class={best}>{found?.margin == null ? "–" : signed(found.margin)}</td>}
    </>
  );
}
