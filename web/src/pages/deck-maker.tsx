// A deck of puzzles from somebody's games: what they missed, and what their mistakes allowed.
import { useEffect, useState } from "preact/hooks";

import { command, useAnswer, useCommands, type Asked } from "../connection";
import type { DeckMade } from "../messages";
import { counted, untilThen } from "../words";

/** Characters that the server takes: see `LARGEST_GAMES` in deck_maker.py. */
const MOST = 900_000;

export function DeckMaker({ onMade }: { onMade: () => void }) {
  const [name, setName] = useState("");
  const [player, setPlayer] = useState("");
  const [pgn, setPgn] = useState("");
  const [beginning, setBeginning] = useState(false);
  const { run, error: refused } = useCommands();
  const [times, setTimes] = useState(0);
  const { reply, done, error } = useAnswer({ kind: "watch_making" }, { attempt: times });
  const ended = done || error !== null;
  useEffect(() => {
    if (reply?.done) onMade();
  }, [reply?.done]);
  const does = (question: Asked<"make_deck"> | Asked<"stop_making">) =>
    run(
      () => command(question),
      () => setTimes((times) => times + 1),
    );
  const begin = async (event: Event) => {
    event.preventDefault();
    setBeginning(true);
    await does({ kind: "make_deck", name: name.trim() || player.trim() || "my games", pgn: firstGames(pgn), player });
    setBeginning(false);
  };
  return (
    <form class="card" onSubmit={(event) => void begin(event)}>
      <h2>Make a deck from games</h2>
      <div class="details">
        <label>
          Your name in the games
          <input value={player} placeholder="everybody" maxLength={60} onInput={(event) => setPlayer(event.currentTarget.value)} />
        </label>
        <label>
          Name of the deck
          <input value={name} placeholder={player.trim() || "my games"} maxLength={60} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <label>
          A PGN file
          <input type="file" accept=".pgn,.txt" onChange={(event) => void read(event.currentTarget.files, setPgn)} />
        </label>
      </div>
      <p>
        <label for="games">… or paste the games</label>
        <textarea id="games" rows={5} value={pgn} spellcheck={false} onInput={(event) => setPgn(event.currentTarget.value)} />
      </p>
      {pgn.length > MOST && <p class="soft">That is more than {MOST / 1000} kB: the first games of it are taken.</p>}
      <div class="row">
        <button type="submit" class="main" disabled={!pgn.trim() || beginning || reply !== null || error !== null}>
          Find puzzles
        </button>
        {reply && !ended && <progress value={reply.positions} max={reply.total} aria-label="positions looked at" />}
        <span role="status">{beginning ? "reading the games …" : reply && !error ? words(reply) : ""}</span>
        <span class="error" role="alert">
          {refused || error}
        </span>
        {reply?.done && reply.puzzles > 0 && <a href={`#/train?${new URLSearchParams({ deck: reply.name })}`}>Train with {reply.name}</a>}
        {(reply || error) && (
          <button type="button" onClick={() => void does({ kind: "stop_making" })}>
            {error ? "Try again" : ended ? "Another deck" : "Stop"}
          </button>
        )}
      </div>
      <p class="soft">
        Puzzles stand beside mistakes: what you missed, and what your mistakes allowed, where finding it takes more than a
        look; a dozen games have some. The search goes on while this page is closed, until it is done or stopped. Nothing leaves
        this machine.
      </p>
    </form>
  );
}

async function read(files: FileList | null, take: (text: string) => void): Promise<void> {
  const file = files?.[0];
  if (file) take(await file.slice(0, 4 * MOST).text());
}

/** As many whole games as the server takes. */
function firstGames(pgn: string): string {
  if (pgn.length <= MOST) return pgn;
  const end = pgn.lastIndexOf("\n[Event ", MOST);
  return pgn.slice(0, end > 0 ? end : MOST);
}

function words({ name, positions, total, games, games_given, left_out, puzzles, done, seconds }: DeckMade): string {
  const found = counted(puzzles, "puzzle");
  const left = positions ? `; done ${untilThen((seconds / positions) * (total - positions))}` : "";
  if (!done) return `${name}: ${found} in ${positions} of ${total} positions${left}`;
  const some = games < games_given ? `the first ${games} of ${games_given} games` : counted(games, "game");
  const unread = left_out ? `; ${left_out} could not be replayed as chess` : "";
  return puzzles ? `${found} in ${some}${unread}.` : `No puzzle in ${some}${unread}: no deck was made.`;
}
