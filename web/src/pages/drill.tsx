// One deck: what is due, the puzzle to solve, and how the deck stands.
import { useEffect, useState } from "preact/hooks";

import { useAnswer } from "../connection";
import type { DeckShown, PuzzleShown } from "../messages";
import { inWords, untilThen } from "../words";
import { Solving } from "./solving";

const LONGEST_WAIT_SECONDS = 86_400;

interface Asking {
  deck: string;
  /** Of the puzzles that are asked for; `null`: any. */
  theme: string | null;
}

export function Drill({ deck, theme }: Asking) {
  const [times, setTimes] = useState(0);
  return <Session key={times} deck={deck} theme={theme} onMore={() => setTimes(times + 1)} />;
}

interface Turn {
  number: number;
  puzzle: PuzzleShown | null;
  byKey: boolean;
}

function Session({ deck, theme, onMore }: Asking & { onMore: () => void }) {
  const { reply, error } = useAnswer({ kind: "deck", deck, theme });
  const [answered, setAnswered] = useState<DeckShown | null>(null);
  const [next, setNext] = useState<Turn | null>(null);
  const [said, setSaid] = useState("");
  const shown = answered ?? reply;
  const turn = next ?? { number: 0, puzzle: reply?.puzzle ?? null, byKey: false };
  if (error)
    return (
      <p class="error" role="alert">
        {error} <a href="#/train">All decks</a>
      </p>
    );
  if (!shown) return <p class="soft">opening the deck …</p>;
  return (
    <>
      <h1>Train: {deck}</h1>
      {shown.themes.length > 0 && <Themes shown={shown} deck={deck} theme={theme} />}
      <p role="status">{turn.puzzle ? said : <Rest shown={shown} theme={theme} onMore={onMore} />}</p>
      {turn.puzzle && (
        <Solving
          key={`${turn.number} ${turn.puzzle.id}`}
          deck={deck}
          theme={theme}
          puzzle={turn.puzzle}
          byKey={turn.byKey}
          onSay={setSaid}
          onAnswered={setAnswered}
          onNext={(byKey) => setNext({ number: turn.number + 1, puzzle: shown.puzzle, byKey })}
        >
          <Standing shown={shown} />
        </Solving>
      )}
      {!turn.puzzle && <Standing shown={shown} />}
      <p>
        <a href="#/train">All decks</a>
      </p>
    </>
  );
}

/** What is asked for: anything, which does not give away what is to be found, or puzzles of one theme. */
function Themes({ shown, deck, theme }: Asking & { shown: DeckShown }) {
  const go = (chosen: string) => {
    location.hash = `#/train?${new URLSearchParams(chosen ? { deck, theme: chosen } : { deck })}`;
  };
  return (
    <p class="row">
      <label for="theme">Theme</label>
      <select id="theme" value={theme ?? ""} onChange={(event) => go(event.currentTarget.value)}>
        <option value="">any: {shown.puzzles} puzzles, {shown.due} due</option>
        {shown.themes.map((one) => (
          <option value={one.theme}>
            {inWords(one.theme)}: {one.puzzles}, {one.due} due, {one.new} new
          </option>
        ))}
      </select>
    </p>
  );
}

/** Nothing to solve: until when? The deck is opened anew then. */
function Rest({ shown: { seconds, puzzles }, theme, onMore }: { shown: DeckShown; theme: string | null; onMore: () => void }) {
  useEffect(() => {
    if (seconds === null || seconds > LONGEST_WAIT_SECONDS) return;
    const timer = setTimeout(onMore, 1000 * seconds + 500);
    return () => clearTimeout(timer);
  }, [seconds]);
  if (!puzzles) return <>There is no puzzle in this deck.</>;
  return <>That is all for now{theme && ` of the theme ${inWords(theme)}`}.{seconds === null ? "" : ` The next puzzle comes ${untilThen(seconds)}.`}</>;
}

function Standing({ shown }: { shown: DeckShown }) {
  const { puzzles, due, new: unseen, learned, answers, solved, new_today, new_a_day, themes } = shown;
  const newLeft = Math.min(unseen, Math.max(0, new_a_day - new_today));
  return (
    <section class="card" aria-label="How the deck stands">
      <p class="row">
        <progress value={answers} max={Math.max(1, answers + due + newLeft)} aria-label="Progress of today" />
        <span>
          Today: {answers} answered, {solved} right at once; left: {due} due, {newLeft} new.
        </span>
      </p>
      <p>
        Of {puzzles} puzzles {learned} are learned, {unseen} are new.
      </p>
      {themes.length > 0 && (
        <details>
          <summary>By theme</summary>
          <div class="scroll" role="region" aria-label="How the themes stand" tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th scope="col">theme</th>
                  <th scope="col">puzzles</th>
                  <th scope="col">due</th>
                  <th scope="col">new</th>
                  <th scope="col">learned</th>
                </tr>
              </thead>
              <tbody>
                {themes.map((one) => (
                  <tr>
                    <th scope="row">{inWords(one.theme)}</th>
                    <td>{one.puzzles}</td>
                    <td>{one.due}</td>
                    <td>{one.new}</td>
                    <td>{one.learned}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      )}
    </section>
  );
}
