// A deck of puzzles from somebody's games: what they missed, and what their mistakes allowed.
import { useRef, useState } from "preact/hooks";

import { useAnswer, type Asked } from "../connection";
import type { DeckMade } from "../messages";
import { untilThen } from "../words";

/** Characters that the server takes: see `LARGEST_GAMES` in train.py. */
const MOST = 900_000;

export function DeckMaker({ onMade }: { onMade: () => void }) {
  const [asked, setAsked] = useState<Asked<"make_deck"> | null>(null);
  const [name, setName] = useState("");
  const [player, setPlayer] = useState("");
  const [pgn, setPgn] = useState("");
  const begin = (event: Event) => {
    event.preventDefault();
    setAsked({ kind: "make_deck", name: name.trim() || player.trim() || "my games", pgn: firstGames(pgn), player });
  };
  return (
    <form class="card" onSubmit={begin}>
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
        <button type="submit" class="main" disabled={!pgn.trim() || asked !== null}>
          Find puzzles
        </button>
        {asked && <Making key={JSON.stringify(asked)} asked={asked} onEnd={() => setAsked(null)} onMade={onMade} />}
      </div>
      <p class="soft">
        Puzzles stand beside mistakes: what you missed, and what your mistakes allowed, where finding it takes more than a
        look; a dozen games have some. They are looked for while this page is open: leaving it throws away what was found.
        Nothing leaves this machine.
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

interface MakingProps {
  asked: Asked<"make_deck">;
  onEnd: () => void;
  onMade: () => void;
}

function Making({ asked, onEnd, onMade }: MakingProps) {
  const { reply, done, error } = useAnswer(asked, { again: false });
  const since = useRef(performance.now());
  const ended = done || error !== null;
  const again = () => {
    onEnd();
    if (reply?.done) onMade();
  };
  return (
    <>
      {!ended && (
        <>
          <progress value={reply?.positions} max={reply?.total ?? 1} aria-label="positions looked at" />
          <button type="button" onClick={onEnd}>
            Stop
          </button>
        </>
      )}
      <span role="status">{reply ? words(reply, (performance.now() - since.current) / 1000) : ended ? "" : "reading the games …"}</span>
      {error && (
        <span class="error" role="alert">
          {error}
        </span>
      )}
      {reply?.done && reply.puzzles > 0 && <a href={`#/train?${new URLSearchParams({ deck: asked.name })}`}>Train with {asked.name}</a>}
      {ended && (
        <button type="button" onClick={again}>
          {error ? "Try again" : "Another deck"}
        </button>
      )}
    </>
  );
}

function words({ positions, total, games, games_given, left_out, puzzles, done }: DeckMade, seconds: number): string {
  const found = puzzles === 1 ? "1 puzzle" : `${puzzles} puzzles`;
  const left = positions ? `; done ${untilThen((seconds / positions) * (total - positions))}` : "";
  if (!done) return `${found} in ${positions} of ${total} positions${left}`;
  const some = games < games_given ? `the first ${games} of ${games_given} games` : games === 1 ? "1 game" : `${games} games`;
  const unread = left_out ? `; ${left_out} could not be replayed as chess` : "";
  return puzzles ? `${found} in ${some}${unread}.` : `No puzzle in ${some}${unread}: no deck was made.`;
}
