// Prepare against somebody: whose games, from a site or a PGN; then the lines in which they err.
import { useEffect, useState } from "preact/hooks";

import { command, useAnswer, useCommands, type Asked } from "../connection";
import type { OpponentShown, SiteShown, Sources } from "../messages";
import { counted } from "../words";
import { PreparedAgainst } from "./prepared";

type Colour = "white" | "black";

export function Prepare({ query }: { query: URLSearchParams }) {
  const { reply: sources, error } = useAnswer({ kind: "sources" });
  const wanted = query.get("opponent");
  if (error) return <p class="error">{error}</p>;
  if (!sources) return <p class="soft">looking whose games are here …</p>;
  const opponent = sources.opponents.find((one) => one.id === wanted);
  if (opponent) return <PreparedAgainst opponent={opponent} />;
  return <Whose sources={sources} gone={wanted !== null} />;
}

function goTo(opponent: OpponentShown) {
  location.hash = `#/prepare?opponent=${opponent.id}`;
}

function Whose({ sources, gone }: { sources: Sources; gone: boolean }) {
  const [colour, setColour] = useState<Colour>("white");
  const [level, setLevel] = useState("");
  const [from, setFrom] = useState(sources.sites[0]?.name ?? "pgn");
  const site = sources.sites.find((one) => one.name === from);
  const common = { colour, level: level ? Number(level) : null };
  return (
    <>
      <h1>Prepare against somebody</h1>
      {gone && <p role="alert">Their games are not here any more.</p>}
      <div class="card details">
        <label>
          I play
          <select value={colour} onChange={(event) => setColour(event.currentTarget.value as Colour)}>
            <option value="white">White</option>
            <option value="black">Black</option>
          </select>
        </label>
        <label>
          Games from
          <select value={from} onChange={(event) => setFrom(event.currentTarget.value as typeof from)}>
            {sources.sites.map((one) => (
              <option value={one.name}>{one.title}</option>
            ))}
            <option value="pgn">a PGN</option>
          </select>
        </label>
        <label>
          Their rating
          <input
            type="number"
            min={0}
            max={4000}
            value={level}
            placeholder="by the games"
            onInput={(event) => setLevel(event.currentTarget.value)}
          />
        </label>
        {from === "chesscom" && (
          <span class="soft">Ratings of chess.com are not lichess’s, by which models of players go: name theirs where you know it.</span>
        )}
      </div>
      {site ? <FromSite key={site.name} site={site} sources={sources} common={common} /> : <FromPgn largest={sources.largest} common={common} />}
      {sources.opponents.length > 0 && (
        <section class="card" aria-label="Prepared before">
          <h2>Prepared before</h2>
          <ul>
            {sources.opponents.map((one) => (
              <li>
                <a href={`#/prepare?opponent=${one.id}`}>{one.name}</a> <span class="soft">{counted(one.games, "game")}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <p class="soft">For study and training only: help during rated games against people is cheating on every platform.</p>
    </>
  );
}

interface Common {
  colour: Colour;
  level: number | null;
}

const NEWEST: Record<string, number | null> = { "the newest 200": 200, "the newest 1000": 1000, "the newest 5000": 5000, all: null };

function FromSite({ site, sources, common }: { site: SiteShown; sources: Sources; common: Common }) {
  const [player, setPlayer] = useState("");
  const [speeds, setSpeeds] = useState<Sources["speeds"]>([]);
  const [newest, setNewest] = useState("the newest 1000");
  const [asked, setAsked] = useState<Asked<"fetch_games"> | null>(null);
  const [attempt, setAttempt] = useState(0);
  const { reply, error, done } = useAnswer(asked, { attempt, again: false });
  const opponent = reply?.opponent;
  useEffect(() => {
    if (opponent) goTo(opponent);
  }, [opponent]);
  const fetching = asked !== null && !done;
  const theirs = common.colour === "white" ? "Black" : "White";
  const fetch = (event: Event) => {
    event.preventDefault();
    setAttempt(attempt + 1);
    setAsked({ kind: "fetch_games", site: site.name, player: player.trim(), speeds, newest: NEWEST[newest] ?? null, ...common });
  };
  const toggle = (speed: Sources["speeds"][number]) =>
    setSpeeds((now) => (now.includes(speed) ? now.filter((one) => one !== speed) : [...now, speed]));
  return (
    <form class="card" onSubmit={fetch}>
      <div class="row">
        <label>
          User of {site.title}
          <input value={player} required maxLength={30} autocomplete="off" spellcheck={false} onInput={(event) => setPlayer(event.currentTarget.value)} />
        </label>
        <label>
          Games
          <select value={newest} onChange={(event) => setNewest(event.currentTarget.value)}>
            {Object.keys(NEWEST).map((words) => (
              <option>{words}</option>
            ))}
          </select>
        </label>
      </div>
      <div class="row" role="group" aria-label="Speeds; all when none is chosen">
        {sources.speeds.map((speed) => (
          <label>
            <input type="checkbox" checked={speeds.includes(speed)} onChange={() => toggle(speed)} />
            {speed}
          </label>
        ))}
        <span class="soft">{speeds.length ? "" : "all speeds"}</span>
      </div>
      <p>
        This asks {site.url} for the public games of {player.trim() || "that user"} as {theirs}. The name and this choice are all that is
        sent. What comes is kept on this machine, and is not asked for again.
      </p>
      <div class="row">
        <button type="submit" class="main" disabled={fetching || !player.trim()}>
          Fetch the games from {site.title}
        </button>
        {fetching && (
          <>
            <button type="button" onClick={() => setAsked(null)}>
              Stop
            </button>
            <progress max={reply?.most ?? undefined} value={reply?.most ? reply.came : undefined} aria-label="Games that came" />
            <span role="status">{`${reply?.came ?? 0} new games${reply?.note ? `, ${reply.note}` : ""}`}</span>
          </>
        )}
        <span class="error" role="alert">
          {error}
        </span>
      </div>
    </form>
  );
}

function FromPgn({ largest, common }: { largest: number; common: Common }) {
  const [pgn, setPgn] = useState("");
  const [file, setFile] = useState("");
  const [player, setPlayer] = useState("");
  const [tooLarge, setTooLarge] = useState("");
  const { run, error, forget } = useCommands();
  const [busy, setBusy] = useState(false);
  const names = playersOf(pgn);
  const take = (text: string, name: string) => {
    setPgn(text);
    setFile(name);
    forget();
    setTooLarge(text.length > largest ? `more than ${largest / 1e6} MB; foible prep --games FILE takes games of any size` : "");
    if (!player) setPlayer(playersOf(text)[0] ?? "");
  };
  const give = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    await run(() => command({ kind: "give_games", pgn, player: player.trim(), ...common }), goTo);
    setBusy(false);
  };
  return (
    <form class="card" onSubmit={(event) => void give(event)}>
      <div class="row">
        <label>
          A PGN file
          <input type="file" accept=".pgn,.txt" onChange={(event) => void read(event.currentTarget.files?.[0], take)} />
        </label>
        <span class="soft">{file && `${names.length} players`}</span>
      </div>
      {!file && (
        <label class="tall">
          … or games to paste
          <textarea rows={6} value={pgn} spellcheck={false} onInput={(event) => take(event.currentTarget.value, "")} />
        </label>
      )}
      <div class="row">
        <label>
          Their name in it
          <input value={player} required maxLength={200} list="players" autocomplete="off" onInput={(event) => setPlayer(event.currentTarget.value)} />
        </label>
        <datalist id="players">
          {names.slice(0, 200).map((name) => (
            <option value={name} />
          ))}
        </datalist>
        <button type="submit" class="main" disabled={busy || !pgn.trim() || !player.trim() || pgn.length > largest}>
          Take these games
        </button>
        <span class="soft" role="status">
          {busy ? "reading the games …" : ""}
        </span>
        <span class="error" role="alert">
          {tooLarge || error}
        </span>
      </div>
      <p class="soft">They stay on this machine.</p>
    </form>
  );
}

/** The text of a file, which is UTF-8 or, as old ones are, Latin. */
async function read(file: File | undefined, take: (text: string, name: string) => void) {
  if (!file) return take("", "");
  const bytes = await file.arrayBuffer();
  try {
    take(new TextDecoder("utf-8", { fatal: true }).decode(bytes), file.name);
  } catch {
    take(new TextDecoder("windows-1252").decode(bytes), file.name);
  }
}

/** Names in a PGN, those of the most games first. */
function playersOf(pgn: string): string[] {
  const games = new Map<string, number>();
  for (const [, written] of pgn.matchAll(/^\[(?:White|Black)\s+"(.*)"\s*\]/gm)) {
    const name = written!.replace(/\\(["\\])/g, "$1"); // PGN's escapes
    games.set(name, (games.get(name) ?? 0) + 1);
  }
  return [...games.keys()].sort((a, b) => games.get(b)! - games.get(a)!);
}
