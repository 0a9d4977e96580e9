// One attempt at a model call, as its provider makes it, and everything that may end it early.

import { Context } from '@temporalio/activity';
import type { CallModelInput } from '../../protocol/activities';
import { ProviderError } from '../../protocol/errors';
import { timeouts } from '../../protocol/limits';
import type {
  ModelDelta,
  ModelProvider,
  ModelRequest,
  ModelResponse,
} from '../../providers/provider';
import { checkedResponse, providerFailure } from './checked-response';
import type { ActivityDependencies } from '../dependencies';
import type { TurnWatch } from './doomed-turn';

export type Attempt = {
  readonly dependencies: Pick<ActivityDependencies, 'onDelta'>;
  readonly input: Pick<CallModelInput, 'log' | 'turn'>;
  readonly signal: AbortSignal;
  readonly watch: TurnWatch | undefined;
};

/** One HTTP attempt, ended by cancellation, when nothing arrives for `timeouts.modelIdle`, or when its turn is doomed. */
export async function attempt(
  provider: ModelProvider,
  request: ModelRequest,
  call: Attempt,
): Promise<ModelResponse> {
  const { watch } = call;
  const target = { provider: provider.name, model: request.model };
  const idle = new AbortController();
  const startIdleTimer = (): NodeJS.Timeout =>
    setTimeout(() => idle.abort(idleError(provider)), timeouts.modelIdle);
  let timer = startIdleTimer();
  const options = {
    signal: AbortSignal.any([call.signal, idle.signal, ...(watch ? [watch.signal] : [])]),
    onActivity: (): void => {
      clearTimeout(timer);
      timer = startIdleTimer();
    },
    onDelta: deltaSink(call),
  };
  try {
    return checkedResponse(target, await provider.call(request, options));
  } catch (error) {
    const cut = watch?.cutTurn({ ...target, api: provider.name });
    if (cut !== undefined) return cut;
    throw options.signal.aborted ? error : providerFailure(target, error);
  } finally {
    clearTimeout(timer);
  }
}

/** The last delta of a cut turn is the one that doomed it. */
function deltaSink(call: Attempt): (delta: ModelDelta) => void {
  const { watch } = call;
  const forward = forwarding(call);
  return (delta) => {
    if (watch?.isCut) return;
    forward(delta);
    watch?.see(delta);
  };
}

function forwarding({ dependencies, input }: Attempt): (delta: ModelDelta) => void {
  const { onDelta } = dependencies;
  if (onDelta === undefined) return () => undefined;
  const { attempt: attemptNumber } = Context.current().info;
  const runId = input.log.workflowId;
  let seq = 0;
  return (delta) => {
    onDelta({ runId, turn: input.turn, attempt: attemptNumber, seq, delta });
    seq += 1;
  };
}

function idleError(provider: ModelProvider): ProviderError {
  const seconds = timeouts.modelIdle / 1_000;
  return new ProviderError(
    'unavailable',
    `${provider.name} sent nothing for ${seconds} seconds; the call is retried`,
  );
}
