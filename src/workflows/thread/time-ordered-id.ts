/** A UUID of version 7: the milliseconds of `now`, then what is random in `random`, a UUID of version 4. Pure: the caller brings both. */
export function timeOrderedId(now: number, random: string): string {
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}
