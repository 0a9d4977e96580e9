// Runs the tools `read_result` and `find_in_result`: a model reads and searches a stored text in pages.
//
// 1. Lines count from 1. A line over 2,000 characters is folded into several, for reading and searching alike.
// 2. An answer has at most 16 KiB, and names the line to go on from.
// 3. A model writes the pattern. So it runs in linear time, and in slices, so that the other calls of the worker go on. A search ends after
//    some seconds.

import { setImmediate } from 'node:timers/promises';
import { headOf, utf8Length } from '../../base';
import { compilePattern } from '../../core/schema/pattern';
import { patternSteps } from '../../core/schema/pattern-steps';
import { errorOutput, type ToolOutput } from '../../core/transcript/tool-output';
import { limits, resultToolNames } from '../../protocol';
import type { StoredContent } from '../../stores/index';

const sliceMilliseconds = 20;
const searchMilliseconds = 20_000;
/** One line may take 25 ms of a core. */
const lineSteps = 1_000_000;
const patternBounds = { characters: 1_000, steps: limits.searchPatternSteps };
/** In characters: how far a match may reach into the next line where a line is folded, and how much is shown around a match. */
const overlap = 200;
/** Room for the note at the end. */
const noteBytes = 200;

export type ReadArguments = {
  readonly ref: string;
  readonly from?: number;
  readonly lines?: number;
  readonly match?: string;
};

export type ResultReader = { readonly results: StoredContent; readonly scope: string };

/** Throws only if the store does not work. */
export async function readResult(
  tool: string,
  args: ReadArguments,
  { results, scope }: ResultReader,
): Promise<ToolOutput> {
  const ref = args.ref.trim().toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(ref))
    return errorOutput(
      "ref must be the 64 hexadecimal digits that the note of a result calls its 'ref'.",
    );
  const read = await results.read(scope, { digest: ref });
  if (read.bytes === undefined)
    return errorOutput(`There is no result with the ref ${ref} to read: ${read.lost}.`);
  const text = textOf(read.bytes);
  if (text === undefined)
    return errorOutput('This content is not text, so it has no lines to read.');
  const matcher = args.match === undefined ? () => 0 : matcherOf(args.match);
  if (typeof matcher === 'string') return errorOutput(matcher);
  const show = tool === resultToolNames.find ? excerptOf : wholeLine;
  return await pageOf(text, { ...args, from: args.from ?? 1, matcher, show });
}

/** Undefined for bytes that are not UTF-8, such as a picture. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

class TookTooLong extends Error {}

/** Where the first match in a text begins. Throws `TookTooLong`. */
type Matcher = (text: string) => number | undefined;

function matcherOf(match: string): Matcher | string {
  if (patternSteps(match) > limits.searchPatternSteps)
    return notSearchable('it is too large, with its repetitions written out');
  const ignoresCase = match.startsWith('(?i)');
  const source = ignoresCase ? match.slice('(?i)'.length) : match;
  const compiled = compilePattern(source, { bounds: patternBounds, ignoresCase });
  if (!compiled.ok) return notSearchable(`it ${compiled.problem}`);
  return (text) => {
    let left = lineSteps;
    return compiled.pattern.indexIn(text, (steps) => {
      left -= steps;
      if (left < 0) throw new TookTooLong();
    });
  };
}

function notSearchable(problem: string): string {
  return `match is not a pattern that can be searched for: ${problem}. Write a regular expression without look-around and back-references.`;
}

/** A line, or a piece of a folded one. `next` is where the next line begins. */
type Line = {
  readonly number: number;
  readonly start: number;
  readonly end: number;
  readonly next: number;
};

const beforeFirst: Line = { number: 0, start: 0, end: 0, next: 0 };

function lineAfter(text: string, { number, next: start }: Line): Line | undefined {
  if (start >= text.length && (start > 0 || number > 0)) return undefined;
  const fold = foldOf(text, start);
  const newline = text.slice(start, fold).indexOf('\n');
  if (newline < 0)
    return { number: number + 1, start, end: fold, next: fold + Number(text[fold] === '\n') };
  const end = start + newline;
  return { number: number + 1, start, end, next: end + 1 };
}

