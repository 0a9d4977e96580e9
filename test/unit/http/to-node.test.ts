// Real sockets, no Temporal.
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { toNode } from '../../../src/http';
import { setUp } from './door';

type Handle = Parameters<typeof toNode>[0];

const closers: (() => Promise<void>)[] = [];
const warnings: string[] = [];

beforeEach(() => {
  warnings.length = 0;
  jest.spyOn(process, 'emitWarning').mockImplementation((warning) => {
    warnings.push(warning instanceof Error ? warning.message : warning);
  });
});
afterEach(async () => {
  jest.restoreAllMocks();
  for (const close of closers.splice(0)) await close();
});

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

const serve = (handle: Handle): Promise<number> => listen(toNode(handle));

async function open(port: number, ...lines: string[]): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(lines.join('\r\n'));
  return socket;
}

/** All that a server says to these lines until it closes the connection. */
async function raw(port: number, ...lines: string[]): Promise<string> {
  return await allOf(await open(port, ...lines));
}

async function allOf(socket: Socket): Promise<string> {
  let said = '';
  socket.setEncoding('utf8').on('data', (text: string) => (said += text));
  await once(socket, 'close');
  return said;
}

/** A promise, and what settles it. */
function gate<Value = void>() {
  let resolve!: (value: Value) => void;
  const promise = new Promise<Value>((settle) => (resolve = settle));
  return { promise, resolve };
}

const statusOf = (said: string): string => said.slice(0, said.indexOf('\r\n'));
const closing = ['host: a.test', 'connection: close', '', ''];
const withBody = (body: string): string[] => [...closing.slice(0, -1), body];
const text =
  (body: string): Handle =>
  () =>
    new Response(body);

