// Numbers as people read them, written as `foible.wording` writes them on the command line.

/** What ± means in the scores of matches, and in the losses of their moves. */
export const PLUS_MINUS = "± is one standard error by pairs of games, which share their start and, if there are any, their coins";

/** A share, 0 to 1, in % with its standard error where there is one: `12.3 %`, `61.5 ± 4.9 %`; a dash for one that is unknown. */
export function percent(share: number | null, error: number | null = null, digits = 1): string {
  if (share === null) return "–";
  const within = error === null ? "" : ` ± ${inPercent(error, digits)}`;
  return `${inPercent(share, digits)}${within} %`;
}

/** A share, 0 to 1, in % where the heading says so: `12.3`. */
export function inPercent(share: number, digits = 1): string {
  return (100 * share).toFixed(digits);
}

/** A number with its sign; without one where it rounds to zero. */
export function signed(number: number): string {
  const text = Math.abs(number).toFixed(1);
  return Number(text) === 0 ? text : `${number < 0 ? "−" : "+"}${text}`;
}

/** A number with its error, to so many digits. */
export function withError(value: number | null | undefined, error: number | null | undefined, digits: number): string {
  if (value === null || value === undefined) return "–";
  const text = minus(value.toFixed(digits));
  return error === null || error === undefined ? text : `${text} ± ${error.toFixed(digits)}`;
}

/** From this loss of win probability on a move is a mistake. */
export const MISTAKE = 0.05;

/** What stands behind a move that gives away so much win probability: `?!` from 5 %, `?` from 10 %, `??` from 20 % on. */
export function lossMark(loss: number | null | undefined): string {
  if (loss === null || loss === undefined) return "";
  return loss >= 0.2 ? "??" : loss >= 0.1 ? "?" : loss >= MISTAKE ? "?!" : "";
}

/** A rounded number with the sign that people write; without one where it is zero. */
export function minus(text: string): string {
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** A number of things, of which one is called `unit`: `1 game`, `2 games`. */
export function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

export function grouped(count: number): string {
  return count.toLocaleString("en").replaceAll(",", " ");
}

/** Three digits of a rate or a ratio, and all of those before the point: `0.123`, `12.3`, `1 234`. */
function threeDigits(value: number): string {
  return value < 999.5 ? value.toPrecision(3) : grouped(Math.round(value));
}

/** A rate per second, per minute or per hour where it is slow. */
export function rateOf(perSecond: number, unit: string): string {
  for (const [seconds, word] of [
    [1, "s"],
    [60, "min"],
  ] as const)
    if (perSecond * seconds >= 1) return `${threeDigits(perSecond * seconds)} ${unit}/${word}`;
  return `${threeDigits(perSecond * 3600)} ${unit}/h`;
}

const UNITS: [number, string][] = [
  [86400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
];

/** A time in its two largest units: `1 h 20 min`. */
export function duration(seconds: number): string {
  let rest = Math.max(0, Math.round(seconds));
  const first = UNITS.findIndex(([size]) => rest >= size);
  if (first < 0) return "0 s";
  const words = [];
  for (const [size, word] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count) words.push(`${count} ${word}`);
  }
  return words.join(" ");
}

export function bytes(count: number): string {
  for (const [size, word] of [
    [1e9, "GB"],
    [1e6, "MB"],
    [1e3, "kB"],
  ] as const)
    if (count >= size) return `${(count / size).toFixed(1)} ${word}`;
  return `${count} bytes`;
}

/** When something is, so many seconds from now. */
export function untilThen(seconds: number): string {
  const steps: [number, string][] = [
    [60, "minute"],
    [3600, "hour"],
    [86_400, "day"],
  ];
  const [length, name] = steps.filter(([length]) => seconds >= 0.9 * length).at(-1) ?? steps[0]!;
  return `in ${counted(Math.max(1, Math.round(seconds / length)), name)}`;
}

/** A theme of puzzles as words: "mateIn2" is "mate in 2". */
export function inWords(theme: string): string {
  return theme.replace(/[A-Z]|\d+/g, " $&").toLowerCase();
}
