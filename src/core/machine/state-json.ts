/*
 * Loads a stored run. It knows the keys of the format, not what they mean.
 *
 * J1. It refuses another format, a missing key and an unknown key, and names each. It fills in nothing.
 */
import { LonghaulError } from '../../protocol/errors';
import { isJsonObject } from '../../base/json';
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

/** `others`: further keys that the value may have. */
export function readState(value: unknown, others: readonly string[] = []): StoredMachine {
  if (!isJsonObject(value))
    throw new LonghaulError('StateError', 'The stored run is not a JSON object.');
  const format = JSON.stringify(value['format']);
  if (value['format'] !== stateFormat)
    throw new LonghaulError(
      'StateError',
      `The stored run has format ${format}; this version reads format ${stateFormat}.`,
    );
  checkKeys('', value, [...stateKeys, ...others]);
  checkMachineOptions(value['options']);
  checkVariant(value['state']);
  for (const key of counterKeys) checkCounter(key, value[key]);
  checkList('completionCalls', value['completionCalls']);
  return value as unknown as StoredMachine;
}

/** Like `readState`, for a state that contains the log. */
export function readRunState(value: unknown): AgentRunState {
  const state = readState(value, ['log']) as AgentRunState;
  checkList('log', state.log).forEach((event, index) => {
    checkKind(`log[${index}].kind`, isJsonObject(event) ? event['kind'] : undefined, eventKinds);
  });
  return state;
}

function checkMachineOptions(options: unknown): void {
  checkKeys('options', options, optionKeys);
  const { output } = options as { output?: unknown };
  if (output !== undefined) checkKeys('options.output', output, outputKeys);
}

function checkVariant(state: unknown): void {
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
  if (typeof kind === 'string' && known.includes(kind)) return;
  throw new LonghaulError(
    'StateError',
    `The key "${path}" of the stored run is ${JSON.stringify(kind)}, which this version does not know.`,
  );
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

function checkKeys(path: string, value: unknown, expected: readonly string[]): void {
  const named = (key: string): string => (path ? `${path}.${key}` : key);
  if (!isJsonObject(value))
    throw new LonghaulError('StateError', `The key "${path}" of the stored run is not an object.`);
  const known = new Set(expected.map((key) => key.replace('?', '')));
  const unknown = Object.keys(value).find((key) => !known.has(key));
  if (unknown !== undefined)
    throw new LonghaulError(
      'StateError',
      `The stored run has the key "${named(unknown)}", which this version does not know.`,
    );
  const missing = expected.find((key) => !key.endsWith('?') && !Object.hasOwn(value, key));
  if (missing !== undefined)
    throw new LonghaulError('StateError', `The stored run lacks the key "${named(missing)}".`);
}
