/*
 * Loads a stored run. It knows the keys of the format, not what they mean.
 *
 * J1. Another format, a missing or an unknown key is refused by name; nothing is filled in.
 */
import { isJsonObject } from '../protocol/json';
import { StateError } from './errors';
import { optionNames } from './options';
import type { AgentRunState, Counters, RunStateKind } from './run-state';
import { noCounts } from './run-state';

export const stateFormat = 1;

const counterKeys = Object.keys(noCounts) as (keyof Counters)[];
const stateKeys = ['format', 'options', 'log', 'completionCalls', 'state', ...counterKeys];
const eventKinds = ['user', 'model-turn', 'tool-result', 'decision', 'summary'];

/** Keys of each variant besides `kind`; a trailing `?` marks one that may be missing. */
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

export function readState(value: unknown): AgentRunState {
  if (!isJsonObject(value)) throw new StateError('The stored run is not a JSON object.');
  if (value['format'] !== stateFormat)
    throw new StateError(
      `The stored run has the format ${JSON.stringify(value['format'])}; this version reads format ${stateFormat}.`,
    );
  checkKeys('', value, stateKeys);
  checkKeys(
    'options',
    value['options'],
    optionNames.map((name) => `${name}?`),
  );
  checkVariant(value['state']);
  for (const key of counterKeys) {
    if (!Number.isSafeInteger(value[key]) || (value[key] as number) < 0)
      throw new StateError(`The key "${key}" of the stored run is not a whole number from 0.`);
  }
  for (const key of ['log', 'completionCalls'])
    if (!Array.isArray(value[key]))
      throw new StateError(`The key "${key}" of the stored run is not a list.`);
  checkLog(value['log'] as unknown[]);
  return value as unknown as AgentRunState;
}

function checkVariant(state: unknown): void {
  const kind = isJsonObject(state) ? state['kind'] : undefined;
  if (typeof kind !== 'string' || !Object.hasOwn(variantKeys, kind))
    throw new StateError(
      `The key "state.kind" of the stored run is ${JSON.stringify(kind)}, which this version does not know.`,
    );
  checkKeys('state', state, ['kind', ...variantKeys[kind as RunStateKind]]);
}

function checkLog(log: readonly unknown[]): void {
  log.forEach((event, index) => {
    const kind = isJsonObject(event) ? event['kind'] : undefined;
    if (typeof kind !== 'string' || !eventKinds.includes(kind))
      throw new StateError(
        `The key "log[${index}].kind" of the stored run is ${JSON.stringify(kind)}, which this version does not know.`,
      );
  });
}

function checkKeys(path: string, value: unknown, expected: readonly string[]): void {
  const named = (key: string): string => (path ? `${path}.${key}` : key);
  if (!isJsonObject(value))
    throw new StateError(`The key "${path}" of the stored run is not an object.`);
  const known = new Set(expected.map((key) => key.replace('?', '')));
  for (const key of Object.keys(value))
    if (!known.has(key))
      throw new StateError(
        `The stored run has the key "${named(key)}", which this version does not know.`,
      );
  for (const key of expected)
    if (!key.endsWith('?') && !Object.hasOwn(value, key))
      throw new StateError(`The stored run lacks the key "${named(key)}".`);
}
