// Mounts a handler of web requests in `node:http`, Express, and other servers that call a request listener.
//
// 1. The listener never throws or rejects. Before the headers, a failure is an answer. After them, it cuts the connection.
// 2. A body is read when somebody asks for it, and written as fast as the other side takes it.
// 3. When the client leaves before its answer is complete, the signal of the request is aborted.

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { warn } from './options';
import { HttpProblem, problemResponse } from './problems';

type Handle = (request: Request) => Response | Promise<Response>;

/** Express keeps the whole path here, and cuts its mount off `url`. */
type Incoming = IncomingMessage & { readonly originalUrl?: string };

/**
 * The listener of a handler: for `createServer` of `node:http`, and as a middleware of Express.
 *
 * @example
 * createServer(toNode(agentHandler(longhaul, options))).listen(3000);
 */
export function toNode(handle: Handle): (incoming: Incoming, outgoing: ServerResponse) => void {
  return (incoming, outgoing) => void answer(handle, incoming, outgoing);
}

async function answer(handle: Handle, incoming: Incoming, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  // A connection that breaks is no failure of ours: `close` follows.
  outgoing.on('error', () => undefined);
  try {
    const request = requestOf(incoming, outgoing, gone.signal);
    await send(await handle(request), outgoing, gone.signal);
  } catch (error) {
    // The maker of a stream knows why it broke.
    if (gone.signal.aborted || outgoing.headersSent) return void outgoing.destroy();
    if (!(error instanceof HttpProblem)) warn(error);
    const problem = error instanceof HttpProblem ? error : new HttpProblem('InternalError');
    for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name);
    await send(problemResponse(problem), outgoing, gone.signal).catch(() => outgoing.destroy());
  }
}

/** The web request for an incoming message. Throws a problem if no web request can express it. */
function requestOf(incoming: Incoming, outgoing: ServerResponse, signal: AbortSignal): Request {
  const { method = 'GET' } = incoming;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  if (hasBody && incoming.readableDidRead)
    throw new Error('toNode must come before what reads the body, such as express.json()');
  try {
    return new Request(urlOf(incoming), {
      method,
      headers: headersOf(incoming),
      signal,
      ...(hasBody && { body: bodyOf(incoming, outgoing), duplex: 'half' }),
    });
  } catch (error) {
    throw new HttpProblem('InvalidInput', {
      detail: 'the method, the target or a header of the request is not valid',
      cause: error,
    });
  }
}

/** The URL of a request. The target is a path, or a whole URL, as proxies get it. `host` may contain only a host. */
function urlOf({ originalUrl, url = '/', headers, socket }: Incoming): URL {
  const target = originalUrl ?? url;
  if (/^https?:\/\//i.test(target)) return new URL(target);
  const { host = 'localhost' } = headers;
  if (!target.startsWith('/') || /[/\\?#@\s]/.test(host))
    throw new TypeError('the target is no path, or the host is none');
  return new URL(`${'encrypted' in socket ? 'https' : 'http'}://${host}${target}`);
}

function headersOf(incoming: Incoming): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headers))
    // Names that begin with a colon are parts of the request line of HTTP/2.
    if (!name.startsWith(':'))
      for (const value of [values ?? []].flat()) headers.append(name, value);
  return headers;
}

/** A body that nobody wants any more is cut off when the answer is out. */
function bodyOf(incoming: Incoming, outgoing: ServerResponse): ReadableStream<Uint8Array> {
  const chunks = incoming[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => {
        if (outgoing.writableFinished) incoming.destroy();
        else outgoing.once('finish', () => incoming.destroy());
      },
    },
    { highWaterMark: 0 },
  );
}

async function send(
  { status, headers, body }: Response,
  outgoing: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  if (gone.aborted || outgoing.req.method === 'HEAD') await body?.cancel();
  if (gone.aborted) return;
  outgoing.statusCode = status;
  for (const [name, value] of headers)
    if (name === 'set-cookie') outgoing.appendHeader(name, value);
    else outgoing.setHeader(name, value);
  if (body === null || outgoing.req.method === 'HEAD') return void outgoing.end();
  await write(body, outgoing, gone);
}

async function write(
  body: ReadableStream<Uint8Array>,
  outgoing: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  const reader = body.getReader();
  outgoing.flushHeaders();
  gone.addEventListener('abort', () => void reader.cancel().catch(() => undefined), { once: true });
  for (;;) {
    const { done, value } = await reader.read();
    if (gone.aborted) return;
    if (done) return void outgoing.end();
    if (!outgoing.write(value)) await once(outgoing, 'drain', { signal: gone });
  }
}
