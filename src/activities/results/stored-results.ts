// Puts large results and media of a run's tools into the worker's result store, and gets the bytes back for a request.
//
// 1. A result that the store does not take is cut. The tool does not run again because of that.
// 2. Lost content of a tool or an earlier turn becomes a note. If content of the run's own input is lost, the run fails.
// 3. A request has at most 64 MiB of stored content. The oldest media of tools and of earlier turns are left out, with a note.
// 4. A store that does not work makes a request wait: the call fails, and the server tries it again.

import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { type Json, mediaLabel } from '../../base';
import {
  cutOutput,
  joinedOver,
  textShare,
  type ToolOutput,
} from '../../core/transcript/tool-output';
import { storedOf } from '../../core/stored-parts';
import { storedHead } from '../../core/transcript/fit-texts';
import {
  type DefinitionRef,
  limits,
  LonghaulError,
  type MediaPart,
  type Message,
  type Stored,
  type TextPart,
  timeouts,
  type ToolContent,
} from '../../protocol';
import { atOnce, largeMedia, scopeOf, type StoredContent } from '../../stores/index';
import { ownWorkflowId } from '../definition/pinned-definition';
import type { ActivityDependencies } from '../dependencies';
import { logFailure } from '../call-log';
import { notHere, triedAgain } from '../failures';

const readsAtOnce = 8;
/** With less room, a text in the store would be a note and little else. */
const leastHead = 512;
const tooMuch = 'left out, because the newer content of the request is large enough';

/** The scope of the content that a call may keep and read. Only runs write these names, and a child gets them from its parent. */
export function scopeOfCall({ thread, root }: Partial<DefinitionRef> = {}): string {
  const { workflowNamespace = '' } = Context.current().info;
  return scopeOf(workflowNamespace, thread ?? root ?? ownWorkflowId());
}

export type KeepOptions = {
  readonly results: StoredContent | undefined;
  readonly scope: string;
  readonly maxBytes: number | undefined;
  readonly signal: AbortSignal;
  /** When the attempt ends at the latest, in milliseconds since the epoch. */
  readonly deadline: number;
};

/** The output for the log. Parts that are too large are in the store, or are cut. */
export async function keptOutput(whole: ToolOutput, options: KeepOptions): Promise<ToolOutput> {
  const { results, maxBytes = limits.toolResultShown } = options;
  if (results === undefined) return cutOutput(whole, maxBytes);
  const until = Date.now() + timeToKeep(options.deadline);
  const ownShare = textShare(whole, maxBytes);
  const output = ownShare < leastHead ? joinedOver(whole, ownShare) : whole;
  const share = textShare(output, maxBytes);
  const content: ToolContent[] = [];
  let reason: string | undefined;
  for (const part of output.content) {
    const bytes = bytesOver(part, share);
    const kept = bytes && (await keep(bytes, { ...options, results, until }));
    if (typeof kept === 'string') reason = kept;
    content.push(typeof kept === 'object' ? inStore(part, { stored: kept, bytes, share }) : part);
  }
  return cutOutput({ ...output, content }, maxBytes, reason);
}

/** The time for the store. It is less than the attempt has left, because the server makes a call again that takes too long. */
function timeToKeep(deadline: number): number {
  return Math.min(timeouts.storedContent, (deadline - Date.now()) * 0.8);
}

/** The bytes of a part that is too large for the log. */
function bytesOver(part: ToolContent, maxBytes: number): Uint8Array | undefined {
  switch (part.type) {
    case 'media':
      return largeMedia(part.source);
    case 'text':
      return Buffer.byteLength(part.text) > maxBytes ? Buffer.from(part.text) : undefined;
    case 'json': {
      const compact = JSON.stringify(part.value);
      return Buffer.byteLength(compact) > maxBytes ? jsonBytes(part.value, compact) : undefined;
    }
  }
}

/** The JSON with indents, unless these make it too large: each number in deep JSON may get hundreds of blanks. */
function jsonBytes(value: Json, compact: string): Uint8Array {
  try {
    const bytes = Buffer.from(JSON.stringify(value, null, 2));
    if (bytes.byteLength <= limits.storedContent) return bytes;
  } catch (error) {
    // The text is longer than a string may be.
    if (!(error instanceof RangeError)) throw error;
  }
  return Buffer.from(compact);
}

type InStore = {
  readonly stored: Stored;
  readonly bytes: Uint8Array | undefined;
  /** How much of a text the log has. */
  readonly share: number;
};

function inStore(part: ToolContent, { stored, bytes, share }: InStore): ToolContent {
  if (part.type === 'media') return { ...part, source: { kind: 'stored', ...stored } };
  // The beginning is enough for the head.
  const text = Buffer.from(bytes ?? [])
    .toString('utf8', 0, limits.storedHead)
    .replace(/\ufffd+$/, '');
  return { type: 'text', text: storedHead(text, stored, share), stored };
}

type Keeping = { readonly results: StoredContent; readonly until: number } & Pick<
  KeepOptions,
  'scope' | 'signal'
>;

