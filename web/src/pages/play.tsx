// Play against, or beside, players who err: choose who, and play.
import { useEffect, useState } from "preact/hooks";

import { command, useAnswer, useCommands } from "../connection";
import { RATINGS, type GameBegun, type PlayerShown, type Players, type Setup } from "../messages";
import { GamePage } from "./game";

export function Play({ query }: { query: URLSearchParams }) {
  const game = query.get("game");
  return game ? <GamePage id={game} /> : <Lobby query={query} />;
}

interface Story {
  title: string;
  about: string;
  setup: Partial<Setup>;
}

const STORIES: Story[] = [
  {
    title: "Against a club player",
    about: "somebody who makes the mistakes that people of a rating make",
    setup: { opponent: "Club player", part: "alone", helper: "", odds: "" },
  },
  {
    title: "Beside a partner",
    about: "a coin decides before every move whether you make it or your partner, who is strong and allows for your mistakes",
    setup: { opponent: "Master", part: "junior", helper: "Teammate", odds: "" },
  },
  {
    title: "As the hand of a brain",
    about: "hand and brain: a strong partner names a piece, you move it",
    setup: { opponent: "Master", part: "hand", helper: "Guide", odds: "" },
  },
  {
    title: "As the brain of a hand",
    about: "hand and brain: you name a piece, a club player moves it",
    setup: { opponent: "Club player", part: "brain", helper: "Club player", odds: "" },
  },
  {
    title: "A queen up",
    about: "against somebody who starts without the queen, and looks for moves that you will not answer well",
    setup: { opponent: "Odds-giver", part: "alone", helper: "", odds: "queen" },
  },
  {
    title: "Against a trapper",
    about: "who knows what players of your rating fall for",
    setup: { opponent: "Trapper", part: "alone", helper: "", odds: "" },
  },
];

const HELPERS = { junior: "partner", hand: "brain", brain: "hand" } as const;
const PARTS = {
  alone: "play alone",
  junior: "take turns with a partner, by a coin",
  hand: "are the hand: you move the piece that is named",
  brain: "are the brain: you name the piece to move",
} as const;
type PartOf = keyof typeof PARTS;
const CLOCKS: Record<string, Setup["clock"]> = {
  "no clock": null,
  "3 min + 2 s": { seconds: 180, increment: 2 },
  "5 min + 3 s": { seconds: 300, increment: 3 },
  "15 min + 10 s": { seconds: 900, increment: 10 },
};

function Lobby({ query }: { query: URLSearchParams }) {
  const { reply: players, error: nobody } = useAnswer({ kind: "cast" });
  const [setup, setSetup] = useState<Setup>(() => setupOf(query));
  const { run, error } = useCommands();
  const change = (some: Partial<Setup>) => setSetup((now) => ({ ...now, ...some }));
  return (
    <>
      <h1>Play with, and against, players who err</h1>
      <div class="stories" role="group" aria-label="What to play">
        {STORIES.map((story) => (
          <button type="button" class="card story" aria-pressed={fits(setup, story)} onClick={() => change(story.setup)}>
            <strong>{story.title}</strong>
            <span>{story.about}</span>
          </button>
        ))}
      </div>
      {players && <Details setup={setup} players={players} change={change} />}
      <div class="row">
        <button type="button" class="main" disabled={!players} onClick={() => void run(() => command({ kind: "new_game", setup }), goToGame)}>
          Play
        </button>
        <span class="error" role="alert">
          {error || nobody}
        </span>
      </div>
    </>
  );
}

export function goToGame({ id }: GameBegun): void {
  location.hash = `#/play?game=${id}`;
}

function setupOf(query: URLSearchParams): Setup {
  const rating = Number(query.get("opponent")) || 1500;
  const beside = query.get("role") === "tag_team";
  const moves = (query.get("moves") ?? "").split(" ").filter(Boolean);
  const start = query.get("start");
  const base: Setup = {
    opponent: beside ? "Master" : "Club player",
    opponent_rating: rating,
    own_rating: rating,
    colour: sideToMove(start, moves.length),
    part: beside ? "junior" : "alone",
    helper: beside ? "Teammate" : "",
    odds: "",
    clock: null,
    human_times: false,
    to_the_end: false,
    line: start || moves.length ? { start, moves } : {},
  };
  return base;
}

/** Whoever comes with a position wants to play the side that is to move in it. */
function sideToMove(start: string | null, plies: number): "white" | "black" {
  const whiteBegins = start?.split(" ")[1] !== "b";
  return (plies % 2 === 0) === whiteBegins ? "white" : "black";
}

function fits(setup: Setup, { setup: wanted }: Story): boolean {
  return Object.entries(wanted).every(([key, value]) => setup[key as keyof Setup] === value);
}

