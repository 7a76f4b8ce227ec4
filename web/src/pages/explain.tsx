// Paste a game or a position: who would play what, and what each move is worth against players of a rating.
import { useEffect, useMemo, useState } from "preact/hooks";

import { play, positionAt, START } from "../chess";
import { command, useAnswer, useAnswers } from "../connection";
import { RATINGS, type BarsOf, type CandidateShown, type Explained, type Game, type Line } from "../messages";
import { Board, type Arrow } from "../parts/board";
import { Curve } from "../parts/curve";
import { MoveList } from "../parts/move-list";
import { useSettled } from "../steady";
import { percent, signedPercent } from "../words";

const EXAMPLE = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. Ng5 Bc5 5. Nxf7 Bxf2+ 6. Kf1 Qe7 7. Nxh8 d5 8. exd5 Nd4";

interface Shown {
  game: Game;
  ply: number;
}

const EMPTY: Game = { start: START, white: "", black: "", result: "*", moves: [], games: 1 };

export function Explain({ query }: { query: URLSearchParams }) {
  const [{ game, ply }, setShown] = useState<Shown>(() => shownBy(query));
  const [rating, setRating] = useState(Number(query.get("rating")) || 1500);
  const [below, setBelow] = useState<"white" | "black">(() => positionAt(fenAt(game, ply)).turn);
  const line = lineUpTo(game, ply);
  const asked = useSettled(JSON.stringify({ line, rating }));
  const settled = JSON.parse(asked) as { line: Line; rating: number };
  const fen = fenAt(game, ply);
  const position = positionAt(fen);
  const turn = position.turn;
  const over = position.isEnd();
  const explained = useAnswer(over ? null : { kind: "explain", ...settled });
  const [looked, setLooked] = useState<string | null>(null);
  useEffect(() => history.replaceState(null, "", `#/explain?${addressOf(game, ply, rating)}`), [game, ply, rating]);
  useEffect(() => setLooked(null), [fen]);

  const goTo = (next: number) => setShown({ game, ply: Math.max(0, Math.min(game.moves.length, next)) });
  const show = (game: Game) => {
    setShown({ game, ply: 0 });
    setBelow(positionAt(game.start).turn);
  };
  const move = (uci: string) => {
    if (game.moves[ply]?.uci === uci) return goTo(ply + 1);
    const moves = [...game.moves.slice(0, ply), play(fen, uci)];
    setShown({ game: { ...game, moves, result: "*" }, ply: ply + 1 });
  };
  return (
    <>
      <h1>Why this move, against this player?</h1>
      <div class="columns" onKeyDown={(event) => stepByKey(event, ply, goTo)}>
        <div>
          <Board
            fen={fen}
            orientation={below}
            lastMove={game.moves[ply - 1]?.uci}
            arrows={settled.line.moves?.length === ply ? arrowsOf(explained.reply, looked) : []}
            onMove={over ? undefined : move}
          />
          <div class="row">
            <button type="button" onClick={() => setBelow(below === "white" ? "black" : "white")}>
              Turn the board
            </button>
            <span class="soft">{turn === "white" ? "White" : "Black"} to move</span>
          </div>
          {game.white || game.black ? (
            <p>
              {`${game.white} – ${game.black} ${game.result}`}
              {game.games > 1 ? ` (the first of ${game.games} games)` : ""}
            </p>
          ) : null}
          <MoveList moves={game.moves} start={game.start} ply={ply} onPick={goTo} />
          <Turning game={game} ply={ply} onPick={goTo} />
          <Paste onGame={show} />
        </div>
        <div>
          <div class="card">
            <label class="row">
              The opponent is rated
              <input
                type="range"
                min={RATINGS.lowest}
                max={RATINGS.highest}
                step={RATINGS.step}
                value={rating}
                onInput={(event) => setRating(Number(event.currentTarget.value))}
              />
              <output>{rating}</output>
            </label>
            <p class="row">
              <a href={`#/play?${played(line, rating)}`}>Play on against a {rating}</a>
              <a href={`#/play?${played(line, rating)}&role=tag_team`}>… beside one</a>
            </p>
          </div>
          {over ? <p>The game is over here.</p> : <Moves explained={explained} looked={looked} onLook={setLooked} />}
          {!over && <PolicyBars line={settled.line} rating={rating} />}
          <p class="soft">For study and training only: help during rated games against people is cheating.</p>
        </div>
      </div>
    </>
  );
}

/** What a reload, a link and the way back lead to. */
function addressOf(game: Game, ply: number, rating: number): URLSearchParams {
  const moves = game.moves.map((move) => move.uci).join(" ");
  return new URLSearchParams({ start: game.start === START ? "" : game.start, moves, ply: String(ply), rating: String(rating) });
}

/** The line that an address has, or that another page links to: then at its end. */
function shownBy(query: URLSearchParams): Shown {
  const start = query.get("start") || START;
  const moves: Game["moves"] = [];
  try {
    positionAt(start);
    for (const uci of (query.get("moves") ?? "").split(" ").filter(Boolean)) moves.push(play(moves.at(-1)?.fen ?? start, uci));
  } catch {
    return { game: EMPTY, ply: 0 }; // an address that was cut off or made up
  }
  const ply = query.has("ply") ? Math.min(Number(query.get("ply")) || 0, moves.length) : moves.length;
  return { game: { ...EMPTY, start, moves }, ply };
}

