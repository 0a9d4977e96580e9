// What a run starts from, where it did not travel with its start: the stores' state, or what the run that called it keeps.

import type { OpenRunResult } from '../protocol/activities';
import type { RunInput } from '../protocol/run';
import { controlActivities } from './activity-proxies';
import type { LoadedDefinition } from './load-definition';
import { openSession } from './run-stores';

export type RunStart = OpenRunResult & { readonly input: RunInput['input'] };

export async function openStart(given: RunInput, loaded: LoadedDefinition): Promise<RunStart> {
  const { sessionFrom, inputFrom } = given;
  const [opened, { input }] = await Promise.all([
    sessionFrom === undefined
      ? openSession(given, loaded)
      : controlActivities
          .fetchSession({ workflowId: sessionFrom })
          .then((session) => ({ session })),
    inputFrom === undefined ? given : controlActivities.fetchInput(inputFrom),
  ]);
  return { ...opened, input };
}

/** What the next execution is started with: all else is carried. */
export function withoutStart(given: RunInput): Omit<RunInput, 'input'> {
  const { input: _input, inputFrom: _inputFrom, ...rest } = given;
  const { session: _session, sessionFrom: _sessionFrom, ...started } = rest;
  return started;
}
