// Train with puzzles: choose a deck, or make one from one's own games.
import { useState } from "preact/hooks";

import { useAnswer } from "../connection";
import { DeckMaker } from "./deck-maker";
import { Drill } from "./drill";

export function Train({ query }: { query: URLSearchParams }) {
  const deck = query.get("deck");
  return deck ? <Drill deck={deck} theme={query.get("theme")} /> : <Decks />;
}

function Decks() {
  const [made, setMade] = useState(0);
  return (
    <>
      <h1>Train with puzzles from your own games</h1>
      <DeckList key={made} />
      <DeckMaker onMade={() => setMade((times) => times + 1)} />
    </>
  );
}

function DeckList() {
  const { reply, error } = useAnswer({ kind: "decks" });
  if (error) return <p class="error">{error}</p>;
  if (!reply) return <p class="soft">looking for decks …</p>;
  return (
    <section class="card" aria-label="Decks">
      <h2>Decks</h2>
      {reply.decks.length ? (
        <ul class="decks">
          {reply.decks.map((deck) => (
            <li>
              <a href={`#/train?${new URLSearchParams({ deck })}`}>{deck}</a>
            </li>
          ))}
        </ul>
      ) : (
        <p>There is no deck yet: make one from your games below.</p>
      )}
      <p class="soft">
        What <code>foible puzzles</code> writes below {reply.folder} is here, too, and any table in the columns of the lichess
        puzzles.
      </p>
    </section>
  );
}
