import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a worker asks: `step` as `model 2` or `charge`, `run` by its first user message, `key` where a tool has an effect. */
export type Question = {
  readonly run: string;
  readonly step: string;
  readonly pid: number;
  readonly key?: string;
};

export type Arrival = Question & { readonly at: number };

const nameOf = ({ run, step }: { readonly run: string; readonly step: string }): string =>
  `${run} / ${step}`;

/**
 * The world outside of the workers: every model call and every effect of a tool passes here and is written down. A step that is
 * held hangs at its next arrival, as a slow provider does, until it is let go.
 */
export class Gate {
  readonly #arrivals: Arrival[] = [];
  readonly #armed = new Set<string>();
  readonly #hanging = new Map<string, () => void>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  hold(run: string, step: string): void {
    this.#armed.add(nameOf({ run, step }));
  }

  isHeld(run: string, step: string): boolean {
    return this.#hanging.has(nameOf({ run, step }));
  }

  letGo(run: string, step: string): void {
    this.#hanging.get(nameOf({ run, step }))?.();
  }

  arrivals(run: string, step: string): readonly Arrival[] {
    return this.#arrivals.filter((arrival) => nameOf(arrival) === nameOf({ run, step }));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const question = JSON.parse(body) as Question;
    this.#arrivals.push({ ...question, at: Date.now() });
    const name = nameOf(question);
    if (this.#armed.delete(name)) {
      await new Promise<void>((resolve) => this.#hanging.set(name, resolve));
    }
    response.end('{}');
  }
}
