// Shows what a run does while it does it: the text of its model as it comes, and the steps of the runs below it.
//
// 1. On a terminal, text streams. One run at a time has the floor: while it speaks, the text of others comes with their steps.
// 2. Elsewhere there are whole lines only.

import { loadClient } from './load-parts';
import type { RunHandle, StreamEvent } from '../../client';
import type { LivePlace } from '../../protocol';

import { printable, printableJson } from '../render/text';
import { renderStep } from '../render/render-stream';
import type { Terminal } from '../render/terminal';

type LiveOptions = {
  readonly run: RunHandle;
  readonly terminal: Terminal;
  readonly json: boolean;
  /** Called before the text of a turn of the run itself. */
  readonly before?: (turn: number) => Promise<void>;
};

/** How long a view may be behind the run when the run pauses, and when it ends. At a pause, other calls may still run. */
const behindMs = { pause: 1_000, end: 5_000 } as const;

export class LiveView {
  readonly #options: LiveOptions;
  readonly #over = new AbortController();
  readonly #said = new Set<string>();
  readonly #news = new (loadClient().News)();
  #isSettled = false;
  /** Who speaks, and what was said of the step. */
  #floor: { readonly key: string; text: string } | undefined;
  /** Steps in progress whose text comes with their end: somebody else spoke when they began. */
  readonly #unheard = new Set<string>();

  constructor(options: LiveOptions) {
    this.#options = options;
    void this.#show();
  }

  /** Whether a terminal has shown this text already. */
  hasSaid(text: string): boolean {
    return this.#said.has(text.trim());
  }

  /** Resolves when everything is shown until the run pauses or ends, but soon in any case. Then it shows what comes next. */
  async settled(at: keyof typeof behindMs): Promise<void> {
    if (!this.#isSettled) await this.#news.next(AbortSignal.timeout(behindMs[at]));
    this.#isSettled = false;
  }

  stop(): void {
    this.#over.abort();
  }

  async #show(): Promise<void> {
    const { run } = this.#options;
    try {
      for await (const event of run.stream({ tree: true, signal: this.#over.signal })) {
        await this.#tell(event);
        if (event.type === 'paused') this.#settle();
      }
    } catch {
      // The run itself tells its caller what is wrong.
    }
    this.#settle();
  }

  #settle(): void {
    this.#isSettled = true;
    this.#news.tell();
  }

  async #tell(event: StreamEvent): Promise<void> {
    const { terminal, json, run } = this.#options;
    if (json) return terminal.print(printableJson({ kind: 'stream', ...event }));
    if (terminal.isInteractive && (await this.#speak(event))) return;
    if (event.workflowId === run.workflowId) return;
    const { noteStyle: style, width } = terminal;
    for (const line of renderStep(event, { style, width })) terminal.note(line);
  }

  /** True if the event needs no lines. */
  async #speak(event: StreamEvent): Promise<boolean> {
    if (event.type === 'text') {
      await this.#say(event);
      return true;
    }
    if (event.type !== 'step-begin' && event.type !== 'step-end') return false;
    const key = stepOf(event);
    this.#unheard.delete(key);
    if (this.#floor?.key !== key) return false;
    const { text } = this.#floor;
    this.#floor = undefined;
    this.#options.terminal.write('\n');
    if (event.type === 'step-begin') return true;
    this.#said.add(text.trim());
    // Its text is on the screen, but its calls are not.
    return event.content.every(({ type }) => type !== 'tool_call');
  }

  async #say(event: LivePlace & { readonly turn: number; readonly delta: string }): Promise<void> {
    const { terminal, run } = this.#options;
    const key = stepOf(event);
    if (this.#floor === undefined && !this.#unheard.has(key)) {
      this.#floor = { key, text: '' };
      if (event.workflowId === run.workflowId) await this.#options.before?.(event.turn);
      else terminal.note(terminal.noteStyle.dim(printable(event.path)));
    }
    if (this.#floor?.key !== key) {
      this.#unheard.add(key);
      return;
    }
    this.#floor.text += event.delta;
    terminal.write(printable(event.delta));
  }
}

function stepOf({ workflowId, turn }: { workflowId: string; turn: number }): string {
  return `${workflowId} ${turn}`;
}
