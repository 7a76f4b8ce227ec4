// A Go board as it stands, to be looked at.
import { Goban } from "@sabaki/shudan";
import "@sabaki/shudan/css/goban.css";

interface Props {
  /** From the top: `X` Black, `O` White, `.` empty. */
  rows: string[];
  /** A vertex or `pass`. */
  lastMove: string;
  /** In pixels, at most. */
  width?: number;
}

const COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ";

export function GoPicture({ rows, lastMove, width = 200 }: Props) {
  const size = rows.length;
  const last = /^([A-Z])(\d+)$/i.exec(lastMove);
  const at = last && [COLUMNS.indexOf(last[1]!.toUpperCase()), size - Number(last[2])];
  return (
    <Goban
      vertexSize={Math.floor(width / (size + 1))}
      signMap={rows.map((row) => [...row].map((stone) => (stone === "X" ? 1 : stone === "O" ? -1 : 0)))}
      markerMap={rows.map((row, y) => [...row].map((_, x) => (at && at[0] === x && at[1] === y ? { type: "circle" } : null)))}
      innerProps={{ role: "img", "aria-label": spoken(rows) }}
    />
  );
}

function spoken(rows: string[]): string {
  const on = (stone: string) =>
    rows
      .flatMap((row, y) => [...row].map((one, x) => (one === stone ? `${COLUMNS[x]}${rows.length - y}` : "")))
      .filter(Boolean)
      .join(", ") || "none";
  return `Black: ${on("X")}. White: ${on("O")}.`;
}
