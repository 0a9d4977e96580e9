/*
 * The results of completed tasks, for the tasks that wait for them. It does not know templates.
 *
 * 1. It reads a text as JSON only once, even if many tasks ask for it.
 */

import { isJsonObject, type Json, type JsonObject, textOfParts } from '../../base';
import type { ChildResult, RunInput } from '../../protocol/run';
import { fitReplies } from '../transcript/fit-reply';
import { LonghaulError } from '../../protocol/errors';
import { limits } from '../../protocol/limits';
import { fitTexts, jsonBytes, sizeInJson } from '../transcript/fit-texts';
import type { PlannedTask } from './graph-tasks';
import { renderTemplate } from './template';

/** Room for the part that is added to an input made of parts. */
const roomForPart = 100;

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

  /** The structured reply. Without one, the text as JSON, if it is a JSON object. */
  replyOf(task: string): Json | undefined {
    if (!this.#replies.has(task)) this.#replies.set(task, readReply(this.#results.get(task)));
    return this.#replies.get(task);
  }

  /** Cuts the results of these tasks so that together they fit into `maxBytes`. */
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

  /** The results of these tasks, as far as there are any. */
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

// The input of a graph's task, once the tasks it waits for are done.

type TaskSources = {
  readonly input: RunInput['input'];
  readonly session: JsonObject;
  readonly results: TaskResults;
};

/** Throws `InvalidInput` if the prompt needs a value that is missing. */
export function taskInput(task: PlannedTask, sources: TaskSources): RunInput['input'] {
  const { input, results } = sources;
  if (task.prompt === undefined) return withOutputs(task, input, results);
  const used = task.needs.map((id) => {
    const structured = results.replyOf(id);
    const output = results.textOf(id);
    return [id, structured === undefined ? { output } : { output, structured }] as const;
  });
  return renderTemplate(task.prompt.parts, {
    input: typeof input === 'string' ? input : textOfParts(input, '\n'),
    results: Object.fromEntries(used),
    params: paramValues(task, task.prompt.params, sources),
  });
}

/** Adds the outputs, cut to the limit of an input, because an orchestration cannot make its tasks write less. */
function withOutputs(
  { dependencies }: PlannedTask,
  input: RunInput['input'],
  results: TaskResults,
): RunInput['input'] {
  if (dependencies.length === 0) return input;
  const head = (id: string): string => `\n\nOutput of task '${id}':\n`;
  const around = jsonBytes([input, dependencies.map(head).join('')]) + roomForPart;
  const texts = dependencies.map((id) => results.textOf(id));
  const fitted = fitTexts(texts, limits.input - around, sizeInJson);
  const text = dependencies
    .map((id, index) => `${head(id)}${fitted[index] ?? ''}`)
    .join('')
    .trimStart();
  return typeof input === 'string' ? `${input}\n\n${text}` : [...input, { type: 'text', text }];
}

function paramValues(
  task: PlannedTask,
  names: readonly string[],
  { session, results }: TaskSources,
): { readonly [name: string]: Json } {
  const replies = task.dependencies
    .map((id) => results.replyOf(id))
    .filter((reply) => isJsonObject(reply))
    .reverse();
  const sources = [...replies, session];
  const values = names.map((name) => {
    const source = sources.find((candidate) => Object.hasOwn(candidate, name));
    if (source === undefined) throw missing(task, name);
    return [name, source[name] ?? null] as const;
  });
  return Object.fromEntries(values);
}

function missing({ id, dependencies }: PlannedTask, parameter: string): LonghaulError {
  const replies = dependencies.length > 3 ? 'its dependencies' : dependencies.join(', ');
  const searched =
    replies === ''
      ? 'it has no dependencies, and the session has no such key'
      : `neither the JSON reply of ${replies} nor the session has this key`;
  return new LonghaulError(
    'InvalidInput',
    `the prompt needs the parameter '${parameter}': ${searched}`,
    {
      details: { task: id, parameter },
    },
  );
}
