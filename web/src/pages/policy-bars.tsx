// Who would play what: the shares of players of each rating.
import { useAnswer } from "../connection";
import type { BarsOf, Line } from "../messages";
import { inPercent } from "../words";

export function PolicyBars({ line, rating }: { line: Line; rating: number }) {
  const { reply, error } = useAnswer({ kind: "bars", line });
  if (error) return <p class="error">{error}</p>;
  if (!reply) return null;
  return (
    <section class="card" aria-label="Who would play what">
      <h2>Who would play what</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="table">
        <table class="bars">
          <thead>
            <tr>
              <th scope="col">rated</th>
              {reply.ratings.map((one) => (
                <th scope="col">{one}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {reply.bars.map((bar) => (
              <tr>
                <th scope="row">{bar.san}</th>
                <Shares shares={bar.shares} bars={reply} rating={rating} />
              </tr>
            ))}
            <tr>
              <th scope="row">others</th>
              <Shares shares={reply.rest} bars={reply} rating={rating} />
            </tr>
          </tbody>
        </table>
      </div>
      <p class="soft">Predicted by {reply.models.join(", ")}.</p>
    </section>
  );
}

function Shares({ shares, bars, rating }: { shares: number[]; bars: BarsOf; rating: number }) {
  const nearest = bars.ratings.reduce((a, b) => (Math.abs(b - rating) < Math.abs(a - rating) ? b : a));
  return (
    <>
      {shares.map((share, index) => (
        <td class={bars.ratings[index] === nearest ? "nearest" : ""}>
          <span class="share" style={{ "--part": `${100 * share}%` }}>
            {inPercent(share, 0)}
          </span>
        </td>
      ))}
    </>
  );
}
