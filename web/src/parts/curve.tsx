// A curve over plies or games, drawn by uPlot; its width is that of its place.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";

/** A stretch of the horizontal axis that is shaded; a line where it has no width. */
export interface Mark {
  from: number;
  to: number;
  colour: "--accent" | "--blue" | "--bad" | "--soft";
}

interface Props {
  /** The numbers on the horizontal axis, then one list for each line. */
  data: uPlot.AlignedData;
  labels: string[];
  /** Ends of the vertical axis; as the data has them when absent. */
  range?: [number, number];
  format?: (value: number) => string;
  onPick?: (index: number) => void;
  /** The name of the horizontal axis. */
  across?: string;
  marks?: Mark[];
  describe: string;
  height?: number;
}

/** Steps between the numbers on the horizontal axis: plies, games, points. */
const WHOLE = [...Array(10).keys()].flatMap((power) => [1, 2, 5].map((one) => one * 10 ** power));
const COLOURS = ["--accent", "--blue", "--bad", "--soft"];

export function Curve({ data, labels, range, format = String, onPick, across, marks = [], describe, height = 180 }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const pick = useRef(onPick);
  pick.current = onPick;
  const marked = useRef(marks);
  marked.current = marks;

  useEffect(() => {
    const place = element.current;
    if (!place) return;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name) || "#888";
    const axis = { stroke: () => colour("--soft"), grid: { stroke: () => colour("--line"), width: 1 } };
    const made = new uPlot(
      {
        width: place.clientWidth,
        height,
        // Of a single point uPlot would show a hundred steps.
        scales: { x: { time: false, range: ({ data: [at] }, from, to) => [from, at.length === 1 ? from + 1 : to] }, y: range ? { range: () => range } : {} },
        axes: [
          { ...axis, incrs: WHOLE, ...(across && { label: across, labelSize: 20 }) },
          { ...axis, size: 56, values: (_, ticks) => ticks.map(format) },
        ],
        series: [
          { label: across ?? "" },
          ...labels.map((label, index) => ({
            label,
            stroke: () => colour(COLOURS[index % COLOURS.length]!),
            width: 2,
            spanGaps: true,
            value: (_: uPlot, value: number | null) => (value === null ? "–" : format(value)),
          })),
        ],
        legend: { show: labels.length > 1 },
        hooks: { drawAxes: [(plot) => drawMarks(plot, marked.current, colour)] },
      },
      data,
      place,
    );
    made.over.addEventListener("click", () => {
      if (made.cursor.idx != null) pick.current?.(made.cursor.idx);
    });
    plot.current = made;
    const sized = new ResizeObserver(() => made.setSize({ width: place.clientWidth, height }));
    sized.observe(place);
    return () => {
      sized.disconnect();
      made.destroy();
    };
  }, [labels.join(), height]);

  useEffect(() => plot.current?.setData(data), [data, JSON.stringify(marks)]);
  return <div class="curve" ref={element} role="img" aria-label={describe} />;
}

const SHADE = 0.18;
const LINE = 1.5;

function drawMarks(plot: uPlot, marks: Mark[], colour: (name: string) => string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  const width = LINE * devicePixelRatio;
  ctx.rect(bbox.left - width / 2, bbox.top, bbox.width + width, bbox.height); // a line at either end is seen whole
  ctx.clip();
  for (const mark of marks) {
    const [from, to] = [plot.valToPos(mark.from, "x", true), plot.valToPos(mark.to, "x", true)];
    const line = mark.from === mark.to;
    ctx.globalAlpha = line ? 1 : SHADE;
    ctx.fillStyle = colour(mark.colour);
    ctx.fillRect(line ? from - width / 2 : from, bbox.top, line ? width : to - from, bbox.height);
  }
  ctx.restore();
}
