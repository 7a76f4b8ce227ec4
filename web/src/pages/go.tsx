// Play Go against a net that knows by how much it wins.
import { useEffect, useState } from "preact/hooks";

import { command, useAnswer } from "../connection";
import { download } from "../download";
import { capital, type GoGame, isOver, lineOf, movesBack, scoreInWords, type Thinking, turnOf, useKept } from "../go";
import type { GoMovePlayed } from "../messages";
import { Goban } from "../parts/goban";
import { KomiCurve } from "../parts/komi-curve";
import { labelsOf, type Preferred, Preferences, usePreferences } from "../parts/lambda-preferences";
import { NewGoGame } from "../parts/new-go-game";
import { useLast, useSettled } from "../steady";
import { percent, signed } from "../words";

const VISITS = [1, 50, 200, 800, 3200];

export function Go() {
  const [{ game, thinking }, keep] = useKept();
  return (
    <>
      <h1>Go with a margin</h1>
      {game && (
        <Position
          key={game.net}
          game={game}
          thinking={thinking}
          onGame={(next) => keep((now) => (now.game === game ? { ...now, game: next } : now))}
          onThinking={(thinking) => keep((now) => ({ ...now, thinking }))}
        />
      )}
      <NewGoGame begun={game !== null} onBegin={(game) => keep((now) => ({ ...now, game }))} />
    </>
  );
}

interface GameProps {
  game: GoGame;
  thinking: Thinking;
  /** What has become of this game; too late where another one is played by then. */
  onGame: (next: GoGame) => void;
  onThinking: (thinking: Thinking) => void;
}

function Position({ game, thinking: moving, onGame, onThinking }: GameProps) {
  const thinking = useSettled(moving);
  const over = isOver(game);
  const engineMoves = !over && game.person !== "both" && turnOf(game) !== game.person;
  const [hints, setHints] = useState(true);
  const [wrong, setWrong] = useState("");
  const [checking, setChecking] = useState(false); // the server looks whether the person's move is legal
  const waiting = engineMoves || checking;
  const { reply, error } = useAnswer({ kind: "go_board", line: lineOf(game) });
  const board = useLast(reply);
  const engine = useEngine(game, thinking, engineMoves, onGame);
  const preferred = usePreferences(hints && !over && !engineMoves ? game : null, thinking);

  useEffect(() => setWrong(""), [game]);
  const move = async (vertex: string) => {
    setChecking(true);
    try {
      const { moves } = await command({ kind: "go_board", line: { ...lineOf(game), moves: [...game.moves, vertex] } });
      onGame({ ...game, moves, remarks: [...game.remarks, ""] });
    } catch (failure) {
      setWrong((failure as Error).message);
    } finally {
      setChecking(false);
    }
  };
  const back = () => {
    const moves = game.moves.slice(0, -movesBack(game));
    onGame(game.resigned ? { ...game, resigned: null } : { ...game, moves, remarks: game.remarks.slice(0, moves.length) });
  };
  return (
    <div class="columns">
      <div>
        <Goban
          rows={board?.rows ?? Array<string>(game.size).fill(".".repeat(game.size))}
          turn={turnOf(game)}
          lastMove={game.moves.at(-1)}
          labels={labelsOf(preferred)}
          onMove={over || waiting ? undefined : (vertex) => void move(vertex)}
          wrong={wrong || error || engine.error || ""}
        />
        <p role="status">{status(game, engine.played, board?.score)}</p>
        <div class="row">
          <button type="button" disabled={over || waiting} onClick={() => void move("pass")}>
            Pass
          </button>
          <button
            type="button"
            disabled={over || checking}
            onClick={() => onGame({ ...game, resigned: game.person === "both" ? turnOf(game) : game.person })}
          >
            Resign
          </button>
          <button type="button" disabled={checking || (!game.resigned && !movesBack(game))} onClick={back}>
            Take back
          </button>
          <button type="button" onClick={() => void save(game, thinking).catch((failure: Error) => setWrong(failure.message))}>
            Download SGF
          </button>
        </div>
        <p class="soft">
          Komi {game.komi}, {game.rules === "chinese" ? "Chinese rules" : "Tromp–Taylor rules"}. Area is counted as the board stands
          when both have passed: capture what is dead before that.
        </p>
      </div>
      <div>
        <Settings game={game} thinking={moving} onThinking={onThinking} />
        {!over && <KomiCurve game={game} thinking={thinking} />}
        {!over && <Hints game={game} hints={hints} onHints={setHints} preferred={preferred} waiting={engineMoves} />}
      </div>
    </div>
  );
}

