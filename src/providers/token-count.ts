/** A count of tokens as servers tell it; null for what is none, so that no sum, price or budget is made of it. */
export function tokenCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

/** Null when none of them is told. */
export function sumOfCounts(...values: readonly unknown[]): number | null {
  const known = values.map(tokenCount).filter((count) => count !== null);
  return known.length === 0 ? null : known.reduce((total, count) => total + count, 0);
}
