/**
 * The value with U+FFFD in place of every half of a surrogate pair, as a text that was cut through an emoji has: UTF-8 has no such
 * thing, and a provider refuses the request. What is whole is returned itself; `sealed` is the provider's own and not looked at.
 */
export function wholeCharacters<Value>(value: Value): Value {
  return isWhole(value) ? value : (mended(value) as Value);
}

function isWhole(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(
    ([key, member]) => key === 'sealed' || (key.isWellFormed() && isWhole(member)),
  );
}

function mended(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(mended);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]: [string, unknown]) => [
      key.toWellFormed(),
      key === 'sealed' ? member : mended(member),
    ]),
  );
}
