// The moves of a game, each a button that leads to the position after it.
import { useLayoutEffect, useRef } from "preact/hooks";

import { moveNumber, plyOf } from "../chess";
import type { MoveMade } from "../messages";

interface Props {
  moves: MoveMade[];
  /** FEN of the start. */
  start: string;
  /** Of the position that is shown: so many moves have been made. */
  ply: number;
  onPick: (ply: number) => void;
}

export function MoveList({ moves, start, ply, onPick }: Props) {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // The list alone is scrolled: with `scrollIntoView` the board would move, too.
    const current = list.current?.querySelector<HTMLElement>("[aria-current]");
    if (current) list.current!.scrollTop = current.offsetTop - (list.current!.clientHeight - current.offsetHeight) / 2;
  }, [ply, moves.length]);
  if (!moves.length) return null;
  const first = plyOf(start);
  return (
    <div class="moves" ref={list} role="group" aria-label="Moves">
      <button type="button" aria-current={ply === 0 ? "true" : undefined} onClick={() => onPick(0)}>
        start
      </button>
      {moves.map((move, index) => {
        const whites = (first + index) % 2 === 0;
        const number = whites || index === 0 ? moveNumber(first + index) : "";
        return (
          <>
            {number && <span class="number">{number}</span>}
            <button type="button" aria-current={ply === index + 1 ? "true" : undefined} onClick={() => onPick(index + 1)}>
              {move.san}
            </button>
          </>
        );
      })}
    </div>
  );
}
