import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Random } from '../../scripts/torture/random.mts';

/** Of a stream that was just asked for by a message or an answer, which has little in it yet. */
const shortStream = 1_500;

/** Stands between a browser and several backends: each request goes to the next one, and streams are cut at random bytes. */
export class CuttingProxy {
  url = '';
  cutsLeft = 0;
  cutsMade = 0;
  /** What reached the browser of each stream. */
  readonly streams: Buffer[][] = [];
  readonly #backends: readonly string[];
  readonly #resumeMethod: string;
  readonly #random: Random;
  #requests = 0;
  #longest = shortStream;
  readonly #server = createServer((incoming, outgoing) => this.#pass(incoming, outgoing));

  /** `resumeMethod`: of the requests that tell from the beginning what the browser had of a stream. */
  constructor(
    { backends, seed }: { readonly backends: readonly string[]; readonly seed: number },
    resumeMethod: 'GET' | 'POST',
  ) {
    this.#backends = backends;
    this.#random = new Random(seed);
    this.#resumeMethod = resumeMethod;
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method = 'GET', url = '/', headers } = incoming;
    const backend = this.#backends[this.#requests++ % this.#backends.length];
    const upstream = request(new URL(url, backend), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      outgoing.flushHeaders();
      const isStream = answer.headers['content-type']?.startsWith('text/event-stream');
      if (isStream === true) this.#stream(answer, outgoing, method);
      else answer.pipe(outgoing);
    });
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  }

  #reach(): number {
    return Math.floor(this.#longest * 1.5);
  }

  /** A stream that ends before its cut is not cut. */
  #stream(answer: IncomingMessage, outgoing: ServerResponse, method: string): void {
    const limit = method === this.#resumeMethod ? this.#reach() : shortStream;
    const cutAt = this.#random.below(limit);
    let passed = 0;
    const bytes: Buffer[] = [];
    this.streams.push(bytes);
    answer.on('data', (chunk: Buffer) => {
      const isCut = this.cutsLeft > 0 && passed + chunk.length > cutAt;
      const kept = isCut ? chunk.subarray(0, Math.max(0, cutAt - passed)) : chunk;
      passed += kept.length;
      bytes.push(kept);
      this.#longest = Math.max(this.#longest, passed);
      if (!isCut) return void outgoing.write(kept);
      this.cutsLeft -= 1;
      this.cutsMade += 1;
      answer.removeAllListeners('data').removeAllListeners('end').resume();
      if (kept.length === 0) outgoing.destroy();
      else outgoing.write(kept, () => outgoing.destroy());
    });
    answer.on('end', () => outgoing.end());
    answer.on('error', () => outgoing.destroy());
  }
}
