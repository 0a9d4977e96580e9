// One model call: reads the log, asks the provider, judges the answer, returns one log entry. Raw provider bodies stay here.

import { randomBytes } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { agentOf } from '../core/agent-facts';
import { foldLog } from '../core/fold-log';
import { utf8Length } from '../core/text';
import type { CallModelInput, CallModelResult } from '../protocol/activities';
import { NotRegisteredHere, PayloadTooLarge } from '../protocol/error-classes';
import { ProviderError } from '../protocol/errors';
import { limits, timeouts } from '../protocol/limits';
import type { ModelDelta, ModelProvider, ModelRequest, ModelResponse } from '../providers/provider';
import { callbackChain } from './callbacks';
import type { ActivityDependencies } from './dependencies';
import { withHeartbeat } from './heartbeat';
import { pinnedDefinition } from './pinned-definition';
import { callWithCallbacks } from './model-callbacks';
import { toModelRequest } from './model-request';
import { readLog } from './read-log';
import { approvalJudge, argumentJudge, criterionJudge } from './judges';
import { judge } from './verdicts';

export async function callModel(
  dependencies: ActivityDependencies,
  input: CallModelInput,
): Promise<CallModelResult> {
  return await withHeartbeat(async (signal) => {
    const definition = await pinnedDefinition(dependencies, input.definition);
    const spec = agentOf(definition, input.agentId);
    const provider = providerOf(dependencies, spec.model.provider);
    const entries = await readLog(dependencies.replica, input.log, signal);
    const request = toModelRequest({
      definition,
      agentId: input.agentId,
      messages: foldLog(entries),
      cacheKey: `${input.definition.hash.slice(0, 16)}-${input.log.workflowId}`.slice(0, 64),
    });
    const chain = await callbackChain(dependencies, { definition, spec, input, signal });
    const { messages } = request;
    const called = await callWithCallbacks(chain, {
      spec,
      messages,
      call: () => attempt(provider, request, { dependencies, input, signal }),
    });
    const response = called.toJudge;
    const judged =
      response &&
      (await judge({
        definition,
        spec,
        response,
        judgeApproval: approvalJudge(dependencies, input),
        judgeArguments: argumentJudge(dependencies),
        judgeCustom: criterionJudge(dependencies, input, { spec, messages, response }),
      }));
    const verdicts = called.verdicts ? { ...judged, ...called.verdicts } : judged;
    const entry = {
      id: mintId(),
      kind: 'model-turn' as const,
      ...called.turn,
      ...(verdicts && { verdicts }),
    };
    checkTurnSize(entry);
    dependencies.replica.offer(input.log.workflowId, entry);
    const session = chain?.changes;
    return { entry, ...(session && { session }) };
  });
}

/** Random, so that a lost attempt's entry or one from before a reset is never mistaken for the real one. */
export function mintId(): string {
  return randomBytes(6).toString('base64url');
}

function providerOf(dependencies: ActivityDependencies, name: string): ModelProvider {
  const provider = dependencies.providers.get(name);
  if (provider !== undefined) return provider;
  const known = [...dependencies.providers.keys()].sort().join(', ');
  throw new NotRegisteredHere(`this worker has no model provider '${name}'; it has: ${known}`, {
    retryable: true,
  });
}

type Attempt = {
  readonly dependencies: ActivityDependencies;
  readonly input: CallModelInput;
  readonly signal: AbortSignal;
};

/** One HTTP attempt, ended by cancellation or when nothing arrives for `timeouts.modelIdle`. */
async function attempt(
  provider: ModelProvider,
  request: ModelRequest,
  call: Attempt,
): Promise<ModelResponse> {
  const idle = new AbortController();
  const startIdleTimer = (): NodeJS.Timeout =>
    setTimeout(() => idle.abort(idleError(provider)), timeouts.modelIdle);
  let timer = startIdleTimer();
  const options = {
    signal: AbortSignal.any([call.signal, idle.signal]),
    onActivity: (): void => {
      clearTimeout(timer);
      timer = startIdleTimer();
    },
    onDelta: deltaSink(call),
  };
  try {
    return await provider.call(request, options);
  } finally {
    clearTimeout(timer);
  }
}

function deltaSink({ dependencies, input }: Attempt): (delta: ModelDelta) => void {
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

function checkTurnSize(entry: object): void {
  const bytes = utf8Length(JSON.stringify(entry));
  if (bytes <= limits.modelTurn) return;
  throw new PayloadTooLarge(
    `the model's turn has ${bytes} bytes; at most ${limits.modelTurn} are kept. Lower maxOutputTokens`,
  );
}