describe('a request', () => {
  it('has its method, path, query, host, headers and body', async () => {
    const port = await serve(async (request) =>
      Response.json([
        request.method,
        request.url,
        request.headers.get('cookie'),
        request.headers.get('x-list'),
        await request.text(),
      ]),
    );
    const lines = ['POST /a%2Fb//c?d=%20e HTTP/1.1', 'cookie: a=1', 'cookie: b=2', 'x-list: 1'];
    const said = await raw(port, ...lines, 'x-list: 2', 'content-length: 4', ...withBody('ping'));
    expect(said).toContain(
      JSON.stringify(['POST', 'http://a.test/a%2Fb//c?d=%20e', 'a=1; b=2', '1, 2', 'ping']),
    );
  });

  it('keeps the path that Express cut its mount off', async () => {
    const listener = toNode(({ url }) => new Response(url));
    const port = await listen((incoming, outgoing) => {
      Object.assign(incoming, { originalUrl: incoming.url, url: '/cut' });
      listener(incoming, outgoing);
    });
    expect(await raw(port, 'GET /agents/cut HTTP/1.1', ...closing)).toContain(
      'http://a.test/agents/cut',
    );
  });

  it('may have a whole URL as its target', async () => {
    const port = await serve(({ url }) => new Response(url));
    const said = await raw(port, 'GET http://b.test/x?y HTTP/1.1', ...closing);
    expect(said).toContain('http://b.test/x?y');
  });

  it.each([
    ['*', 'a.test', 'OPTIONS'],
    ['http://', 'a.test', 'GET'],
    ['http://u:p@b.test/', 'a.test', 'GET'],
    ['ftp://b.test/', 'a.test', 'GET'],
    ['/', 'a.test/b', 'GET'],
    ['/', 'u@a.test', 'GET'],
    ['/', 'a.test:port', 'GET'],
    ['/', 'a.test', 'TRACE'],
  ])('is a 400 with target %s, host %s and method %s', async (target, host, method) => {
    const port = await serve(text('never'));
    const lines = [`${method} ${target} HTTP/1.1`, `host: ${host}`, 'connection: close', '', ''];
    const said = await raw(port, ...lines);
    expect(statusOf(said)).toBe('HTTP/1.1 400 Bad Request');
    expect(said).toContain('"code":"InvalidInput"');
    expect(warnings).toEqual([]);
  });

  it('is read only as fast as the handler reads', async () => {
    const isOver = gate();
    const sizes = gate<number>();
    const listener = toNode(async (request) => {
      const reader = (request.body as ReadableStream<Uint8Array>).getReader();
      await reader.read();
      await isOver.promise;
      let size = 0;
      for (let next = await reader.read(); !next.done; next = await reader.read())
        size += next.value.byteLength;
      sizes.resolve(size);
      return new Response('read');
    });
    let incoming: IncomingMessage | undefined;
    const port = await listen((request, response) => {
      incoming = request;
      listener(request, response);
    });
    const length = 64 * 1024 ** 2;
    const head = ['POST / HTTP/1.1', `content-length: ${length}`, ...closing];
    const socket = await open(port, ...head);
    socket.write(Buffer.alloc(length));
    // What both kernels and streams hold is a fraction of the body: the rest is still with the client.
    await stands(() => socket.bytesWritten - socket.writableLength);
    expect(incoming?.socket.bytesRead).toBeLessThan(length / 8);
    isOver.resolve();
    expect(await allOf(socket)).toContain('read');
    expect(await sizes.promise).toBeGreaterThan(length / 2);
  });

  it('leaves the connection usable when nobody reads its body', async () => {
    const { handle } = setUp({ authenticate: () => undefined });
    const port = await serve(handle);
    const body = 'x'.repeat(300_000);
    const socket = await open(
      port,
      ...['POST /support/runs HTTP/1.1', 'host: a.test', 'content-length: 300000', '', body],
    );
    socket.write(['GET /openapi.json HTTP/1.1', ...closing].join('\r\n'));
    const said = await allOf(socket);
    expect(said.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
  });

  it('that is too slow is answered, and its connection cut', async () => {
    const { handle } = setUp({ bodyTimeoutMs: 20 });
    const port = await serve(handle);
    const head = ['POST /support/runs HTTP/1.1', 'host: a.test', 'content-type: application/json'];
    const said = await raw(port, ...head, 'content-length: 100', '', '{');
    expect(statusOf(said)).toBe('HTTP/1.1 408 Request Timeout');
  });

  it('says that a middleware has read its body already', async () => {
    const listener = toNode(text('never'));
    const port = await listen((incoming, outgoing) => {
      incoming.once('end', () => listener(incoming, outgoing)).resume();
    });
    const head = ['POST / HTTP/1.1', 'content-length: 2', ...withBody('{}')];
    expect(statusOf(await raw(port, ...head))).toContain('500');
    expect(warnings).toEqual([
      'toNode must come before what reads the body, such as express.json()',
    ]);
  });
});

describe('a client that leaves', () => {
  it('aborts the request that a handler still works on', async () => {
    const begun = gate<AbortSignal>();
    const port = await serve(async ({ signal }) => {
      begun.resolve(signal);
      await once(signal, 'abort');
      throw new Error('nobody wants it any more');
    });
    const socket = await open(port, 'GET / HTTP/1.1', ...closing);
    const signal = await begun.promise;
    expect(signal.aborted).toBe(false);
    socket.resetAndDestroy();
    await once(signal, 'abort');
    expect(warnings).toEqual([]);
  });

  it('breaks the body off that it had begun', async () => {
    const broken = gate<unknown>();
    const port = await serve(async (request) => {
      const error: unknown = await request.text().catch((failure: unknown) => failure);
      broken.resolve(error);
      return new Response();
    });
    const socket = await open(port, 'POST / HTTP/1.1', 'content-length: 9', 'host: a', '', 'half');
    socket.end();
    expect(await broken.promise).toMatchObject({ message: 'aborted' });
    expect(warnings).toEqual([]);
  });

  it('cancels a stream that waits for its next event', async () => {
    const cancelled = gate();
    const port = await serve(
      () =>
        new Response(
          new ReadableStream<Uint8Array>({
            start: (controller) => controller.enqueue(Buffer.from('first')),
            cancel: () => cancelled.resolve(),
          }),
        ),
    );
    const socket = await open(port, 'GET / HTTP/1.1', ...closing);
    await once(socket, 'data');
    socket.resetAndDestroy();
    await cancelled.promise;
  });

  it('does not abort what it got whole', async () => {
    let signal: AbortSignal | undefined;
    const listener = toNode((request) => {
      signal = request.signal;
      return new Response('whole');
    });
    const closed = gate();
    const port = await listen((incoming, outgoing) => {
      outgoing.once('close', () => closed.resolve());
      listener(incoming, outgoing);
    });
    await raw(port, 'GET / HTTP/1.1', ...closing);
    await closed.promise;
    expect(signal?.aborted).toBe(false);
  });
});

describe('a response', () => {
  it('has its status, headers, and every cookie, also of a middleware', async () => {
    const headers = new Headers({ 'x-a': 'b' });
    headers.append('set-cookie', 'c=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT');
    headers.append('set-cookie', 'd=2');
    const listener = toNode(() => new Response('made', { status: 201, headers }));
    const port = await listen((incoming, outgoing) => {
      outgoing.setHeader('set-cookie', 'session=0');
      listener(incoming, outgoing);
    });
    const said = await raw(port, 'GET / HTTP/1.1', ...closing);
    expect(statusOf(said)).toBe('HTTP/1.1 201 Created');
    expect(said).toContain('x-a: b');
    expect(said.match(/^set-cookie: .*$/gim)).toEqual([
      'set-cookie: session=0',
      'set-cookie: c=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT',
      'set-cookie: d=2',
    ]);
  });

  it('to HEAD has no body, which nobody reads', async () => {
    const cancelled = gate();
    const body = new ReadableStream<Uint8Array>({ cancel: () => cancelled.resolve() });
    const port = await serve(() => new Response(body, { headers: { 'content-length': '7' } }));
    const said = await raw(port, 'HEAD / HTTP/1.1', ...closing);
    await cancelled.promise;
    expect(said).toContain('content-length: 7');
    expect(said.endsWith('\r\n\r\n')).toBe(true);
  });

  it('sends its headers before its first byte', async () => {
    const port = await serve(() => new Response(new ReadableStream<Uint8Array>()));
    const socket = await open(port, 'GET / HTTP/1.1', ...closing);
    const [head] = (await once(socket, 'data')) as [Buffer];
    expect(String(head)).toContain('HTTP/1.1 200 OK');
    socket.destroy();
  });

  it('is made only as fast as the client reads', async () => {
    const mebibyte = Buffer.alloc(1024 ** 2);
    let made = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        made += 1;
        if (made > 64) controller.close();
        else controller.enqueue(mebibyte);
      },
    });
    const port = await serve(() => new Response(body));
    const socket = await open(port, 'GET / HTTP/1.1', ...closing);
    socket.pause();
    await stands(() => made);
    expect(made).toBeLessThan(32);
    expect((await allOf(socket.resume())).length).toBeGreaterThan(64 * mebibyte.length);
  });

  it('that breaks after its headers cuts the connection', async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from('first')),
      pull: (controller) => controller.error(new Error('broken')),
    });
    const port = await serve(() => new Response(body));
    const said = await raw(port, 'GET / HTTP/1.1', 'host: a.test', '', '');
    expect(statusOf(said)).toBe('HTTP/1.1 200 OK');
    expect(said.endsWith('0\r\n\r\n')).toBe(false);
  });

  it.each<[string, Handle]>([
    [
      'throws',
      () => {
        throw new Error('secret');
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret'))],
    [
      'returns what HTTP cannot say',
      () => new Response('secret', { headers: { 'content-length': '6', 'x-bad': '\u0001' } }),
    ],
  ])('is a 500 that says nothing if the handler %s', async (_, handle) => {
    const port = await serve(handle);
    const said = await raw(port, 'GET / HTTP/1.1', ...closing);
    expect(statusOf(said)).toBe('HTTP/1.1 500 Internal Server Error');
    expect(said).toContain('"code":"InternalError"');
    expect(said).not.toContain('secret');
    expect(warnings).toHaveLength(1);
  });
});

/** Waits until a figure has not changed for a while. */
async function stands(figure: () => number): Promise<void> {
  for (let [before, rounds] = [-1, 0]; rounds < 10;) {
    rounds = figure() === before ? rounds + 1 : 0;
    before = figure();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

// Express calls it as a middleware.
toNode satisfies (handle: Handle) => (incoming: IncomingMessage, outgoing: ServerResponse) => void;
