/*
 * Loads a stored run. It knows the keys of the format, not what they mean.
 *
 * J1. The error names what it refuses. It is `retryable` if a newer version can read the state.
 * J2. A state that a workflow carried may be of another version. A state that a program kept must be of this version, because nothing of it
 *    may get lost.
 */
import { LonghaulError } from '../../protocol/errors';
import { isJsonObject, type JsonObject } from '../../base';
import { aList, count, listOf, stored, text, texts } from '../../protocol/shapes';
import { ofNewerVersion, requireFormat, requireShape } from '../stored-format';
import { machineOptionNames } from './options';
import {
  acceptedTurnShape,
  type AgentRunState,
  type CallSlot,
  noCounts,
  type RunStateKind,
  type StoredMachine,
} from './run-state';

export const stateFormat = 1;
const what = 'The stored run';

const counterKeys = Object.keys(noCounts);
const stateKeys = ['format', 'options', 'completionCalls', 'state', ...counterKeys];
const optionKeys = machineOptionNames.map((name) => `${name}?`);
const outputKeys = ['tool', 'schema?', 'retries?'];
const eventKinds = ['user', 'model-turn', 'tool-result', 'decision', 'summary'];
const slotKinds: readonly CallSlot[] = ['execute', 'malformed', 'question', 'approval', 'deferred'];

const kinds = listOf(stored({ kind: text }));
/** The members that a run reads without another check. */
const runShape = stored({
  ...Object.fromEntries(counterKeys.map((key) => [key, count])),
  completionCalls: aList(),
  options: stored({}, { maxTurns: count, criteria: kinds, approvals: texts }),
  state: stored({}, { turn: acceptedTurnShape, slots: texts }),
});
const turnKeys = Object.keys(acceptedTurnShape.properties);

/** Keys of each variant, without `kind`. A trailing `?` marks a key that may be missing. */
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
 * Reads the result of `AgentMachine.toJSON`, of this version or an older one. It ignores unknown keys. Counters that an older version did
 * not have start from 0. Throws a retryable `StateError` for a state that only a newer version knows.
 */
export function readState(value: unknown): StoredMachine {
  const state = { ...noCounts, completionCalls: [], options: {}, ...requireState(value) };
  checkState(state, false);
  return state as unknown as StoredMachine;
}

/** Reads the result of `AgentRun.toJSON`, which contains the log. It refuses each missing and each unknown key. */
export function readRunState(value: unknown): AgentRunState {
  const state = requireState(value);
  checkState(state, true);
  requireShape(what, stored({ log: kinds }), state);
  for (const [index, { kind }] of (state['log'] as JsonObject[]).entries())
    checkKind(`log[${index}].kind`, kind, eventKinds);
  return state as unknown as AgentRunState;
}

function requireState(value: unknown): JsonObject {
  if (!isJsonObject(value))
    throw new LonghaulError('StateError', 'The stored run is not a JSON object.');
  requireFormat(what, value['format'], stateFormat);
  return value;
}

/** `isExact`: no key is unknown. */
function checkState(value: JsonObject, isExact: boolean): void {
  const checkKeys = isExact ? checkExactKeys : requireKeys;
  checkKeys('', value, isExact ? [...stateKeys, 'log'] : stateKeys);
  const { kind } = Object(value['state']) as { readonly kind?: RunStateKind };
  checkKind('state.kind', kind, Object.keys(variantKeys));
  requireShape(what, runShape, value);
  const { options, state } = value as unknown as Omit<AgentRunState, 'log'>;
  checkKeys('options', options, optionKeys);
  if (options.output !== undefined) checkKeys('options.output', options.output, outputKeys);
  checkKeys('state', state, ['kind', ...variantKeys[state.kind]]);
  if ('turn' in state) checkKeys('state.turn', state.turn, turnKeys);
  const slots = 'slots' in state ? state.slots : [];
  for (const [index, slot] of slots.entries()) checkKind(`state.slots[${index}]`, slot, slotKinds);
}

function checkKind(path: string, kind: unknown, known: readonly string[]): void {
  if (typeof kind !== 'string') throw wrong(path, 'is not a text');
  if (!known.includes(kind))
    throw ofNewerVersion(`The key "${path}" of the stored run is ${JSON.stringify(kind)}`);
}

function checkExactKeys(path: string, value: unknown, expected: readonly string[]): void {
  const known = new Set(expected.map((key) => key.replace('?', '')));
  const unknown = Object.keys(Object(value) as object).find((key) => !known.has(key));
  if (isJsonObject(value) && unknown !== undefined)
    throw ofNewerVersion(`The stored run has the key "${named(path, unknown)}"`);
  requireKeys(path, value, expected);
}

function requireKeys(path: string, value: unknown, expected: readonly string[]): void {
  if (!isJsonObject(value)) throw wrong(path, 'is not an object');
  const missing = expected.find((key) => !key.endsWith('?') && !Object.hasOwn(value, key));
  if (missing !== undefined) throw wrong(named(path, missing), 'is missing');
}

const wrong = (path: string, problem: string): LonghaulError =>
  new LonghaulError('StateError', `The key "${path}" of the stored run ${problem}.`);

const named = (path: string, key: string): string => (path ? `${path}.${key}` : key);
