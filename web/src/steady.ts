// Values that stand still while others move.
import { useEffect, useRef, useState } from "preact/hooks";

const MILLISECONDS = 150;

/** A value once it has stood still for a moment: what is asked for while a slider moves is not wanted. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), MILLISECONDS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** The newest that was there: what is shown stays until the next is known. */
export function useLast<T>(value: T | null): T | null {
  const last = useRef(value);
  if (value !== null) last.current = value;
  return last.current;
}
