/*
 * Loads a stored run. It knows the keys of the format, not what they mean.
 *
 * J1. It names what it refuses. What only a newer version knows, that version can read: the error is `retryable`.
 * J2. A state that a workflow carried may be of another version. One that a program kept must be of this one: nothing of it may get lost.
 */
import { LonghaulError } from '../../protocol/errors';
import { isJsonObject, type JsonObject } from '../../base/json';
import { ofNewerVersion, requireFormat } from '../stored-format';
import { machineOptionNames } from './options';
import type { AgentRunState, CallSlot, Counters, RunStateKind, StoredMachine } from './run-state';
import { noCounts } from './run-state';

export const stateFormat = 1;

const counterKeys = Object.keys(noCounts) as (keyof Counters)[];
const stateKeys = ['format', 'options', 'completionCalls', 'state', ...counterKeys];
const optionKeys = machineOptionNames.map((name) => `${name}?`);
const outputKeys = ['tool', 'schema?', 'retries?'];
const turnKeys = ['event', 'tools', 'allowed', 'amendments', 'skips'];
const eventKinds = ['user', 'model-turn', 'tool-result', 'decision', 'summary'];
const slotKinds: readonly CallSlot[] = ['execute', 'malformed', 'question', 'approval', 'deferred'];

/** Keys of each variant besides `kind`. A trailing `?` marks a key that may be missing. */
const variantKeys: { readonly [kind in RunStateKind]: readonly string[] } = {
  preparing: ['recordingOwed'],
  'awaiting-model': ['recorded'],
  'resolving-tool-calls': ['turn'],
  'awaiting-advance': ['turn'],
  'executing-tools': ['slots'],
  'awaiting-input': ['question'],
  done: ['completionReason', 'structured?', 'content?'],
  failed: ['failure'],
};

/**
 * Reads what `AgentMachine.toJSON` gave, of this version or an older one: ignores unknown keys, and counts from 0 what an older one did not
 * count. Throws a retryable `StateError` for what only a newer version knows.
 */
export function readState(value: unknown): StoredMachine {
  const state = { ...noCounts, completionCalls: [], options: {}, ...requireState(value) };
  checkState(state, false);
  return state as unknown as StoredMachine;
}

/** Reads what `AgentRun.toJSON` gave. It contains the log. Refuses each missing and each unknown key. */
export function readRunState(value: unknown): AgentRunState {
  const state = requireState(value);
  checkState(state, true);
  checkList('log', state['log']).forEach((event, index) => {
    checkKind(`log[${index}].kind`, isJsonObject(event) ? event['kind'] : undefined, eventKinds);
  });
  return state as unknown as AgentRunState;
}

function requireState(value: unknown): JsonObject {
  if (!isJsonObject(value))
    throw new LonghaulError('StateError', 'The stored run is not a JSON object.');
  requireFormat('The stored run', value['format'], stateFormat);
  return value;
}

/** `isExact`: no key is unknown. */
function checkState(value: JsonObject, isExact: boolean): void {
  const checkKeys = isExact ? checkExactKeys : requireKeys;
  checkKeys('', value, isExact ? [...stateKeys, 'log'] : stateKeys);
  const { options, state } = value;
  checkKeys('options', options, optionKeys);
  const { output } = options as { readonly output?: unknown };
  if (output !== undefined) checkKeys('options.output', output, outputKeys);
  checkVariant(state, checkKeys);
  for (const key of counterKeys) checkCounter(key, value[key]);
  checkList('completionCalls', value['completionCalls']);
}

function checkVariant(state: unknown, checkKeys: typeof requireKeys): void {
  const variant = isJsonObject(state) ? state : {};
  const kind = variant['kind'];
  checkKind('state.kind', kind, Object.keys(variantKeys));
  checkKeys('state', variant, ['kind', ...variantKeys[kind as RunStateKind]]);
  if (Object.hasOwn(variant, 'turn')) checkKeys('state.turn', variant['turn'], turnKeys);
  if (!Object.hasOwn(variant, 'slots')) return;
  checkList('state.slots', variant['slots']).forEach((slot, index) => {
    checkKind(`state.slots[${index}]`, slot, slotKinds);
  });
}

function checkKind(path: string, kind: unknown, known: readonly string[]): void {
  if (typeof kind !== 'string')
    throw new LonghaulError('StateError', `The key "${path}" of the stored run is not a text.`);
  if (!known.includes(kind))
    throw ofNewerVersion(`The key "${path}" of the stored run is ${JSON.stringify(kind)}`);
}

function checkCounter(path: string, value: unknown): void {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return;
  throw new LonghaulError(
    'StateError',
    `The key "${path}" of the stored run is not a whole number from 0.`,
  );
}

function checkList(path: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new LonghaulError('StateError', `The key "${path}" of the stored run is not a list.`);
}

function checkExactKeys(path: string, value: unknown, expected: readonly string[]): void {
  const known = new Set(expected.map((key) => key.replace('?', '')));
  const unknown = Object.keys(Object(value) as object).find((key) => !known.has(key));
  if (isJsonObject(value) && unknown !== undefined)
    throw ofNewerVersion(`The stored run has the key "${named(path, unknown)}"`);
  requireKeys(path, value, expected);
}

function requireKeys(path: string, value: unknown, expected: readonly string[]): void {
  if (!isJsonObject(value))
    throw new LonghaulError('StateError', `The key "${path}" of the stored run is not an object.`);
  const missing = expected.find((key) => !key.endsWith('?') && !Object.hasOwn(value, key));
  if (missing !== undefined)
    throw new LonghaulError(
      'StateError',
      `The stored run lacks the key "${named(path, missing)}".`,
    );
}

function named(path: string, key: string): string {
  return path ? `${path}.${key}` : key;
}