/** Lets the engine make its moves. */
function useEngine(game: GoGame, { visits, lambda, mu }: Thinking, moves: boolean, onGame: (game: GoGame) => void) {
  const [played, setPlayed] = useState<GoMovePlayed | null>(null);
  const aim = game.margins ? { net: game.net, lambda, mu } : { net: game.net };
  const { reply: opened, error: noTree } = useAnswer({ kind: "go_tree" });
  const tree = opened?.tree;
  const { reply, error } = useAnswer(moves && tree ? { kind: "go_move", line: lineOf(game), aim, visits, tree } : null);
  useEffect(() => {
    if (!moves || !reply || reply.ply !== game.moves.length) return;
    setPlayed(reply);
    onGame({ ...game, moves: [...game.moves, reply.move], remarks: [...game.remarks, reply.remark] });
  }, [reply]);
  return { played: played && game.moves[played.ply] === played.move ? played : null, error: error ?? noTree };
}

function status(game: GoGame, played: GoMovePlayed | null, score: string | undefined): string {
  if (game.resigned) return `${capital(game.resigned)} resigned: ${game.resigned === "black" ? "White" : "Black"} wins.`;
  if (isOver(game)) return score === undefined ? "Both have passed." : `Both have passed. ${scoreInWords(score)}.`;
  if (game.person !== "both" && turnOf(game) !== game.person) return `${game.net} is thinking …`;
  const turn = `${capital(turnOf(game))} to move.`;
  if (!played || played.ply !== game.moves.length - 1) return turn;
  const colour = played.ply % 2 ? "White" : "Black";
  const margin = played.margin === null ? "" : `, and ${signed(played.margin)} points on average`;
  const judged = played.winrate === null ? "" : `: it expects ${percent(played.winrate)}${margin}`;
  return `${turn} ${colour} ${played.move === "pass" ? "passed" : `played ${played.move}`}${judged}.`;
}

async function save(game: GoGame, { lambda, mu, visits }: Thinking) {
  const weights = game.margins ? `, lambda ${lambda}${mu ? `, mu ${mu}` : ""}` : "";
  const engine = `${game.net}, ${visits} visits${weights}`;
  const name = (colour: "black" | "white") => (game.person === "both" || game.person === colour ? "a person" : engine);
  const { sgf } = await command({
    kind: "go_record",
    line: lineOf(game),
    black: name("black"),
    white: name("white"),
    resigned: game.resigned,
    remarks: game.remarks,
  });
  download(sgf, "game.sgf", "application/x-go-sgf");
}

function Settings({ game, thinking, onThinking }: Pick<GameProps, "game" | "thinking" | "onThinking">) {
  return (
    <section class="card" aria-label="How the engine thinks">
      <label class="row">
        {game.net} thinks for
        <select value={thinking.visits} onChange={(event) => onThinking({ ...thinking, visits: Number(event.currentTarget.value) })}>
          {VISITS.map((visits) => (
            <option value={visits}>{visits === 1 ? "1 visit: its first thought" : `${visits} visits`}</option>
          ))}
        </select>
      </label>
      {game.margins ? (
        <>
          <Weight name="lambda" value={thinking.lambda} onWeight={(lambda) => onThinking({ ...thinking, lambda })} />
          <Weight name="mu" value={thinking.mu} onWeight={(mu) => onThinking({ ...thinking, mu })} />
          <p class="soft">
            Lambda 0 maximises the winrate. With more, a side that is ahead plays for points as well, and one that is behind takes no
            desperate chances: values are averaged over bonus points from that of mu to that of lambda.
          </p>
        </>
      ) : (
        <p class="soft">This net judges wins alone, at the komi that it was trained for: there are no margins to weigh.</p>
      )}
    </section>
  );
}

function Weight({ name, value, onWeight }: { name: string; value: number; onWeight: (value: number) => void }) {
  return (
    <div class="row">
      <label for={name}>{name}</label>
      <input
        id={name}
        type="range"
        min={0}
        max={1}
        step={0.05}
        value={value}
        onInput={(event) => onWeight(Number(event.currentTarget.value))}
      />
      <output for={name}>{value.toFixed(2)}</output>
    </div>
  );
}

interface HintsProps {
  game: GoGame;
  hints: boolean;
  onHints: (hints: boolean) => void;
  preferred: Preferred;
  waiting: boolean;
}

function Hints({ game, hints, onHints, preferred, waiting }: HintsProps) {
  return (
    <section class="card" aria-label="What lambda changes">
      <h2>{game.margins ? "What lambda changes here" : "What the engine would play here"}</h2>
      <label class="row">
        <input type="checkbox" checked={hints} onChange={(event) => onHints(event.currentTarget.checked)} />
        Show what {game.net} would play, on the board as well
      </label>
      {hints && (waiting ? <p class="soft">At your next turn.</p> : <Preferences preferred={preferred} margins={game.margins} />)}
    </section>
  );
}
