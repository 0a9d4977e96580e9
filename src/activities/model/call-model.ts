// One model call: reads the log, asks the provider, checks the answer, returns one log entry. Raw provider bodies stay here.

import { randomBytes } from 'node:crypto';
import { agentOf } from '../../core/loop-config';
import { foldLog } from '../../core/transcript/fold-log';
import { foldMemory } from '../../core/transcript/memory';
import type { CallModelInput, CallModelResult } from '../../protocol/activities';
import { LonghaulError } from '../../protocol/errors';
import type { TurnChecks } from '../../protocol/log';
import type { Message, Usage } from '../../protocol/message';
import type { RunSpend } from '../../protocol/run';
import type { AgentSpec, Definition } from '../../protocol/spec';
import { costOf } from '../../providers/prices';
import type { ModelProvider, ModelResponse } from '../../providers/provider';
import { callbackChain } from '../callbacks';
import type { ActivityDependencies } from '../dependencies';
import { earlyStopOf } from './early-stop';
import { toFailure } from '../failures';
import { type Heartbeat, withHeartbeat } from '../heartbeat';
import { pinnedDefinition } from '../definition/pinned-definition';
import { attempt } from './model-attempt';
import { callWithCallbacks } from './model-callbacks';
import { toModelRequest } from './model-request';
import { readLog } from '../log/read-log';
import {
  approvalCheck,
  argumentCheck,
  type CheckedTurn,
  criterionCheck,
  requireCriteria,
} from './check-functions';
import { checkTurn } from './turn-checks';
import { Context } from '@temporalio/activity';
import { utf8Length } from '../../base/text';
import { isJsonObject, type Json } from '../../base/json';
import { limits } from '../../protocol/limits';

export async function callModel(
  dependencies: ActivityDependencies,
  input: CallModelInput,
): Promise<CallModelResult> {
  return await withHeartbeat(async (signal, _heartbeat, keep) => {
    const definition = await pinnedDefinition(dependencies, input.definition);
    const spec = agentOf(definition, input.agentId);
    const cached = new CachedResponse(keep);
    try {
      return await checkedTurn(dependencies, input, { definition, spec, cached, signal });
    } catch (error) {
      if (cached.response === undefined) throw error;
      throw toFailure(error, spendOf(dependencies, spec, cached.response.usage));
    }
  });
}

type Call = {
  readonly definition: Definition;
  readonly spec: AgentSpec;
  readonly cached: CachedResponse;
  readonly signal: AbortSignal;
};

async function checkedTurn(
  dependencies: ActivityDependencies,
  input: CallModelInput,
  { definition, spec, cached, signal }: Call,
): Promise<CallModelResult> {
  const provider = providerOf(dependencies, spec.model.provider);
  requireCriteria(dependencies, spec);
  const entries = await readLog(dependencies.logCache, input.log, signal);
  const request = toModelRequest({
    definition,
    agentId: input.agentId,
    messages: [...(await remembered(dependencies, { spec, input, signal })), ...foldLog(entries)],
    cacheKey: `${input.definition.hash.slice(0, 16)}-${input.log.workflowId}`.slice(0, 64),
  });
  const chain = await callbackChain(dependencies, { definition, spec, input, signal });
  const { messages } = request;
  const earlyStop = earlyStopOf(spec, chain);
  const called = await callWithCallbacks(chain, {
    spec,
    messages,
    call: () =>
      cached.once(() => attempt(provider, request, { dependencies, input, signal, earlyStop })),
  });
  const response = called.toCheck;
  const found =
    response &&
    (await checksOf(dependencies, input, { definition, spec, messages, response, signal }));
  const checks = called.checks ? { ...found, ...called.checks } : found;
  const entry = {
    id: mintId(),
    kind: 'model-turn' as const,
    ...called.turn,
    // A hook before the call may have another opinion in another attempt: what was paid for counts all the same.
    ...(cached.response && { usage: cached.response.usage }),
    ...(checks && { checks }),
  };
  checkTurnSize(entry);
  const session = chain?.changes;
  dependencies.logCache.offer(input.log.workflowId, entry);
  const costUsd = costOf(dependencies.prices, spec.model, entry.usage);
  return {
    entry,
    ...(session && { session }),
    ...(costUsd !== undefined && { costUsd }),
  };
}

async function checksOf(
  dependencies: ActivityDependencies,
  input: CallModelInput,
  turn: CheckedTurn & { readonly definition: Definition },
): Promise<TurnChecks | undefined> {
  return await checkTurn({
    ...turn,
    checkApproval: approvalCheck(dependencies, input),
    checkArguments: argumentCheck(dependencies),
    checkCriterion: criterionCheck(dependencies, input, turn),
  });
}

function spendOf({ prices }: ActivityDependencies, { model }: AgentSpec, usage: Usage): RunSpend {
  const costUsd = costOf(prices, model, usage);
  return {
    usage,
    ...(costUsd === undefined ? { unpriced: [`${model.provider}/${model.model}`] } : { costUsd }),
  };
}

/** What a turn of a thread is given of the turns before it. */
async function remembered(
  { logCache }: ActivityDependencies,
  call: { spec: AgentSpec; input: CallModelInput; signal: AbortSignal },
): Promise<readonly Message[]> {
  const { spec, input, signal } = call;
  if (input.memory === undefined) return [];
  return foldMemory(await readLog(logCache, input.memory, signal), spec.memory);
}

/** Random, so that a lost attempt's entry or one from before a reset is never mistaken for the real one. */
export function mintId(): string {
  return randomBytes(6).toString('base64url');
}

function providerOf(dependencies: ActivityDependencies, name: string): ModelProvider {
  const provider = dependencies.providers.get(name);
  if (provider !== undefined) return provider;
  const known = [...dependencies.providers.keys()].sort().join(', ');
  throw new LonghaulError(
    'NotRegisteredHere',
    `this worker has no model provider '${name}'; it has: ${known}`,
    {
      retryable: true,
    },
  );
}

// A model's answer that was paid for outlives an attempt that fails after it, because code that checks it threw: the next attempt,
// on whatever worker, checks the same answer. Its place is the heartbeat's details, which the server keeps between attempts.

export class CachedResponse {
  readonly #keep: Heartbeat;
  #response: ModelResponse | undefined = cachedBefore();

  constructor(keep: Heartbeat) {
    this.#keep = keep;
  }

  /** There once the model has answered, in this attempt or an earlier one. */
  get response(): ModelResponse | undefined {
    return this.#response;
  }

  /** Calls the model unless it has answered before. */
  async once(call: () => Promise<ModelResponse>): Promise<ModelResponse> {
    if (this.#response !== undefined) return this.#response;
    const response = await call();
    this.#response = response;
    checkTurnSize(response);
    this.#keep({ response: response as unknown as Json });
    return response;
  }
}

function checkTurnSize(entry: object): void {
  const bytes = utf8Length(JSON.stringify(entry));
  if (bytes <= limits.modelTurn) return;
  throw new LonghaulError(
    'PayloadTooLarge',
    `the model's turn has ${bytes} bytes; at most ${limits.modelTurn} are kept. Lower maxOutputTokens`,
  );
}

function cachedBefore(): ModelResponse | undefined {
  const { heartbeatDetails } = Context.current().info as { heartbeatDetails: unknown };
  if (!isJsonObject(heartbeatDetails)) return undefined;
  return heartbeatDetails['response'] as unknown as ModelResponse | undefined;
}
