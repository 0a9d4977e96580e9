import { isJsonObject, type Json, type JsonObject, mediaLabel } from '../base';
import type {
  Media,
  MediaPart,
  Message,
  Origin,
  Sealed,
  TextPart,
  ToolContent,
  ToolResult,
} from '../protocol';

const deepest = 200;

const absent = '$absent';

/**
 * The members of `block` that `projection` does not have. `projection` is the block made of the neutral part alone. Both together give the
 * block back exactly, so nothing is stored twice.
 */
export function differenceOf(block: JsonObject, projection: JsonObject): JsonObject {
  const added = Object.entries(block).filter(
    ([key, value]) => !isSame(value, Object.hasOwn(projection, key) ? projection[key] : undefined),
  );
  const missing = Object.keys(projection).filter((key) => !Object.hasOwn(block, key));
  return { ...Object.fromEntries(added), ...(missing.length === 0 ? {} : { [absent]: missing }) };
}

/** The block that `difference` was taken from. */
export function withDifference(projection: JsonObject, difference: JsonObject): JsonObject {
  const { [absent]: missing, ...added } = difference;
  const block: JsonObject = { ...projection, ...added };
  return Array.isArray(missing)
    ? Object.fromEntries(Object.entries(block).filter(([key]) => !missing.includes(key)))
    : block;
}

/** `{ sealed }` to spread into a part, or `{}` without data. */
export function sealedField(origin: Origin, data: JsonObject): { readonly sealed?: Sealed } {
  return Object.keys(data).length === 0 ? {} : { sealed: seal(origin, data) };
}

export function seal(origin: Origin, data: Json): Sealed {
  return { api: origin.api, model: origin.model, data };
}

function isSame(left: Json, right: Json | undefined): boolean {
  return right !== undefined && JSON.stringify(left) === JSON.stringify(right);
}

type MediaTest = (media: Media) => boolean;

const none: MediaTest = () => false;

/**
 * A tool's result as one text. For an API without an error flag, the text of an error is marked as one. `follows`: see `toolContentText`.
 */
export function toolResultText(
  result: ToolResult,
  { errorFlag, follows }: { readonly errorFlag: boolean; readonly follows?: MediaTest },
): string {
  const text = result.content.map((part) => toolContentText(part, follows)).join('\n');
  return result.isError && !errorFlag ? `Error: ${text}` : text;
}

/** A note replaces media, because a refused request would end the run. `follows`: the media are in `mediaAfterResults`. */
export function toolContentText(content: ToolContent, follows: MediaTest = none): string {
  switch (content.type) {
    case 'text':
      return content.text;
    case 'json':
      return JSON.stringify(content.value);
    case 'media': {
      const why = follows(content) ? 'see after the results' : 'this model does not take it';
      return `${mediaLabel(content.mediaType, content.source)} (${why})`;
    }
  }
}

/**
 * The media that an API takes from a user, but not inside of a result. They go into a user message after all results of the turn, because
 * each call must have its result first. A text before each names the result that it belongs to.
 */
export function mediaAfterResults(
  results: readonly ToolResult[],
  follows: (media: Media, result: ToolResult) => boolean,
): readonly (TextPart | MediaPart)[] {
  return results.flatMap((result, index) =>
    result.content.flatMap((part): (TextPart | MediaPart)[] => {
      if (part.type !== 'media' || !follows(part, result)) return [];
      const label = mediaLabel(part.mediaType, part.source);
      return [
        { type: 'text', text: `${label} of result ${index + 1}, from ${result.name}:` },
        part,
      ];
    }),
  );
}

/** True for an address that every provider can fetch, and for media without one. */
export function isOnWeb({ source }: Media): boolean {
  return source.kind !== 'url' || /^https?:/i.test(source.url);
}

export function tokenCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

/** The sum of the known counts; null if no count is known. */
export function sumOfCounts(...values: readonly unknown[]): number | null {
  const known = values.map(tokenCount).filter((count) => count !== null);
  return known.length === 0 ? null : known.reduce((total, count) => total + count, 0);
}

/** Adds `extra` to a request body: objects are merged, lists are appended, null removes a field, other values replace. */
export function mergeExtra(body: JsonObject, extra: JsonObject | undefined): JsonObject {
  if (extra === undefined) return body;
  const merged = new Map<string, Json>(Object.entries(body));
  for (const [key, value] of Object.entries(extra)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergeValue(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

function mergeValue(current: Json | undefined, value: Json): Json {
  if (Array.isArray(current) && Array.isArray(value)) return [...current, ...value];
  if (isJsonObject(value)) return mergeExtra(isJsonObject(current) ? current : {}, value);
  return value;
}

/** The arguments of a tool call part: an object, or null with the model's text and the problem. */
export type ToolArguments =
  | { readonly args: JsonObject }
  | { readonly args: null; readonly rawArgs: string; readonly argsError: string };

/** Never throws, because the model gets to see bad arguments. Models send an empty text for tools without parameters. */
export function parseToolArguments(text: string | null | undefined): ToolArguments {
  if (text === null || text === undefined || text.trim() === '') return { args: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { args: null, rawArgs: text, argsError: `not valid JSON: ${(error as Error).message}` };
  }
  return checked(value, () => text);
}

/** For APIs and compatible servers that send arguments as a value, not as a text. */
export function checkToolArguments(value: unknown): ToolArguments {
  if (typeof value === 'string' || value === null || value === undefined)
    return parseToolArguments(value);
  return checked(value, () => safeText(value));
}

function checked(value: unknown, text: () => string): ToolArguments {
  if (!isJsonObject(value)) {
    const found = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`;
    return { args: null, rawArgs: text(), argsError: `must be a JSON object, not ${found}` };
  }
  if (isDeeperThan(value, deepest)) {
    return { args: null, rawArgs: text(), argsError: `nested deeper than ${deepest} levels` };
  }
  return { args: value };
}

/** It uses no recursion, because deep values would overflow the stack. */
function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((item): unknown[] =>
      typeof item === 'object' && item !== null ? Object.values(item) : [],
    );
  }
  return false;
}

function safeText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return '[arguments that cannot be written as JSON]';
  }
}

/** The number of calls before a turn. Calls without an id are numbered from here, the same in every attempt. */
export function callCount(messages: readonly Message[]): number {
  return messages
    .filter((message) => message.role === 'assistant')
    .flatMap(({ parts }) => parts.filter((part) => part.type === 'tool_call')).length;
}

/** Removes null members. They mean "absent", and would stay in the history of every later turn. */
export function withoutNulls<Block extends JsonObject>(block: Block): Block {
  return Object.fromEntries(Object.entries(block).filter(([, value]) => value !== null)) as Block;
}

export function asText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function asList(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
