/** JSON Schema asks for Unicode mode; patterns written for other engines often need the lenient one. Throws a SyntaxError. */
export function toRegExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}
