// Sends a request as no honest client would, if asked: cut, slow, half, or with a response that nobody reads.

import { Agent, request as open, type ClientRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export type Sent = {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly manner?: Manner;
  /** How long a stream is read at most. */
  readonly readMs?: number;
};

/**
 * `whole`: as everybody. `cut`: the client goes after so many milliseconds. `half`: it sends half of the body, and goes. `slow`: it sends a few
 * bytes at a time. `unread`: it reads nothing, and stays so long.
 */
export type Manner =
  | { readonly kind: 'whole' }
  | { readonly kind: 'cut' | 'half' | 'unread'; readonly ms: number }
  | { readonly kind: 'slow'; readonly pieces: number };

export type Got = {
  /** 0: the connection ended without an answer. */
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The client ended it, so there may have been more. */
  readonly isCut: boolean;
};

const nothing: Got = { status: 0, headers: {}, text: '', isCut: true };
const longestText = 512 * 1024;
const longestMs = 30_000;
const pieceMs = 40;

const usualReadMs = 1_500;

/** Keeps connections for those who ask in the ordinary way. */
const keeping = new Agent({ keepAlive: true, maxSockets: 64 });

/** Ends the connections that nobody uses. */
export function closeIdle(): void {
  keeping.destroy();
}

/** Never rejects: what goes wrong with a connection is an answer without a status. */
export async function send(url: string, sent: Sent): Promise<Got> {
  const { method, path, headers, manner = { kind: 'whole' } } = sent;
  const { hostname, port } = new URL(url);
  const isOrdinary = manner.kind === 'whole';
  const asked = open({
    hostname,
    port,
    method,
    path,
    headers,
    agent: isOrdinary ? keeping : false,
  });
  const answered = answerTo(asked, sent);
  const limit = setTimeout(() => asked.destroy(), longestMs);
  try {
    await writeBody(asked, sent);
    return await answered;
  } finally {
    clearTimeout(limit);
    if (!isOrdinary) asked.destroy();
  }
}

async function writeBody(asked: ClientRequest, { body, manner }: Sent): Promise<void> {
  if (body === undefined) return void asked.end();
  const bytes = Buffer.from(body);
  asked.setHeader('content-length', bytes.length);
  if (manner?.kind === 'half') {
    asked.write(bytes.subarray(0, Math.floor(bytes.length / 2)));
    await sleep(manner.ms);
    return void asked.destroy();
  }
  if (manner?.kind === 'slow') return await writeSlowly(asked, bytes, manner.pieces);
  asked.end(bytes);
}

async function writeSlowly(asked: ClientRequest, bytes: Buffer, pieces: number): Promise<void> {
  const length = Math.max(1, Math.ceil(bytes.length / pieces));
  for (let from = 0; from < bytes.length && !asked.destroyed; from += length) {
    asked.write(bytes.subarray(from, from + length));
    await sleep(pieceMs);
  }
  asked.end();
}

async function answerTo(asked: ClientRequest, sent: Sent): Promise<Got> {
  const { manner } = sent;
  const answer = await new Promise<IncomingMessage | undefined>((resolve) => {
    asked.once('response', resolve);
    asked.once('error', () => resolve(undefined));
    asked.once('close', () => resolve(undefined));
    if (manner?.kind === 'cut') setTimeout(() => asked.destroy(), manner.ms);
  });
  if (answer === undefined) return nothing;
  answer.on('error', () => undefined);
  const { statusCode: status = 0, headers } = answer;
  if (manner?.kind === 'unread') {
    await sleep(manner.ms);
    answer.destroy();
    return { status, headers, text: '', isCut: true };
  }
  return { status, headers, ...(await textOf(answer, sent.readMs ?? usualReadMs)) };
}

/** The text, up to the end or as long as somebody wants to read a stream. */
async function textOf(
  answer: IncomingMessage,
  readMs: number,
): Promise<Pick<Got, 'text' | 'isCut'>> {
  const isStream = String(answer.headers['content-type']).startsWith('text/event-stream');
  let text = '';
  let isCut = false;
  const stop = (): void => {
    isCut = true;
    answer.destroy();
  };
  answer.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (text.length > longestText) stop();
  });
  const timer = isStream ? setTimeout(stop, readMs) : undefined;
  const isWhole = await new Promise<boolean>((resolve) => {
    answer.once('end', () => resolve(true));
    answer.once('close', () => resolve(false));
  });
  clearTimeout(timer);
  return { text, isCut: isCut || !isWhole };
}
