// Shows what a run does while it does it: the text of its model as it comes, and the steps of the runs below it.
//
// 1. On a terminal, text streams. One run at a time has the floor: while it speaks, the text of others comes with their steps.
// 2. Elsewhere there are whole lines only.

import type { RunHandle, StreamEvent } from '../../client';
import type { LivePlace } from '../../protocol';

import { printable, printableJson } from '../render/text';
import { renderStep } from '../render/render-stream';
import type { Terminal } from '../render/terminal';

type LiveOptions = {
  readonly run: RunHandle;
  readonly terminal: Terminal;
  readonly json: boolean;
};

export class LiveView {
  readonly #options: LiveOptions;
  readonly #said = new Set<string>();
  /** Who speaks, and what was said of the step. */
  #floor: { readonly key: string; text: string } | undefined;
  /** Steps in progress whose text comes with their end: somebody else spoke when they began, or in between. */
  readonly #unheard = new Set<string>();

  constructor(options: LiveOptions) {
    this.#options = options;
  }

  /** Whether a terminal has shown this text already. */
  hasSaid(text: string): boolean {
    return this.#said.has(text.trim());
  }

  tell(event: StreamEvent): void {
    const { terminal, json, run } = this.#options;
    if (json) return terminal.print(printableJson({ kind: 'stream', ...event }));
    if (terminal.isInteractive && this.#speak(event)) return;
    if (event.workflowId === run.workflowId) return;
    const { noteStyle: style, width } = terminal;
    for (const line of renderStep(event, { style, width })) terminal.note(line);
  }

  /** Ends the line: somebody else writes to the terminal now. */
  rest(): void {
    if (this.#floor === undefined) return;
    this.#unheard.add(this.#floor.key);
    this.#floor = undefined;
    this.#options.terminal.write('\n');
  }

  /** True if the event needs no lines. */
  #speak(event: StreamEvent): boolean {
    if (event.type === 'text') {
      this.#say(event);
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

  #say(event: LivePlace & { readonly turn: number; readonly delta: string }): void {
    const { terminal, run } = this.#options;
    const key = stepOf(event);
    if (this.#floor === undefined && !this.#unheard.has(key)) {
      this.#floor = { key, text: '' };
      if (event.workflowId !== run.workflowId)
        terminal.note(terminal.noteStyle.dim(printable(event.path)));
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
