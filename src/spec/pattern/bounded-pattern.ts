import { createContext, Script } from 'node:vm';

/** For all patterns of one check together. */
const mostMilliseconds = 500;
const shortText = 4096;

let left = mostMilliseconds;
let matcher: ((pattern: RegExp, text: string, timeout: number) => boolean) | undefined;

/** Runs a check whose patterns may together take only so long: then the one that runs throws. */
export function withBoundedPatterns<Result>(check: () => Result): Result {
  left = mostMilliseconds;
  return check();
}

/**
 * `isSafePattern` refuses patterns that need exponential time; others may still need a high power of the text's length. They run
 * where they can be interrupted, which costs a tenth of a millisecond.
 */
export function testBounded(pattern: RegExp, text: string): boolean {
  if (text.length <= shortText && isSimple(pattern)) return pattern.test(text);
  matcher ??= createMatcher();
  const start = performance.now();
  try {
    return matcher(pattern, text, Math.max(1, Math.floor(left)));
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new Error(`took too long to check against the pattern ${pattern.source}`);
  } finally {
    left -= performance.now() - start;
  }
}

/** One repetition at most: time grows at worst with the square of the text. */
function isSimple({ source }: RegExp): boolean {
  return (source.match(/[*+{]/g) ?? []).length <= 1;
}

/** The engine can be interrupted only from outside of a script. */
function createMatcher() {
  const sandbox: { pattern?: RegExp; text?: string } = {};
  const context = createContext(sandbox);
  const script = new Script('pattern.test(text)');
  return (pattern: RegExp, text: string, timeout: number): boolean => {
    Object.assign(sandbox, { pattern, text });
    return script.runInContext(context, { timeout }) as boolean;
  };
}

/** JSON Schema asks for Unicode mode; patterns written for other engines often need the lenient one. Throws a SyntaxError. */
export function toRegExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}
