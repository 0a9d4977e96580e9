// One model call: reads the log, asks the provider, judges the answer, returns one log entry. Raw provider bodies stay here.

import { randomBytes } from 'node:crypto';
import { agentOf } from '../core/agent-facts';
import { foldLog } from '../core/fold-log';
import { foldMemory } from '../core/memory';
import { utf8Length } from '../core/text';
import type { CallModelInput, CallModelResult } from '../protocol/activities';
import type { Message } from '../protocol/message';
import type { AgentSpec } from '../protocol/spec';
import { NotRegisteredHere, PayloadTooLarge } from '../protocol/error-classes';
import { limits } from '../protocol/limits';
import { costOf } from '../providers/prices';
import type { ModelProvider } from '../providers/provider';
import { callbackChain } from './callbacks';
import type { ActivityDependencies } from './dependencies';
import { watchTurn } from './doomed-turn';
import { withHeartbeat } from './heartbeat';
import { pinnedDefinition } from './pinned-definition';
import { attempt } from './model-attempt';
import { callWithCallbacks } from './model-callbacks';
import { toModelRequest } from './model-request';
import { readLog } from './read-log';
import { approvalJudge, argumentJudge, criterionJudge, requireCriteria } from './judges';
import { judge } from './verdicts';

export async function callModel(
  dependencies: ActivityDependencies,
  input: CallModelInput,
): Promise<CallModelResult> {
  return await withHeartbeat(async (signal) => {
    const definition = await pinnedDefinition(dependencies, input.definition);
    const spec = agentOf(definition, input.agentId);
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
    const called = await callWithCallbacks(chain, {
      spec,
      messages,
      call: () =>
        attempt(provider, request, { dependencies, input, signal, watch: watchTurn(spec, chain) }),
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
    const costUsd = costOf(dependencies.prices, spec.model, entry.usage);
    return {
      entry,
      ...(session && { session }),
      ...(costUsd !== undefined && { costUsd }),
    };
  });
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

function checkTurnSize(entry: object): void {
  const bytes = utf8Length(JSON.stringify(entry));
  if (bytes <= limits.modelTurn) return;
  throw new PayloadTooLarge(
    `the model's turn has ${bytes} bytes; at most ${limits.modelTurn} are kept. Lower maxOutputTokens`,
  );
}
