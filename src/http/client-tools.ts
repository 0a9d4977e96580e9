// The tools that a request brings. Their texts influence what the agent does, so the backend decides who may bring tools.

import type { ClientToolOptions } from '../client/index';
import { clientToolsExcess } from '../core/client-tools';
import type { StreamEvent } from '../core/stream/events';
import { HttpProblem } from './problems';
import type { Call } from './route';
import { segmentOf } from './segment';

/** How long a request waits until its tools are taken or refused. */
const firstEventMs = 5_000;

type Tools = { readonly clientTools?: readonly ClientToolOptions[] };

/** The tools, if this caller may bring some. It measures them before anything looks at them. */
export async function broughtTools(call: Call, { clientTools = [] }: Tools): Promise<Tools> {
  if (clientTools.length === 0) return {};
  if (!(await call.mayBringTools()))
    throw new HttpProblem('ClientToolsRefused', {
      detail: 'the option clientTools of agentHandler says whose tools it takes',
    });
  const excess = clientToolsExcess(clientTools);
  if (excess !== undefined) throw new HttpProblem('InvalidInput', { detail: excess });
  return { clientTools };
}

/**
 * Only a worker knows whether the agent has tools with these names already. So a request with tools waits until its run has begun, and is
 * refused if the run ended with that error. If the run does not begin soon, the error comes at the end of the run.
 */
export async function toolsTaken(
  call: Call,
  run: Parameters<typeof segmentOf>[1],
  { clientTools = [] }: Tools,
): Promise<void> {
  if (clientTools.length === 0) return;
  const late = AbortSignal.timeout(firstEventMs);
  const events = segmentOf(call, run, late);
  const first = await Promise.race([nextOf(events), aborted(late), aborted(call.request.signal)]);
  void events.return().catch(() => undefined);
  if (first?.type !== 'end' || first.error?.code !== 'InvalidInput') return;
  throw new HttpProblem('InvalidInput', { detail: first.error.message });
}

/** Undefined also for a stream that breaks: its reader gets the error. */
async function nextOf(events: AsyncIterator<StreamEvent, void>): Promise<StreamEvent | undefined> {
  try {
    const { value } = await events.next();
    return value ?? undefined;
  } catch {
    return undefined;
  }
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return undefined;
  return await new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
