import type { ToolHook } from '../protocol/spec';
import type { CallbackHooks, Callbacks, CallbacksDefinition } from './callbacks';
import { runnerIdPattern, runnerIdRule, sessionKeyProblems } from './names';
import { OptionReader } from './option-reader';
import { deepFreeze } from '../base/plain-json';
import { describeValue, specError } from './problem';

const hookNames = [
  'beforeModelCall',
  'afterModelCall',
  'beforeToolCall',
  'afterToolCall',
  'onInvalidToolCall',
] as const satisfies readonly (keyof CallbackHooks)[];
const toolHookNames = ['beforeToolCall', 'afterToolCall'] as const satisfies readonly ToolHook[];

/**
 * Defines callbacks: code of yours that runs on the worker around the model and tool calls of the agents that list it.
 *
 * @example
 * const guard = defineCallbacks({
 *   name: 'guard',
 *   beforeToolCall: ({ call }) => (call.name === 'delete_all' ? abort('not on my watch') : undefined),
 * });
 */
export function defineCallbacks(definition: CallbacksDefinition): Callbacks {
  const reader = new OptionReader(definition, ['name', 'session', ...hookNames]);
  const name = reader.text('name', {
    pattern: runnerIdPattern,
    rule: runnerIdRule,
    required: true,
  });
  const session = reader.get('session');
  if (session !== undefined) reader.problems.push(...sessionKeyProblems(session, 'session'));
  for (const hook of hookNames) reader.callback(hook);
  if (reader.problems.length === 0 && hookNames.every((hook) => reader.get(hook) === undefined))
    reader.refuse('', `must have at least one of ${hookNames.join(', ')}`);
  if (name === undefined || reader.problems.length > 0)
    throw specError(subjectOf(reader.get('name')), reader.problems);
  const toolHooks = toolHookNames.filter((hook) => reader.get(hook) !== undefined);
  return Object.freeze({
    kind: 'callbacks',
    name,
    spec: deepFreeze({
      name,
      ...(session === undefined ? {} : { session: [...(session as string[])] }),
      ...(toolHooks.length > 0 && { toolHooks }),
    }),
    hooks: Object.freeze(hooksOf(definition)),
  });
}

function hooksOf(definition: CallbacksDefinition): CallbackHooks {
  return Object.fromEntries(
    hookNames.flatMap((hook) =>
      definition[hook] === undefined ? [] : [[hook, definition[hook]] as const],
    ),
  );
}

function subjectOf(name: unknown): string {
  return typeof name === 'string' ? `Callbacks ${describeValue(name)}` : 'Callbacks';
}
