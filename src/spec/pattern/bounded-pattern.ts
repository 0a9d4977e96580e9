import { createContext, Script } from 'node:vm';

/** Backtracking over this many characters is quick for every pattern `isSafePattern` lets through. */
const unboundedLength = 256;
const mostMilliseconds = 250;

let matcher: ((pattern: RegExp, text: string) => boolean) | undefined;

/** Runs a pattern that may take long on an adversarial text: stopped with an error instead of blocking the process. */
export function testBounded(pattern: RegExp, text: string): boolean {
  if (text.length <= unboundedLength) return pattern.test(text);
  matcher ??= createMatcher();
  try {
    return matcher(pattern, text);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new Error(`took too long to check against the pattern ${pattern.source}`);
  }
}

/** The engine can be interrupted only from outside of a script. */
function createMatcher() {
  const sandbox: { pattern?: RegExp; text?: string } = {};
  const context = createContext(sandbox);
  const script = new Script('pattern.test(text)');
  return (pattern: RegExp, text: string): boolean => {
    Object.assign(sandbox, { pattern, text });
    return script.runInContext(context, { timeout: mostMilliseconds }) as boolean;
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
