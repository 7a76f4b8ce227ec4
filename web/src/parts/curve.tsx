// A curve over plies or games, drawn by uPlot; its width is that of its place.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";

interface Props {
  /** The numbers on the horizontal axis, then one list for each line. */
  data: uPlot.AlignedData;
  labels: string[];
  /** Ends of the vertical axis; as the data has them when absent. */
  range?: [number, number];
  format?: (value: number) => string;
  onPick?: (index: number) => void;
  describe: string;
  height?: number;
}

const COLOURS = ["--accent", "--hope", "--bad", "--soft"];

export function Curve({ data, labels, range, format = String, onPick, describe, height = 180 }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const pick = useRef(onPick);
  pick.current = onPick;

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
        scales: { x: { time: false }, y: range ? { range: () => range } : {} },
        axes: [axis, { ...axis, size: 56, values: (_, ticks) => ticks.map(format) }],
        series: [
          {},
          ...labels.map((label, index) => ({
            label,
            stroke: () => colour(COLOURS[index % COLOURS.length]!),
            width: 2,
            value: (_: uPlot, value: number | null) => (value === null ? "–" : format(value)),
          })),
        ],
        legend: { show: labels.length > 1 },
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

  useEffect(() => plot.current?.setData(data), [data]);
  return <div class="curve" ref={element} role="img" aria-label={describe} />;
}
