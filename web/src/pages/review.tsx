// After a game: who gave away how much, and where.
import { useAnswer } from "../connection";
import type { GameView } from "../messages";

const WHO: Record<string, string> = { you: "you", senior: "partner", junior: "junior", hand: "hand", player: "" };
const SHOWN = 5;
const LEAST = 0.5; // % of win probability: less is shown as 0
const HELPED = 1.5; // % of win probability: less may be the judge's error

export function Review({ id, view, onPick }: { id: string; view: GameView; onPick: (ply: number) => void }) {
  const { reply, done, error } = useAnswer({ kind: "review_game", id });
  if (error) return <p class="error">{error}</p>;
  if (!reply) return <p class="soft">judging the moves …</p>;
  const helped = reply.partner.filter((move) => move.help >= HELPED).sort((a, b) => b.help - a.help).slice(0, SHOWN);
  const worst = reply.moves.filter((move) => move.loss >= LEAST).sort((a, b) => b.loss - a.loss).slice(0, SHOWN);
  return (
    <section class="card scroll" aria-label="Who gave away how much">
      <h2>Who gave away how much</h2>
      {!done && <progress value={reply.moves.length} max={reply.total} aria-label="moves judged" />}
      <table>
        <thead>
          <tr>
            <th scope="col">side</th>
            <th scope="col" class="left">
              who
            </th>
            <th scope="col">moves</th>
            <th scope="col">% a move</th>
          </tr>
        </thead>
        <tbody>
          {reply.players.map((one) => (
            <tr>
              <td>{one.white ? "White" : "Black"}</td>
              <td class="left wraps">{WHO[one.who] || (one.white ? view.white : view.black)}</td>
              <td>{one.moves}</td>
              <td>
                {one.mean.toFixed(1)}
                {one.standard_error === null ? "" : ` ± ${one.standard_error.toFixed(1)}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="row">
        {worst.length ? "Where most was lost:" : "No move gave away anything."}
        {worst.map((move) => (
          <button type="button" onClick={() => onPick(move.ply)}>
            {move.text} (−{move.loss.toFixed(0)})
          </button>
        ))}
      </p>
      {reply.partner.length > 0 && (
        <p class="row">
          {helped.length ? "Where your partner helped most:" : "Your partner’s moves gave you nothing."}
          {helped.map((move) => (
            <button type="button" onClick={() => onPick(move.ply)}>
              {move.text} (+{move.help.toFixed(0)})
            </button>
          ))}
        </p>
      )}
      {helped.length > 0 && (
        <p class="soft">Compared with what players rated {view.setup.own_rating ?? 1500} play in these positions, on average.</p>
      )}
      <p class="soft">In % of win probability, ± one standard error. Judge: {reply.judge}.</p>
    </section>
  );
}
