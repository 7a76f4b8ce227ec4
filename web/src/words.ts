// Numbers as people read them.

/** A share, 0 to 1, in %. */
export function percent(share: number): string {
  return (100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0);
}

export function signedPercent(share: number): string {
  return `${share < 0 ? "−" : "+"}${percent(Math.abs(share))} %`;
}

/** Points with a sign. */
export function signed(points: number): string {
  return `${points < 0 ? "−" : "+"}${Math.abs(points).toFixed(1)}`;
}