/** Where a line from `start` is folded, never within a code point. */
function foldOf(text: string, start: number): number {
  const fold = Math.min(text.length, start + limits.resultLine);
  return fold < text.length && (text.codePointAt(fold - 1) ?? 0) > 0xffff ? fold - 1 : fold;
}

type Shown = (text: string, line: Line, match: number) => string;

const wholeLine: Shown = (text, { start, end }) => text.slice(start, end);

const excerptOf: Shown = (text, { start, end }, match) => {
  const [from, to] = [Math.max(start, match - overlap), Math.min(end, match + 2 * overlap)];
  return `${from > start ? '…' : ''}${text.slice(from, to).toWellFormed()}${to < end ? '…' : ''}`;
};

type Asked = {
  readonly from: number;
  readonly lines?: number;
  readonly matcher: Matcher;
  readonly show: Shown;
};

/** The text of the answer so far. `last` is the line that was read last. */
type Page = {
  readonly last: Line;
  readonly shown: readonly string[];
  readonly bytes: number;
  readonly isFull: boolean;
};

async function pageOf(
  text: string,
  asked: Asked & { readonly match?: string },
): Promise<ToolOutput> {
  let page: Page = { last: beforeFirst, shown: [], bytes: 0, isFull: false };
  const until = Date.now() + searchMilliseconds;
  try {
    while (!page.isFull && lineAfter(text, page.last) !== undefined && Date.now() < until) {
      page = slice(text, page, asked);
      await setImmediate();
    }
  } catch (error) {
    if (!(error instanceof TookTooLong)) throw error;
    return errorOutput(
      `match takes too long on line ${page.last.number + 1}: use a simpler pattern.`,
    );
  }
  const { number } = page.last;
  const isOver = lineAfter(text, page.last) === undefined;
  if (isOver && number < asked.from)
    return errorOutput(`from is ${asked.from}, but the result has only ${number} lines.`);
  return textOutput([...page.shown, noteOf(page, isOver, asked)].join('\n'));
}

/** Continues the page for some milliseconds. */
function slice(text: string, { last, shown, bytes }: Page, asked: Asked): Page {
  const until = performance.now() + sliceMilliseconds;
  const found: string[] = [];
  let [line, used] = [last, bytes];
  for (;;) {
    const next = lineAfter(text, line);
    if (next === undefined || performance.now() > until) break;
    const match = next.number < asked.from ? undefined : matchIn(text, next, asked.matcher);
    if (match !== undefined) {
      const entry = `${next.number}: ${asked.show(text, next, match)}`;
      used += utf8Length(entry) + 1;
      const isTooMany = shown.length + found.length >= (asked.lines ?? Infinity);
      if (isTooMany || used > limits.resultPage - noteBytes)
        return { last: line, shown: [...shown, ...found], bytes: used, isFull: true };
      found.push(entry);
    }
    line = next;
  }
  return { last: line, shown: [...shown, ...found], bytes: used, isFull: false };
}

/** A match that begins in this line. It may reach into the next one if the line is folded there. */
function matchIn(text: string, { start, end, next }: Line, matcher: Matcher): number | undefined {
  const reach = next === end ? Math.min(text.length, end + overlap) : end;
  const at = matcher(text.slice(start, reach));
  return at !== undefined && (at < end - start || at === 0) ? start + at : undefined;
}

function noteOf(
  { last, shown, isFull }: Page,
  isOver: boolean,
  { match }: { readonly match?: string },
): string {
  if (isOver && match !== undefined)
    return shown.length === 0 ? '[no line matches]' : '[no more lines match]';
  if (isOver) return '[end of the result]';
  const next = `go on with "from": ${last.number + 1}`;
  return isFull
    ? `[more follow: ${next}]`
    : `[searched up to line ${last.number} in the time there is: ${next}]`;
}

function textOutput(text: string): ToolOutput {
  return { isError: false, content: [{ type: 'text', text: headOf(text, limits.resultPage) }] };
}
