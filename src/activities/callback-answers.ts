// What a hook may answer. Its type says so, too, but callbacks may be plain JavaScript.

import type { InvalidToolCallAction } from '../protocol/agent-run';
import { isJsonObject } from '../base/json';
import type { CallbackAnswer } from '../define/callbacks';
import { callbackError, type HookPlace } from './callback-failure';

export function readAnswer(answer: unknown, place: HookPlace): CallbackAnswer {
  if (isJsonObject(answer)) {
    const { kind, reason, text } = answer;
    if (kind === 'abort' && typeof reason === 'string') return { kind, reason };
    if (kind === 'override' && typeof text === 'string') return { kind, text };
  }
  throw callbackError(place, 'must answer nothing, abort(reason) or overrideResponse(text)');
}

const actionText = { retry: 'feedback', repair: 'name', skip: 'reason', stop: 'reason' } as const;

export function readAction(answer: unknown, place: HookPlace): InvalidToolCallAction {
  const kind = isJsonObject(answer) ? answer['kind'] : undefined;
  if (isJsonObject(answer) && typeof kind === 'string') {
    if (kind === 'fail') return { kind };
    const member = Object.hasOwn(actionText, kind)
      ? actionText[kind as keyof typeof actionText]
      : undefined;
    const text = member === undefined ? undefined : answer[member];
    if (member !== undefined && typeof text === 'string')
      return { kind, [member]: text } as InvalidToolCallAction;
  }
  const actions = Object.entries(actionText).map(
    ([name, member]) => `{kind: '${name}', ${member}}`,
  );
  throw callbackError(place, `must answer nothing, {kind: 'fail'} or ${actions.join(' or ')}`);
}
