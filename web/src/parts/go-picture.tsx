// A Go board as it stands, to be looked at.
import { Goban } from "@sabaki/shudan";
import "@sabaki/shudan/css/goban.css";

import { pointOf, stonesInWords } from "../go";

interface Props {
  /** From the top: `X` Black, `O` White, `.` empty. */
  rows: string[];
  /** A vertex or `pass`; empty where there is none. */
  lastMove: string;
  /** In pixels, at most. */
  width?: number;
}

export function GoPicture({ rows, lastMove, width = 200 }: Props) {
  const size = rows.length;
  const at = lastMove ? pointOf(lastMove, size) : null;
  return (
    <Goban
      vertexSize={Math.floor(width / (size + 1))}
      signMap={rows.map((row) => [...row].map((stone) => (stone === "X" ? 1 : stone === "O" ? -1 : 0)))}
      markerMap={rows.map((row, y) => [...row].map((_, x) => (at && at[0] === x && at[1] === y ? { type: "circle" } : null)))}
      innerProps={{ role: "img", "aria-label": stonesInWords(rows) }}
    />
  );
}
