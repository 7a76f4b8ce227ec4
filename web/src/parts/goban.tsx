// A Go board that shows a position, and takes moves by mouse, touch and keyboard.
import { Goban as Shudan, type Marker } from "@sabaki/shudan";
import "@sabaki/shudan/css/goban.css";
import { useEffect, useRef, useState } from "preact/hooks";

import { capital, type Colour, pointOf, stonesInWords, vertexAt } from "../go";

interface Props {
  /** From the top: `X` Black, `O` White, `.` empty. */
  rows: string[];
  turn: Colour;
  lastMove?: string | undefined;
  /** Short words on points. */
  labels?: Map<string, string>;
  /** Takes a vertex or `pass`, which need not be legal. Absent: the board only shows. */
  onMove?: ((vertex: string) => void) | undefined;
  /** What was wrong with the last one. */
  wrong?: string;
}

const LARGEST_POINT = 64;
/** Points that coordinates and border take beside those of the board. */
const BESIDE = 2.4;

export function Goban({ rows, turn, lastMove, labels, onMove, wrong }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const sized = new ResizeObserver(() => setWidth(element.clientWidth));
    sized.observe(element);
    return () => sized.disconnect();
  }, []);
  const size = rows.length;
  const at = lastMove === undefined ? null : pointOf(lastMove, size);
  const marker = (x: number, y: number): Marker | null => {
    const label = labels?.get(vertexAt(x, y, size));
    if (label) return { type: "label", label };
    return at && at[0] === x && at[1] === y ? { type: "circle" } : null;
  };
  return (
    <div class="goban" ref={place}>
      {width > 0 && (
        <Shudan
          vertexSize={Math.min(LARGEST_POINT, Math.floor(width / (size + BESIDE)))}
          showCoordinates
          signMap={rows.map((row) => [...row].map((stone) => (stone === "X" ? 1 : stone === "O" ? -1 : 0)))}
          markerMap={rows.map((row, y) => [...row].map((_, x) => marker(x, y)))}
          onVertexClick={(_, [x, y]) => onMove?.(vertexAt(x, y, size))}
          innerProps={{ role: "img", "aria-label": `${stonesInWords(rows)} ${capital(turn)} to move.` }}
          class={onMove ? "open" : ""}
        />
      )}
      <TypedVertex wrong={wrong} onMove={onMove} />
    </div>
  );
}

/** Moves for those who do not use a mouse. */
function TypedVertex({ wrong, onMove }: Pick<Props, "wrong" | "onMove">) {
  const [text, setText] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    if (!onMove || !text.trim()) return;
    onMove(text.trim());
    setText("");
  };
  return (
    <form class="typed-move" onSubmit={submit}>
      <label>
        Move
        <input
          value={text}
          size={8}
          placeholder="D4, pass"
          autocomplete="off"
          spellcheck={false}
          aria-invalid={Boolean(wrong)}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <span role="alert">{wrong}</span>
    </form>
  );
}
