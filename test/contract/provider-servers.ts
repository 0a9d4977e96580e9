import {
  createServer,
  request as forward,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

export type WireBody = Readonly<Record<string, unknown>>;
export type WireRequest = {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: WireBody;
};

/** What a badly behaved server says: frames of a stream, each in a packet of its own, and then how it ends. */
export type Answer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly frames?: readonly (string | Uint8Array)[];
  readonly then?: 'end' | 'cut' | 'hang';
};

type Answering = (
  request: WireRequest,
  raw: Buffer,
  response: ServerResponse,
  server: LocalServer,
) => void;

/** A server on a free local port that keeps the bodies it got, as they were on the wire. */
export class LocalServer {
  readonly requests: WireRequest[] = [];
  /** What a tap passed back, in chunks. */
  readonly passedBack: Buffer[] = [];
  /** Settles when a client hangs up on an answer that was still under way. */
  readonly hungUp: Promise<void>;
  url = '';
  readonly #server: Server;
  #onHungUp: (() => void) | undefined;

  private constructor(answer: Answering) {
    this.hungUp = new Promise((resolve) => {
      this.#onHungUp = resolve;
    });
    this.#server = createServer((incoming, response) => {
      const chunks: Buffer[] = [];
      response.on('close', () => {
        if (!response.writableFinished) this.#onHungUp?.();
      });
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const raw = Buffer.concat(chunks);
        const body = JSON.parse(raw.toString('utf8')) as WireBody;
        const request = { path: incoming.url ?? '', headers: incoming.headers, body };
        this.requests.push(request);
        answer(request, raw, response, this);
      });
    });
  }

  /** Passes everything on to another server. */
  static tap(target: string): Promise<LocalServer> {
    return LocalServer.#start(({ path, headers }, raw, response, { passedBack }) => {
      const upstream = forward(new URL(path, target), { method: 'POST', headers }, (answered) => {
        response.writeHead(answered.statusCode ?? 500, answered.headers);
        answered.on('data', (chunk: Buffer) => passedBack.push(chunk));
        answered.pipe(response);
      });
      upstream.on('error', () => response.destroy());
      response.on('close', () => upstream.destroy());
      upstream.end(raw);
    });
  }

  /** One answer a request; the last one for all that follow. */
  static answering(...answers: readonly [Answer, ...Answer[]]): Promise<LocalServer> {
    const rest = [...answers];
    return LocalServer.#start((_request, _raw, response) => {
      const [next = answers[0]] = rest.length > 1 ? rest.splice(0, 1) : rest;
      void play(next, response);
    });
  }

  static async #start(answer: Answering): Promise<LocalServer> {
    const server = new LocalServer(answer);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    server.url = `http://127.0.0.1:${(server.#server.address() as AddressInfo).port}`;
    return server;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }
}

async function play(answer: Answer, response: ServerResponse): Promise<void> {
  const { status = 200, headers = { 'content-type': 'text/event-stream' }, frames = [] } = answer;
  response.writeHead(status, headers);
  response.flushHeaders();
  for (const frame of frames) {
    await new Promise((resolve) => response.write(frame, resolve));
    await nextTurn();
  }
  if (answer.then === 'cut') response.destroy();
  else if (answer.then !== 'hang') response.end();
}
