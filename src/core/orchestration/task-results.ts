/*
 * What completed tasks leave to those that wait for them. It knows no templates.
 *
 * 1. A text is read as JSON once, however many tasks ask.
 */
import type { Json, JsonObject } from '../../base/json';
import { isJsonObject } from '../../base/json';
import type { ChildResult } from '../../protocol/run';
import { fitReplies } from '../transcript/fit-reply';

export type TaskResult = { readonly text: string; readonly structured?: Json };

export class TaskResults {
  readonly #results: Map<string, TaskResult>;
  readonly #replies = new Map<string, Json | undefined>();

  constructor(results: { readonly [task: string]: TaskResult }) {
    this.#results = new Map(Object.entries(results));
  }

  add(task: string, { text, structured }: ChildResult['finalResponse']): void {
    this.#results.set(task, structured === undefined ? { text } : { text, structured });
  }

  textOf(task: string): string {
    return this.#results.get(task)?.text ?? '';
  }

  /** The structured reply, else the text where it is a JSON object. */
  replyOf(task: string): Json | undefined {
    if (!this.#replies.has(task)) this.#replies.set(task, readReply(this.#results.get(task)));
    return this.#replies.get(task);
  }

  /** Those of these tasks fit into `maxBytes` together. */
  shorten(tasks: ReadonlySet<string>, maxBytes: number): void {
    const wanted = [...this.#results].filter(([task]) => tasks.has(task));
    const fitted = fitReplies(
      wanted.map(([, result]) => result),
      maxBytes,
    );
    for (const [index, [task]] of wanted.entries())
      this.#results.set(task, fitted[index] ?? { text: '' });
    this.#replies.clear();
  }

  /** Those of these tasks that there are. */
  pick(tasks: ReadonlySet<string>): { readonly [task: string]: TaskResult } {
    return Object.fromEntries([...this.#results].filter(([task]) => tasks.has(task)));
  }
}

function readReply(result: TaskResult | undefined): Json | undefined {
  return result?.structured ?? readObject(result?.text ?? '');
}

function readObject(text: string): JsonObject | undefined {
  const trimmed = text.trim();
  const fenced = /^```[\w-]*[^\S\n]*\n([\s\S]*?)\n?[^\S\n]*```$/.exec(trimmed);
  try {
    const value: unknown = JSON.parse(fenced?.[1] ?? trimmed);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
