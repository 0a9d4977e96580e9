// A position says how far somebody has read a stream: for each run of the tree, how many entries of its log. Anybody may send one.

import { hashOf, isJsonObject } from '../../base';
import { limits, type LogEntry, LonghaulError } from '../../protocol';

/** The first `index` entries of a log. `tag` recognises the last of them: after a reset, another entry may stand there. */
export type LogPlace = { readonly index: number; readonly tag: string };

/** By workflow id. */
export type Places = ReadonlyMap<string, LogPlace>;

const mostTag = 8;

/** Base64 makes four characters from three bytes. */
const mostJson = Math.floor((limits.streamPosition * 3) / 4);

const base64url = /^[\w-]+$/;

/** The end of the id of a log entry. */
export function tagOf(id: string): string {
  return id.slice(-mostTag);
}

/** The first `index` entries of a log. */
export function placeIn(log: readonly LogEntry[], index: number): LogPlace {
  const entry = log[index - 1];
  return { index, tag: entry === undefined ? '' : tagOf(entry.id) };
}

/** If not all places fit, the runs that moved last are in it. The others are then read again from their beginning. */
export function encodePosition(workflowId: string, places: Places): string {
  const own = places.get(workflowId);
  const others = [...places].filter(([id]) => id !== workflowId).reverse();
  const sorted = own === undefined ? others : [[workflowId, own] as const, ...others];
  const shown: string[] = [];
  let bytes = JSON.stringify([shortHash(workflowId), {}]).length;
  for (const [id, { index, tag }] of sorted) {
    const member = `${JSON.stringify(shortId(workflowId, id))}:${JSON.stringify([index, tag])}`;
    bytes += Buffer.byteLength(member) + 1;
    if (bytes > mostJson) break;
    shown.push(member);
  }
  const text = `[${JSON.stringify(shortHash(workflowId))},{${shown.join(',')}}]`;
  return Buffer.from(text).toString('base64url');
}

/** Throws `InvalidInput` if the text is not a position of this run. Whether the logs have these places shows later. */
export function decodePosition(workflowId: string, position: unknown): Places {
  if (typeof position !== 'string' || position.length > limits.streamPosition) throw invalid();
  const [hash, runs, ...more] = parse(position);
  if (hash !== shortHash(workflowId)) throw invalid();
  if (!isJsonObject(runs) || more.length > 0) throw invalid();
  return new Map(
    Object.entries(runs).map(([short, place]) => [longId(workflowId, short), readPlace(place)]),
  );
}

function parse(position: string): readonly unknown[] {
  if (!base64url.test(position)) throw invalid();
  try {
    const value: unknown = JSON.parse(Buffer.from(position, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    throw invalid();
  }
}

function readPlace(place: unknown): LogPlace {
  const [index, tag, ...more] = Array.isArray(place) ? (place as readonly unknown[]) : [];
  const isIndex = typeof index === 'number' && Number.isSafeInteger(index) && index > 0;
  if (!isIndex || typeof tag !== 'string' || tag.length > mostTag || more.length > 0)
    throw invalid();
  return { index, tag };
}

function shortHash(workflowId: string): string {
  return hashOf(workflowId).slice(0, 8);
}

/** The ids of child runs begin with the id of their caller, unless they are too long. */
function shortId(workflowId: string, id: string): string {
  return id.startsWith(workflowId) ? id.slice(workflowId.length) : `=${id}`;
}

function longId(workflowId: string, short: string): string {
  return short.startsWith('=') ? short.slice(1) : workflowId + short;
}

function invalid(): LonghaulError {
  return new LonghaulError(
    'InvalidInput',
    "from must be the position of an event of this run's stream. Leave it out to begin at the beginning",
  );
}