function Details({ setup, players, change }: { setup: Setup; players: Players; change: (some: Partial<Setup>) => void }) {
  const part: PartOf = setup.part ?? "alone";
  const role = part === "alone" ? null : HELPERS[part];
  const helpers = role ? players.players.filter((one) => one.roles.includes(role)) : [];
  const opponents = players.players.filter((one) => one.roles.includes("opponent"));
  const opponent = opponents.find((one) => one.name === setup.opponent);
  const helper = helpers.find((one) => one.name === setup.helper);
  useEffect(() => {
    if (opponent && !opponent.human && setup.human_times) change({ human_times: false });
  }, [opponent]);
  useEffect(() => {
    if (role && !helper) change({ helper: helpers.find((one) => !one.missing)?.name ?? "" });
  }, [role, helper]);
  return (
    <div class="card details">
      <label>
        Against
        <Somebody among={opponents} value={setup.opponent} set={(name) => change({ opponent: name })} />
      </label>
      {opponent?.rated && (
        <Rating label="Rating" value={setup.opponent_rating} set={(opponent_rating) => change({ opponent_rating })} />
      )}
      <label>
        <input
          type="checkbox"
          disabled={!opponent?.human}
          checked={setup.human_times}
          onChange={(event) => change({ human_times: event.currentTarget.checked })}
        />
        takes a person's time
      </label>
      <label>
        <input
          type="checkbox"
          checked={setup.to_the_end}
          onChange={(event) => change({ to_the_end: event.currentTarget.checked })}
        />
        plays to the end
      </label>
      <span class="about">{opponent?.about}</span>
      <label>
        You
        <select value={part} onChange={(event) => change({ part: event.currentTarget.value as PartOf, helper: "" })}>
          {Object.entries(PARTS).map(([value, words]) => (
            <option value={value}>{words}</option>
          ))}
        </select>
      </label>
      {role && (
        <>
          <label>
            Your {role}
            <Somebody among={helpers} value={setup.helper} set={(name) => change({ helper: name })} />
          </label>
          {helper?.rated && (
            <Rating
              label={role === "hand" ? "Its rating" : "Your rating"}
              value={setup.own_rating}
              set={(own_rating) => change({ own_rating })}
            />
          )}
          <span class="about">{helper?.about}</span>
        </>
      )}
      <label>
        Colour
        <select value={setup.colour} onChange={(event) => change({ colour: event.currentTarget.value as "white" | "black" })}>
          <option value="white">White</option>
          <option value="black">Black</option>
        </select>
      </label>
      <label>
        Odds
        <select value={setup.odds} onChange={(event) => change({ odds: event.currentTarget.value })}>
          <option value="">none</option>
          {players.odds.map((name) => (
            <option value={name}>{name.replaceAll("-", " ")}</option>
          ))}
        </select>
      </label>
      <label>
        Clock
        <select onChange={(event) => change({ clock: CLOCKS[event.currentTarget.value] ?? null })}>
          {Object.keys(CLOCKS).map((name) => (
            <option>{name}</option>
          ))}
        </select>
      </label>
      <Beginning line={setup.line ?? {}} change={change} />
    </div>
  );
}

/** Where the game begins: a position that was pasted, or the end of the line that one came with. */
function Beginning({ line, change }: { line: NonNullable<Setup["line"]>; change: (some: Partial<Setup>) => void }) {
  const plies = line.moves?.length ?? 0;
  return (
    <label class="beginning">
      From
      <input
        type="text"
        placeholder="the start position; or paste a FEN"
        value={line.start ?? ""}
        onInput={({ currentTarget: { value } }) => {
          const given = value.trim() !== "";
          change({ line: given ? { start: value } : {}, colour: sideToMove(value.trim(), 0) });
        }}
      />
      {plies > 0 && (
        <>
          <span class="soft">after {plies === 1 ? "a move" : `${plies} moves`} </span>
          <button type="button" onClick={() => change({ line: {} })}>
            From the start instead
          </button>
        </>
      )}
    </label>
  );
}

interface SomebodyProps {
  among: PlayerShown[];
  value: string | undefined;
  set: (name: string) => void;
}

/** One of the cast, by where they are from; who needs something that is not on this machine can only be read of. */
function Somebody({ among, value, set }: SomebodyProps) {
  const groups = [...new Set(among.map((one) => one.group))];
  return (
    <select value={value} onChange={(event) => set(event.currentTarget.value)}>
      {groups.map((group) => (
        <optgroup label={group}>
          {among
            .filter((one) => one.group === group)
            .map((one) => (
              <option value={one.name} disabled={one.missing !== ""}>
                {one.missing ? `${one.name}: needs ${one.missing}` : one.name}
              </option>
            ))}
        </optgroup>
      ))}
    </select>
  );
}

interface RatingProps {
  label: string;
  value: number | undefined;
  set: (rating: number) => void;
}

function Rating({ label, value, set }: RatingProps) {
  return (
    <label>
      {label}
      <input
        type="range"
        min={RATINGS.lowest}
        max={RATINGS.highest}
        step={RATINGS.step}
        value={value}
        onInput={(event) => set(Number(event.currentTarget.value))}
      />
      <output>{value}</output>
      <span class="soft">
        of {RATINGS.lowest} to {RATINGS.highest}
      </span>
    </label>
  );
}
