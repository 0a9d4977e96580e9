import { setTimeout as sleep } from 'node:timers/promises';
import type { LogEntry, Message, ToolCallPart, ToolResult } from 'longhaul';
import type { RunHandle } from 'longhaul/client';
import type { Screen } from './screen.mts';

const longestResult = 160;
const catchUpMs = 20;

/** Tells what a run does as it happens. */
export class Story {
  /** Resolves when the run has ended and all of it was told. */
  readonly ended: Promise<void>;
  readonly #run: RunHandle;
  readonly #screen: Screen;
  #told = 0;
  #modelCalls = 0;
  #toolCalls = 0;

  constructor(run: RunHandle, screen: Screen) {
    this.#run = run;
    this.#screen = screen;
    this.ended = this.#follow();
    this.ended.catch(() => undefined);
  }

  get counts(): string {
    return `${this.#modelCalls} model calls, ${this.#toolCalls} tool calls`;
  }

  /** Resolves when all that has happened so far was told. */
  async catchUp(): Promise<void> {
    const { logLength } = await this.#run.state();
    while (this.#told < logLength) await Promise.race([this.ended, sleep(catchUpMs)]);
  }

  async #follow(): Promise<void> {
    for await (const { index, entry } of this.#run.events()) {
      this.#tell(entry);
      this.#told = index + 1;
    }
  }

  #tell(entry: LogEntry): void {
    if (entry.kind === 'user') this.#screen.line('user', textOf(entry.message), 'green');
    if (entry.kind === 'model-turn') this.#tellTurn(entry);
    if (entry.kind === 'tool-result') this.#tellResult(entry.result);
    if (entry.kind === 'decision' && entry.decision.kind === 'edit-call') {
      const args = JSON.stringify(entry.decision.args);
      this.#screen.line('person', `changed the arguments to ${args}`, 'green');
    }
  }

  #tellTurn({ content }: Extract<LogEntry, { kind: 'model-turn' }>): void {
    this.#modelCalls += 1;
    const lines = content.flatMap((part) => {
      if (part.type === 'text') return part.text === '' ? [] : [part.text];
      return part.type === 'tool_call' && part.name !== 'ask_user' ? [callLine(part)] : [];
    });
    const isAnswer = content.every((part) => part.type !== 'tool_call');
    if (isAnswer) this.#screen.gap();
    if (lines.length > 0)
      this.#screen.line(isAnswer ? 'answer' : 'model', lines.join('\n'), 'magenta');
  }

  #tellResult(result: ToolResult): void {
    if (result.name === 'ask_user') {
      this.#screen.line('user', resultText(result), 'green');
      return;
    }
    this.#toolCalls += 1;
    const [gist = ''] = resultText(result).split('\n', 1);
    this.#screen.line('tool', `${result.name}: ${clip(gist)}`, result.isError ? 'red' : 'blue');
  }
}

function callLine({ name, args, rawArgs }: ToolCallPart): string {
  return `${name} ${args === null ? (rawArgs ?? '') : JSON.stringify(args)}`;
}

/** A result as the model sees it. */
export function resultText({ content }: ToolResult): string {
  const texts = content.map((part) => {
    if (part.type === 'text') return part.text;
    return part.type === 'json' ? JSON.stringify(part.value) : `[${part.mediaType}]`;
  });
  return texts.join(' ');
}

function textOf({ parts }: Extract<Message, { role: 'user' }>): string {
  return parts.map((part) => (part.type === 'text' ? part.text : `[${part.mediaType}]`)).join(' ');
}

function clip(text: string): string {
  return text.length > longestResult ? `${text.slice(0, longestResult)}…` : text;
}
