// What a history alone tells of a run: the entries of its log, and why its workflow task fails.
//
// 1. History lacks the machine's own decisions, so the log from history is shorter than the log from a worker.

import { inflateRawSync } from 'node:zlib';
import type { Client } from '@temporalio/client';
import { isJsonObject } from '../../base';
import { tellsOfNewerVersion } from '../../core/stored-format';
import { limits, type LogEntry, type LogPage, LonghaulError, type RunInput } from '../../protocol';
import { decode, errorOf } from './payloads';
import { lastStepsOf, type Step, stepsOf } from './steps';

/** A run whose tasks fail has few events since its last completed task. */
const mostEvents = 50;

/** In the server's API: `WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR`. */
const nonDeterministic: unknown = 24;

/** `WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW`: the event with which a reset begins. No code has failed. */
const wasReset: unknown = 20;

const promptId = 'history/1';

export async function entriesFromHistory(client: Client, workflowId: string): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for await (const step of stepsOf(client, { workflowId })) {
    for (const entry of await toEntries(client, step)) {
      if (entry.id !== promptId) entries.push(entry);
      // History has a long input twice: cut in the start event, and whole before the model's first answer.
      else if (entries.length < 2) entries.splice(0, 1, entry);
    }
  }
  return entries;
}

async function toEntries(client: Client, step: Step): Promise<LogEntry[]> {
  if (step.kind === 'begin') {
    if (step.carried) return readCarriedEntries(await decode(client, step.carried));
    return step.input ? promptEntry(await decode(client, step.input)) : [];
  }
  if (step.kind !== 'end' || step.of !== 'activity' || !step.result) return [];
  const value = await decode(client, step.result);
  return value instanceof Uint8Array ? [...inflate<LogPage>(value).entries] : activityEntry(value);
}

/** The log that the previous execution handed over. Empty if activities pull it instead. */
function readCarriedEntries(value: unknown): LogEntry[] {
  if (!(value instanceof Uint8Array)) return [];
  return inflate<{ entries?: LogEntry[] }>(value).entries ?? [];
}

function inflate<Value>(bytes: Uint8Array): Value {
  try {
    const text = inflateRawSync(bytes, { maxOutputLength: limits.inflated }).toString();
    return JSON.parse(text) as Value;
  } catch (error) {
    throw new LonghaulError(
      'StateError',
      `cannot read the state in the run's history: ${String(error)}`,
    );
  }
}

function promptEntry(value: unknown): LogEntry[] {
  const input = isJsonObject(value) ? (value as unknown as RunInput).input : undefined;
  if (input === undefined) return [];
  const parts = typeof input === 'string' ? [{ type: 'text' as const, text: input }] : input;
  return [{ id: promptId, kind: 'user', message: { role: 'user', parts } }];
}

function activityEntry(value: unknown): LogEntry[] {
  if (isJsonObject(value) && 'input' in value) return promptEntry(value);
  const entry = isJsonObject(value) ? value['entry'] : undefined;
  const isEntry = isJsonObject(entry) && typeof entry['kind'] === 'string';
  return isEntry ? [entry as unknown as LogEntry] : [];
}

/**
 * Why workers cannot go on with a run. `nondeterminism`: their code does not match its history. `newer-version`: a newer version of Longhaul
 * wrote its state.
 */
export type TaskFailureCause = 'nondeterminism' | 'newer-version' | 'error';

export type WorkflowTaskFailure = { readonly message: string; readonly cause: TaskFailureCause };

/** Undefined if the last task completed or timed out, or if a reset began the execution. */
export async function readTaskFailure(
  client: Client,
  workflowId: string,
): Promise<WorkflowTaskFailure | undefined> {
  for await (const step of lastStepsOf(client, { workflowId }, mostEvents)) {
    if (step.kind !== 'task') continue;
    if (step.status === 'completed') return undefined;
    if (step.status !== 'failed' || !step.failure || step.cause === wasReset) continue;
    const { message = '' } = (await errorOf(client, step.failure)) ?? {};
    if (step.cause === nonDeterministic || /nondeterminis/i.test(message))
      return { message, cause: 'nondeterminism' };
    return { message, cause: tellsOfNewerVersion(message) ? 'newer-version' : 'error' };
  }
  return undefined;
}
