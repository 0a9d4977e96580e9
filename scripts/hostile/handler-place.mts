// The process of the handler, seen from outside.

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { HandlerFigures, HandlerNews, HandlerOrder, HandlerSettings } from './handler.mts';
import type { Hold } from './loop-probe.mts';

const script = join(import.meta.dirname, 'handler.mts');
const outputKept = 4_000;

export type HandlerEvents = {
  readonly onHold: (hold: Hold) => void;
  readonly onWrong: (wrong: string) => void;
};

export class HandlerPlace {
  readonly #child: ChildProcess;
  readonly #figures: ((figures: HandlerFigures) => void)[] = [];
  /** What is behind answers of 500 and above, by the request. */
  readonly errors = new Map<string, string>();
  #isClosed = false;
  readonly #ready: Promise<{ readonly url: string; readonly deltas: string }>;

  constructor(settings: HandlerSettings, { onHold, onWrong }: HandlerEvents) {
    const child = fork(script, [JSON.stringify(settings)], { silent: true });
    this.#child = child;
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        output = (output + chunk).slice(-outputKept);
      });
    this.#ready = new Promise((resolve, reject) => {
      child.on('message', (news: HandlerNews) => {
        if (news.kind === 'ready') resolve(news);
        else if (news.kind === 'hold') onHold(news.hold);
        else if (news.kind === 'error') this.errors.set(news.request, news.text);
        else this.#figures.shift()?.(news.figures);
      });
      child.once('close', () => {
        if (!this.#isClosed) onWrong(`the process of the handler ended:\n${output}`);
        reject(new Error(`the handler did not start:\n${output}`));
      });
    });
  }

  /** Where it listens. */
  async ready(): Promise<{ readonly url: string; readonly deltas: string }> {
    return await this.#ready;
  }

  /** The attack begins: from now on it tells which request holds its loop. */
  begin(): void {
    this.#order('begin');
  }

  async measure(): Promise<HandlerFigures> {
    const figures = new Promise<HandlerFigures>((resolve) => this.#figures.push(resolve));
    this.#order('measure');
    return await figures;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await closed;
  }

  #order(order: HandlerOrder): void {
    this.#child.send(order);
  }
}
