// A chess board that shows a position, and takes moves by mouse, touch and keyboard.
import { Chessground } from "@lichess-org/chessground";
import type { Api } from "@lichess-org/chessground/api";
import type { DrawShape } from "@lichess-org/chessground/draw";
import type { Color, Key } from "@lichess-org/chessground/types";
import { chessgroundDests } from "chessops/compat";
import { parseUci } from "chessops/util";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { asUci, isPromotion, positionAt, readMove, spoken } from "../chess";

export interface Arrow {
  uci: string;
  brush: "green" | "blue" | "red" | "yellow";
}

interface Props {
  fen: string;
  orientation: Color;
  lastMove?: string | undefined;
  arrows?: Arrow[];
  /** Takes a legal move in UCI. Absent: the board only shows. */
  onMove?: ((uci: string) => void) | undefined;
  /** Only moves from squares with these roles, as a hand whose brain named a piece. */
  only?: ((from: string) => boolean) | undefined;
  /** Moves are typed here, though not now: the field stays, and with it the keyboard's focus. */
  typing?: boolean;
}

const PROMOTIONS = { q: "queen", r: "rook", b: "bishop", n: "knight" };

export function Board({ fen, orientation, lastMove, arrows = [], onMove, only, typing = false }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const ground = useRef<Api | null>(null);
  const [promoting, setPromoting] = useState<string | null>(null);
  const position = positionAt(fen);

  // Layout effects: a board that is seen takes moves, of the position that it shows.
  useLayoutEffect(() => {
    if (!element.current) return;
    ground.current = Chessground(element.current, { animation: { duration: 150 } });
    return () => ground.current?.destroy();
  }, []);

  useLayoutEffect(() => {
    const dests = onMove ? chessgroundDests(position) : new Map<Key, Key[]>();
    if (only) for (const from of [...dests.keys()]) if (!only(from)) dests.delete(from);
    ground.current?.set({
      fen,
      orientation,
      turnColor: position.turn,
      check: position.isCheck() ? position.turn : false,
      lastMove: lastMove ? [lastMove.slice(0, 2) as Key, lastMove.slice(2, 4) as Key] : [],
      viewOnly: !onMove,
      movable: {
        free: false,
        color: onMove ? position.turn : undefined,
        dests,
        events: {
          after: (from, to) => {
            if (isPromotion(position, from, to)) setPromoting(from + to);
            else onMove?.(asUci(position, parseUci(from + to)!));
          },
        },
      },
      drawable: { autoShapes: arrows.map(shape) },
    } as Parameters<Api["set"]>[0]);
  });

  useLayoutEffect(() => setPromoting(null), [fen]);

  const promote = (piece: string) => {
    if (promoting) onMove?.(promoting + piece);
    setPromoting(null);
  };
  return (
    <div class="board">
      {/* Where the board stands is measured anew before it is touched: what is above it may have grown or vanished. */}
      <div
        class="squares"
        ref={element}
        role="img"
        aria-label={spoken(position)}
        onPointerDownCapture={() => ground.current?.state.dom.bounds.clear()}
      />
      {promoting && (
        <div
          class="promotion"
          role="dialog"
          aria-label="Promote to"
          onKeyDown={(event) => event.key === "Escape" && setPromoting(null)}
        >
          {Object.entries(PROMOTIONS).map(([piece, name]) => (
            <button type="button" autofocus={piece === "q"} onClick={() => promote(piece)}>
              {name}
            </button>
          ))}
          <button type="button" onClick={() => setPromoting(null)}>
            no
          </button>
        </div>
      )}
      {(onMove || typing) && <TypedMove fen={fen} only={only} onMove={onMove} />}
    </div>
  );
}

function shape({ uci, brush }: Arrow): DrawShape {
  return { orig: uci.slice(0, 2) as Key, dest: uci.slice(2, 4) as Key, brush };
}

/** Moves for those who do not use a mouse. */
function TypedMove({ fen, only, onMove }: Pick<Props, "fen" | "only" | "onMove">) {
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState("");
  useEffect(() => setWrong(""), [fen]);
  const submit = (event: Event) => {
    event.preventDefault();
    if (!text.trim()) return;
    const move = readMove(positionAt(fen), text);
    if (!onMove) return setWrong("it is not your turn");
    if (move === null) return setWrong(`${text} is not a move here`);
    if (only && !only(move.slice(0, 2))) return setWrong(`${text} moves another piece than the one that was named`);
    setText("");
    setWrong("");
    onMove(move);
  };
  return (
    <form class="typed-move" onSubmit={submit}>
      <label>
        Move
        <input
          value={text}
          placeholder="Nf3"
          autocomplete="off"
          spellcheck={false}
          aria-invalid={wrong !== ""}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <span role="alert">{wrong}</span>
    </form>
  );
}
