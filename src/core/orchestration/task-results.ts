/*
 * What completed tasks leave to those that wait for them. It knows no templates.
 *
 * 1. A text is read as JSON once, however many tasks ask.
 */

import { isJsonObject, type Json, type JsonObject } from '../../base/json';
import type { ChildResult, RunInput } from '../../protocol/run';
import { fitReplies } from '../transcript/fit-reply';
import { textOfParts } from '../../base/text';
import { LonghaulError } from '../../protocol/errors';
import { limits } from '../../protocol/limits';
import { fitTexts, jsonBytes, sizeInJson } from '../transcript/fit-texts';
import type { PlannedTask } from './graph-tasks';
import { renderTemplate } from './template';

/** Of the part that is added to an input of several. */
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

// What a task of a graph is given, once the tasks it waits for are done.

type TaskSources = {
  readonly input: RunInput['input'];
  readonly session: JsonObject;
  readonly results: TaskResults;
};

/** Throws `InvalidInput` where something is missing that the prompt needs. */
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

/** Within what an input may have: an orchestration cannot tell its tasks to say less. */
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
