// One model call: reads the log, asks the provider, judges the answer, returns one log entry. Raw provider bodies stay here.

import { randomBytes } from 'node:crypto';
import { agentOf } from '../../core/agent-facts';
import { foldLog } from '../../core/transcript/fold-log';
import { foldMemory } from '../../core/transcript/memory';
import type { CallModelInput, CallModelResult } from '../../protocol/activities';
import { NotRegisteredHere } from '../../protocol/error-classes';
import type { Verdicts } from '../../protocol/log';
import type { Message, Usage } from '../../protocol/message';
import type { RunSpend } from '../../protocol/run';
import type { AgentSpec, Definition } from '../../protocol/spec';
import { costOf } from '../../providers/prices';
import type { ModelProvider } from '../../providers/provider';
import { callbackChain } from '../callbacks';
import type { ActivityDependencies } from '../dependencies';
import { watchTurn } from './doomed-turn';
import { toFailure } from '../failures';
import { withHeartbeat } from '../heartbeat';
import { pinnedDefinition } from '../definition/pinned-definition';
import { attempt } from './model-attempt';
import { callWithCallbacks } from './model-callbacks';
import { toModelRequest } from './model-request';
import { readLog } from '../log/read-log';
import {
  approvalJudge,
  argumentJudge,
  criterionJudge,
  type JudgedTurn,
  requireCriteria,
} from './judges';
import { checkTurnSize, KeptAnswer } from './kept-answer';
import { judge } from './verdicts';

export async function callModel(
  dependencies: ActivityDependencies,
  input: CallModelInput,
): Promise<CallModelResult> {
  return await withHeartbeat(async (signal, _heartbeat, keep) => {
    const definition = await pinnedDefinition(dependencies, input.definition);
    const spec = agentOf(definition, input.agentId);
    const kept = new KeptAnswer(keep);
    try {
      return await judgedTurn(dependencies, input, { definition, spec, kept, signal });
    } catch (error) {
      if (kept.answer === undefined) throw error;
      throw toFailure(error, spendOf(dependencies, spec, kept.answer.usage));
    }
  });
}

type Call = {
  readonly definition: Definition;
  readonly spec: AgentSpec;
  readonly kept: KeptAnswer;
  readonly signal: AbortSignal;
};

async function judgedTurn(
  dependencies: ActivityDependencies,
  input: CallModelInput,
  { definition, spec, kept, signal }: Call,
): Promise<CallModelResult> {
  const provider = providerOf(dependencies, spec.model.provider);
  requireCriteria(dependencies, spec);
  const entries = await readLog(dependencies.replica, input.log, signal);
  const request = toModelRequest({
    definition,
    agentId: input.agentId,
    messages: [...(await remembered(dependencies, { spec, input, signal })), ...foldLog(entries)],
    cacheKey: `${input.definition.hash.slice(0, 16)}-${input.log.workflowId}`.slice(0, 64),
  });
  const chain = await callbackChain(dependencies, { definition, spec, input, signal });
  const { messages } = request;
  const watch = watchTurn(spec, chain);
  const called = await callWithCallbacks(chain, {
    spec,
    messages,
    call: () => kept.once(() => attempt(provider, request, { dependencies, input, signal, watch })),
  });
  const response = called.toJudge;
  const judged =
    response &&
    (await judgedBy(dependencies, input, { definition, spec, messages, response, signal }));
  const verdicts = called.verdicts ? { ...judged, ...called.verdicts } : judged;
  const entry = {
    id: mintId(),
    kind: 'model-turn' as const,
    ...called.turn,
    // A hook before the call may have another opinion in another attempt: what was paid for counts all the same.
    ...(kept.answer && { usage: kept.answer.usage }),
    ...(verdicts && { verdicts }),
  };
  checkTurnSize(entry);
  const session = chain?.changes;
  dependencies.replica.offer(input.log.workflowId, entry);
  const costUsd = costOf(dependencies.prices, spec.model, entry.usage);
  return {
    entry,
    ...(session && { session }),
    ...(costUsd !== undefined && { costUsd }),
  };
}

async function judgedBy(
  dependencies: ActivityDependencies,
  input: CallModelInput,
  turn: JudgedTurn & { readonly definition: Definition },
): Promise<Verdicts | undefined> {
  return await judge({
    ...turn,
    judgeApproval: approvalJudge(dependencies, input),
    judgeArguments: argumentJudge(dependencies),
    judgeCustom: criterionJudge(dependencies, input, turn),
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
  { replica }: ActivityDependencies,
  call: { spec: AgentSpec; input: CallModelInput; signal: AbortSignal },
): Promise<readonly Message[]> {
  const { spec, input, signal } = call;
  if (input.memory === undefined) return [];
  return foldMemory(await readLog(replica, input.memory, signal), spec.memory);
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
