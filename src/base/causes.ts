// Reads a thrown value and its causes. Code may throw anything: a circle of causes, a getter that throws, or no error at all. Pure.

/** One error of a chain. `message` is the error's code if it has no message. */
import { defined } from './json';
export type ReadError = {
  readonly name: string;
  readonly message: string;
  /** As the engine wrote it, with the name and the message. */
  readonly stack?: string;
};

/** An error and five causes. */
const mostErrors = 6;

/** The most characters to read of one text: error pages can be long. */
const readCharacters = 8_192;

/** The error and its causes, the outermost first. The errors of an AggregateError count as its causes. */
export function errorChain(error: unknown): readonly ReadError[] {
  const seen = new Set<unknown>();
  const found: ReadError[] = [];
  const open = [error];
  while (open.length > 0 && found.length < mostErrors) {
    const next = open.shift();
    if (seen.has(next)) continue;
    seen.add(next);
    found.push(readError(next));
    open.unshift(...causesOf(next));
  }
  return found;
}

/** The messages of a chain. Leaves out those that another message contains; the first one stays. */
export function chainTexts(chain: readonly ReadError[]): readonly string[] {
  const texts = chain.map(({ message }) => message);
  return texts.filter((text, index) => {
    if (text === '') return false;
    const says = (other: string, at: number): boolean =>
      at !== index && other.includes(text) && (at < index || other !== text);
    return index === 0 || !texts.some(says);
  });
}

/** A copy of an error and its causes in a line. `change` rewrites each of them, or ends the chain before it. */
export function copyError(
  error: unknown,
  change: (read: ReadError) => ReadError | undefined,
): Error | undefined {
  const kept: ReadError[] = [];
  for (const read of errorChain(error)) {
    const changed = change(read);
    if (changed === undefined) break;
    kept.push(changed);
  }
  return kept.reduceRight<Error | undefined>((cause, { name, message, stack = '' }) => {
    const copy = new Error(message, cause && { cause });
    return Object.assign(copy, { name, stack });
  }, undefined);
}

function readError(value: unknown): ReadError {
  const text = (key: string): string | undefined => {
    const found = member(value, key);
    return typeof found === 'string' && found !== '' ? found.slice(0, readCharacters) : undefined;
  };
  const message = text('message') ?? text('code');
  const name = text('name') ?? 'Error';
  const stack = text('stack');
  if (message === undefined && stack === undefined) return { name, message: shown(value) };
  return { name, message: message ?? '', ...defined({ stack }) };
}

function causesOf(value: unknown): readonly unknown[] {
  const cause = member(value, 'cause');
  const errors = member(value, 'errors');
  return [
    ...(cause === undefined || cause === null ? [] : [cause]),
    ...(Array.isArray(errors) ? (errors as readonly unknown[]).slice(0, mostErrors) : []),
  ];
}

function member(value: unknown, key: string): unknown {
  try {
    return (Object(value) as Readonly<Record<string, unknown>>)[key];
  } catch {
    return undefined;
  }
}

/** A value that is no error. */
function shown(value: unknown): string {
  try {
    const text = typeof value === 'string' ? value : `threw ${String(value)}`;
    return text.slice(0, readCharacters);
  } catch {
    return 'threw a value that cannot be shown';
  }
}
