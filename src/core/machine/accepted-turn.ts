import { LonghaulError } from '../../protocol/errors';
import { allowedNames, sortedNames, type StoredOptions } from './options';
import { defined, isJsonObject, plainJson } from '../../base';
import type { AcceptedTurn } from './run-state';
import type { ModelTurn } from './steps';
import { toUsage } from '../budget/usage';

/** A turn as the provider gave it, with the names for its checks. If a callback answered, there is nothing to check. */
export function acceptTurn(options: StoredOptions, turn: ModelTurn): AcceptedTurn {
  if (!isJsonObject(turn) || !Array.isArray(turn.content) || !Array.isArray(turn.tools))
    throw new LonghaulError(
      'ProtocolError',
      'A model turn needs its content and the names of its tools as lists.',
    );
  const odd = turn.content.findIndex((part) => !isPart(part));
  if (odd >= 0)
    throw new LonghaulError(
      'ProtocolError',
      `Part ${odd} of the model turn is no part of a message.`,
    );
  const { id, content, usage, finishReason, origin, ids, checks } = turn;
  const event = plainJson({
    ...defined({ id }),
    kind: 'model-turn' as const,
    content,
    usage: toUsage(usage),
    ...(finishReason && { finishReason }),
    ...defined({ origin, ids, checks }),
  });
  return {
    event,
    tools: sortedNames(turn.tools),
    allowed: sortedNames(turn.allowed ?? allowedNames(options, turn.tools)),
    amendments: [],
    skips: [],
  };
}

/** Arguments arrive parsed: they are an object, or null if they are malformed. */
function isPart(part: unknown): boolean {
  if (!isJsonObject(part) || typeof part['type'] !== 'string') return false;
  const { type, name, args } = part;
  return (
    type !== 'tool_call' || (typeof name === 'string' && (args === null || isJsonObject(args)))
  );
}