function fenAt(game: Game, ply: number): string {
  return game.moves[ply - 1]?.fen ?? game.start;
}

function lineUpTo(game: Game, ply: number): Line {
  return { start: game.start, moves: game.moves.slice(0, ply).map((move) => move.uci) };
}

function played(line: Line, rating: number): URLSearchParams {
  return new URLSearchParams({ start: line.start ?? "", moves: (line.moves ?? []).join(" "), opponent: String(rating) });
}

function stepByKey(event: KeyboardEvent, ply: number, goTo: (ply: number) => void) {
  if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step) goTo(ply + step);
}

function arrowsOf(explained: Explained | null, looked: string | null): Arrow[] {
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

function Paste({ onGame }: { onGame: (game: Game) => void }) {
  const [text, setText] = useState("");
  const [error, setError] = useState("");
  const read = async (pasted: string) => {
    try {
      onGame(await command({ kind: "read_game", text: pasted }));
      setError("");
    } catch (failure) {
      setError((failure as Error).message);
    }
  };
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        void read(text);
      }}
    >
      <label for="pasted">A game (PGN or its moves) or a position (FEN)</label>
      <textarea
        id="pasted"
        rows={4}
        value={text}
        placeholder={EXAMPLE}
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
        onPaste={(event) => void read(event.clipboardData?.getData("text") ?? "")}
      />
      <div class="row">
        <button type="submit" class="main" disabled={!text.trim()}>
          Show
        </button>
        <button
          type="button"
          onClick={() => {
            setText(EXAMPLE);
            void read(EXAMPLE);
          }}
        >
          An example
        </button>
        <span class="error" role="alert">
          {error}
        </span>
      </div>
    </form>
  );
}

/** The win probability over the game, and the move that changed it most. */
function Turning({ game, ply, onPick }: { game: Game; ply: number; onPick: (ply: number) => void }) {
  const plies = game.moves.length;
  const { replies } = useAnswers(plies ? { kind: "judge", line: lineUpTo(game, plies) } : null);
  const white = replies.flatMap((reply) => reply.white);
  const data = useMemo<[number[], number[]]>(() => [white.map((_, index) => index), white], [white.length]);
  if (!plies) return null;
  const moment = worstMove(game, white);
  return (
    <section aria-label="The course of the game">
      <h2>White’s win probability, %</h2>
      <Curve
        data={data}
        labels={["White"]}
        range={[0, 1]}
        format={percent}
        onPick={onPick}
        describe={`Win probability of White after each move; now ${percent(white[ply] ?? 0.5)}`}
      />
      {moment && (
        <p class="row">
          The moment:
          <button type="button" onClick={() => onPick(moment.ply)}>
            {numbered(game, moment.ply)} ({signedPercent(-moment.lost)})
          </button>
        </p>
      )}
    </section>
  );
}

/** The ply before which most was at stake: the position in which the worst move was made. */
function worstMove(game: Game, white: number[]): { ply: number; lost: number } | null {
  const whiteBegins = positionAt(game.start).turn === "white";
  let worst: { ply: number; lost: number } | null = null;
  for (let ply = 0; ply + 1 < white.length; ply++) {
    const fall = white[ply]! - white[ply + 1]!;
    const lost = (ply % 2 === 0) === whiteBegins ? fall : -fall;
    if (lost > (worst?.lost ?? 0.05)) worst = { ply, lost };
  }
  return worst;
}

function numbered(game: Game, ply: number): string {
  const before = positionAt(fenAt(game, ply));
  return `${before.fullmoves}${before.turn === "white" ? "." : "…"} ${game.moves[ply]?.san ?? ""}`;
}

interface MovesProps {
  explained: { reply: Explained | null; done: boolean; error: string | null };
  looked: string | null;
  onLook: (uci: string | null) => void;
}

function Moves({ explained: { reply, done, error }, looked, onLook }: MovesProps) {
  if (error) return <p class="error">{error}</p>;
  if (!reply) return <p class="soft">thinking …</p>;
  return (
    <section class="card" aria-label="What our moves are worth">
      <p>
        {done ? "" : <em class="soft">At first sight: </em>}
        {reply.verdict}
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="table">
        <table>
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
              <th scope="col" class="left">
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
        what V falls short of the soundest move’s; grey moves cost more than 5. Judge: {reply.judge}
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
      <td>{percent(one.expected)}</td>
      <td>{percent(one.safe)}</td>
      <td>{percent(one.price)}</td>
      <td>{percent(one.trap)}</td>
      <td class="words">{one.sentence}</td>
    </tr>
  );
}

function PolicyBars({ line, rating }: { line: Line; rating: number }) {
  const { reply, error } = useAnswer({ kind: "bars", line });
  if (error) return <p class="error">{error}</p>;
  if (!reply) return null;
  return (
    <section class="card" aria-label="Who would play what">
      <h2>Who would play what</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="table">
        <table>
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
            {percent(share)}
          </span>
        </td>
      ))}
    </>
  );
}
