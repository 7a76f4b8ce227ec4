// What our moves in a position are worth against players of a rating, and what is likely to follow.
import type { CandidateShown, Explained } from "../messages";
import type { Arrow } from "../parts/board";
import { inPercent } from "../words";

interface MovesProps {
  explained: { reply: Explained | null; done: boolean; error: string | null };
  looked: string | null;
  onLook: (uci: string | null) => void;
}

export function CandidateMoves({ explained: { reply, done, error }, looked, onLook }: MovesProps) {
  if (error) return <p class="error">{error}</p>;
  if (!reply) return <p class="soft">thinking …</p>;
  return (
    <section class="card" aria-label="What our moves are worth">
      <p>
        {done ? "" : <em class="soft">At first sight: </em>}
        {reply.verdict}
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="table">
        <table class="sentences">
          <thead>
            <tr>
              <th scope="col">move</th>
              <th scope="col" title="expected after the replies that this opponent plays">
                E
              </th>
              <th scope="col" title="against best play">
                V
              </th>
              <th scope="col" title="what V falls short of the soundest move's">
                price
              </th>
              <th scope="col" title="probability of a reply that gives away 10 % or more">
                trap
              </th>
              <th scope="col" class="left below">
                what is likely to follow
              </th>
            </tr>
          </thead>
          <tbody>
            {reply.candidates.map((one) => (
              <CandidateRow one={one} selected={looked === one.uci} onLook={onLook} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="soft">
        In % of win probability, 50 is even. E: expected after the replies that such players choose. V: against best play. Price:
        what V falls short of the soundest move’s; grey moves cost more than 5. Trap: how probable a reply is that gives away 10 or
        more. Judge: {reply.judge}
        {done ? "." : ", thinking on …"}
      </p>
    </section>
  );
}

function CandidateRow({ one, selected, onLook }: { one: CandidateShown; selected: boolean; onLook: MovesProps["onLook"] }) {
  return (
    <tr class={one.affordable ? "" : "gamble"} aria-selected={selected}>
      <td>
        <button type="button" aria-pressed={selected} onClick={() => onLook(selected ? null : one.uci)}>
          {one.san}
        </button>
      </td>
      <td>{inPercent(one.expected)}</td>
      <td>{inPercent(one.safe)}</td>
      <td>{inPercent(one.price)}</td>
      <td>{inPercent(one.trap_probability, 0)}</td>
      <td class="words below">{one.sentence}</td>
    </tr>
  );
}

/** The move to try in blue, the soundest in green, the likeliest reply in red. */
export function arrowsOf(explained: Explained | null, looked: string | null): Arrow[] {
  if (!explained) return [];
  const [toTry] = explained.candidates;
  const chosen = explained.candidates.find((one) => one.uci === looked) ?? toTry;
  if (!chosen) return [];
  const arrows: Arrow[] = [{ uci: chosen.uci, brush: "blue" }];
  if (!looked && explained.soundest[0] && explained.soundest[0] !== chosen.uci)
    arrows.unshift({ uci: explained.soundest[0], brush: "green" });
  if (chosen.replies[0]) arrows.push({ uci: chosen.replies[0].uci, brush: "red" });
  return arrows;
}
