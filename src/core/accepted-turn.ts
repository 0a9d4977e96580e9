import { ProtocolError } from './errors';
import type { StoredOptions } from './options';
import { allowedNames, sortedNames } from './options';
import { plainJson } from './plain-json';
import type { AcceptedTurn } from './run-state';
import type { ModelTurn } from './steps';
import { toUsage } from './usage';

/** A turn as the provider gave it, with the names it is judged by. A callback's verdict leaves nothing to judge. */
export function acceptTurn(options: StoredOptions, turn: ModelTurn): AcceptedTurn {
  if (!Array.isArray(turn.content) || !Array.isArray(turn.tools))
    throw new ProtocolError('A model turn needs its content and the names of its tools as lists.');
  const { content, usage, finishReason, origin, ids, verdicts } = turn;
  const event = plainJson({
    kind: 'model-turn' as const,
    content,
    usage: toUsage(usage),
    ...(finishReason && { finishReason }),
    ...(origin && { origin }),
    ...(ids && { ids }),
    ...(verdicts && { verdicts }),
  });
  return {
    event,
    tools: sortedNames(turn.tools),
    allowed: sortedNames(turn.allowed ?? allowedNames(options, turn.tools)),
    amendments: [],
    skips: [],
  };
}