/** Tries until the time is over. Returns the reason if the content is not kept. */
async function keep(
  bytes: Uint8Array,
  { results, scope, until, signal }: Keeping,
): Promise<Stored | string> {
  if (bytes.byteLength > limits.storedContent)
    return `the whole is over the ${limits.storedContent / 1024 ** 2} MiB that a result store takes`;
  const mayPass = (error: unknown): boolean => !LonghaulError.is(error) || error.retryable;
  try {
    const put = (): Promise<Stored> => inTime(results.keep(scope, bytes), until);
    return await triedAgain(put, { signal, deadline: until, mayPass });
  } catch (error) {
    signal.throwIfAborted();
    logFailure('error', 'the result store does not take a result, which is cut', error);
    return 'the result store did not take the rest';
  }
}

async function inTime<Result>(work: Promise<Result>, until: number): Promise<Result> {
  const timer = new AbortController();
  const { signal } = timer;
  const late = sleep(Math.max(0, until - Date.now()), undefined, { signal }).then(() => {
    throw new Error('no answer in time');
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    late.catch(() => undefined);
    timer.abort();
  }
}

export type ContentOptions = Pick<ActivityDependencies, 'results'> & {
  readonly scope: string;
  /** The messages before this one are a thread's earlier turns. */
  readonly ownFrom: number;
  /** Ends the wait for room. */
  readonly signal?: AbortSignal;
};

/**
 * Calls `use` with the messages of a request and the bytes of their stored content. A worker holds a limited number of bytes at a time,
 * until `use` ends. A stored text of a tool stays as it is: the model can read on.
 */
export async function withContent<Result>(
  messages: readonly Message[],
  { results, scope, ownFrom, signal }: ContentOptions,
  use: (messages: readonly Message[]) => Promise<Result>,
): Promise<Result> {
  const named = messages.map(storedIn);
  if (named.every((stored) => stored.length === 0)) return await use(messages);
  if (results === undefined) throw notHere('result store, which has a part of the request');
  const isOwn = (index: number): boolean => messages[index]?.role === 'user' && index >= ownFrom;
  const own = named.flatMap((stored, index) => (isOwn(index) ? stored : []));
  const others = named.flatMap((stored, index) => (isOwn(index) ? [] : stored)).reverse();
  const wanted = [...newestThatFit([...own, ...others], limits.storedContent).values()];
  const bytes = wanted.reduce((sum, stored) => sum + stored.bytes, 0);
  return await results.holding(bytes, signal, async () => {
    const found = new Map<string, Read>();
    await atOnce(readsAtOnce, wanted, async (stored) => {
      found.set(stored.digest, await results.read(scope, stored));
    });
    return await use(messages.map((message, index) => filled(message, found, index >= ownFrom)));
  });
}

/** The newest contents that fit, each once. A worker's memory is bounded, and no provider takes more. */
function newestThatFit(all: readonly Stored[], maxBytes: number): ReadonlyMap<string, Stored> {
  const fitting = new Map<string, Stored>();
  let bytes = 0;
  for (const stored of all) {
    if (fitting.has(stored.digest)) continue;
    bytes += stored.bytes;
    if (bytes > maxBytes) break;
    fitting.set(stored.digest, stored);
  }
  return fitting;
}

type Read = Awaited<ReturnType<StoredContent['read']>>;

type Found = ReadonlyMap<string, Read>;

function storedIn(message: Message): readonly Stored[] {
  if (message.role === 'user') return message.parts.flatMap((part) => storedOf(part) ?? []);
  if (message.role !== 'tool') return [];
  const media = message.parts.flatMap(({ content }) => content.filter(isMedia));
  return media.flatMap((part) => storedOf(part) ?? []);
}

function isMedia(part: ToolContent): part is Extract<ToolContent, { type: 'media' }> {
  return part.type === 'media';
}

function filled(message: Message, found: Found, isOwn: boolean): Message {
  if (message.role === 'user') {
    const parts = message.parts.map((part) => filledPart(part, found, isOwn));
    return { ...message, parts };
  }
  if (message.role !== 'tool') return message;
  const parts = message.parts.map((result) => {
    const content = result.content.map((part) =>
      isMedia(part) ? filledPart(part, found, false) : part,
    );
    return { ...result, content };
  });
  return { ...message, parts };
}

function filledPart<Part extends TextPart | Pick<MediaPart, 'type' | 'mediaType' | 'source'>>(
  part: Part,
  found: Found,
  isOwn: boolean,
): Part | TextPart {
  const stored = storedOf(part);
  if (stored === undefined) return part;
  const read = found.get(stored.digest) ?? { lost: tooMuch };
  const bytes =
    read.bytes && Buffer.from(read.bytes.buffer, read.bytes.byteOffset, read.bytes.byteLength);
  if (bytes === undefined) {
    const label = mediaLabel(part.type === 'text' ? 'text' : part.mediaType, stored);
    if (!isOwn)
      return {
        type: 'text',
        text: `${part.type === 'text' ? `${part.text}\n` : ''}${label}: ${read.lost}`,
      };
    throw new LonghaulError(
      'StoreError',
      `a part of the input cannot be read, ${label}: ${read.lost}`,
      {
        details: { digest: stored.digest },
      },
    );
  }
  if (part.type === 'text') {
    const { stored: _stored, ...rest } = part;
    return { ...rest, text: bytes.toString('utf8') } as Part;
  }
  return { ...part, source: { kind: 'base64', data: bytes.toString('base64') } };
}
