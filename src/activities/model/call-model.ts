// One model call: prepare the request, ask the model, check the answer, return one log entry. Raw provider bodies stay here.

import { Context } from '@temporalio/activity';
import { defined, isJsonObject, type Json, utf8Length } from '../../base';
import { agentOf } from '../../core/loop-config';
import { turnIn } from '../../core/kept-turn';
import { foldLog } from '../../core/transcript/fold-log';
import { foldMemory } from '../../core/transcript/memory';
import {
  type CallModelInput,
  type CallModelResult,
  limits,
  type LogEntry,
  LonghaulError,
  type Message,
  type ModelRef,
} from '../../protocol';
import {
  costOf,
  type ModelProvider,
  type ModelRequest,
  type ModelResponse,
  spendOf,
} from '../../providers';
import { type CallbackChain, callbackChain } from '../callbacks';
import { pinnedDefinition } from '../definition/pinned-definition';
import { type ActivityDependencies, providerOf } from '../dependencies';
import { PaidFailure } from '../failures';
import { type Beats, withHeartbeat } from '../heartbeat';
import { modelCallEnded, placeOf } from '../live';
import { mintId } from '../log/log-cache';
import { readLog } from '../log/read-log';
import { scopeOfCall, withContent } from '../results/stored-results';
import type { ModelCall } from '../../telemetry';
import { AttemptTrace } from '../trace';
import { earlyStopOf } from './early-stop';
import { InlineCalls } from './inline-calls';
import { attempt } from './model-attempt';
import { afterModelCall, beforeModelCall, type CalledModel } from './model-callbacks';
import { toModelRequest } from './model-request';
import { checkedBy, checkTurn, requireCriteria, type TurnCall } from './turn-checks';

export async function callModel(
  dependencies: ActivityDependencies,
  input: CallModelInput,
): Promise<CallModelResult> {
  const trace = new AttemptTrace(dependencies, input);
  return await withHeartbeat(dependencies, async (signal, beats) => {
    const definition = await pinnedDefinition(dependencies, input.definition);
    const spec = agentOf(definition, input.agentId);
    const cached = new CachedResponse(beats.keep);
    void trace.tellLost(tracedModel(spec.model), cached.response);
    const standing = turnIn(Context.current().info.heartbeatDetails);
    if (standing !== undefined) return taken(dependencies, input, standing);
    let inline: InlineCalls | undefined;
    try {
      const call = await prepare({ dependencies, input, definition, spec, signal, trace });
      if (cached.response === undefined) inline = inlineCalls(call, beats);
      const called =
        (await beforeModelCall(call)) ??
        (await afterModelCall(call, await ask(call, cached, inline)));
      const result = await checkedResult(call, called, cached);
      return { ...result, ...(await inline?.results({ ...result, called })) };
    } catch (error) {
      if (cached.response === undefined) throw error;
      throw new PaidFailure(error, spendOf(dependencies.prices, spec.model, cached.response.usage));
    } finally {
      inline?.stop();
      modelCallEnded(dependencies, input);
    }
  });
}

/** The turn of an earlier attempt that was lost when calls of the turn may have begun. */
function taken(
  dependencies: ActivityDependencies,
  input: CallModelInput,
  standing: CallModelResult,
): CallModelResult {
  modelCallEnded(dependencies, input);
  dependencies.logCache.offer(input.log.workflowId, standing.entry);
  return standing;
}

type PreparedCall = TurnCall & {
  readonly provider: ModelProvider;
  /** The request without the bytes of stored content, because callbacks and checks do not need them. */
  readonly request: ModelRequest;
  /** The index of the first message of this run, after a thread's earlier turns. */
  readonly ownFrom: number;
  /** The agent's callbacks; undefined if it has none. */
  readonly chain: CallbackChain | undefined;
};

async function prepare(call: Omit<TurnCall, 'messages'>): Promise<PreparedCall> {
  const { dependencies, input, definition, spec, signal } = call;
  const provider = providerOf(dependencies, spec.model.provider);
  requireCriteria(dependencies, spec);
  const entries = await readLog(dependencies.logCache, input.log, signal);
  // A summary stands for the earlier turns of the thread, too.
  const isSummarised = entries.some(({ kind }) => kind === 'summary');
  const earlier = isSummarised ? [] : await remembered(call);
  const request = toModelRequest({
    definition,
    agentId: input.agentId,
    messages: [
      ...earlier,
      ...foldLog(entries, (tool) => definition.tools[tool]?.effect === 'read'),
    ],
    hasResults: hasResults(entries),
    cacheKey: `${input.definition.hash.slice(0, 16)}-${input.log.workflowId}`.slice(0, 64),
  });
  const chain = await callbackChain(dependencies, { definition, spec, input, signal });
  const ownFrom = earlier.length;
  return { ...call, messages: request.messages, provider, request, chain, ownFrom };
}

/** Also counts results that the prompt leaves out. */
function hasResults(entries: readonly LogEntry[]): boolean {
  return entries.some(
    (entry) =>
      entry.kind === 'tool-result' ||
      (entry.kind === 'decision' && entry.decision.kind === 'answer-calls'),
  );
}

/** The earlier turns that a turn of a thread remembers. */
async function remembered(call: Omit<TurnCall, 'messages'>): Promise<readonly Message[]> {
  const { dependencies, input, spec, signal } = call;
  if (input.memory === undefined) return [];
  return foldMemory(await readLog(dependencies.logCache, input.memory, signal), spec.memory);
}

/**
 * For an attempt without an earlier response. If there is one, no calls run inline, because one of them may have ended the earlier attempt.
 */
function inlineCalls(call: PreparedCall, beats: Beats): InlineCalls | undefined {
  const { inline } = call.input;
  return inline && new InlineCalls({ call, origin: inline.origin, beats });
}

async function ask(
  call: PreparedCall,
  cached: CachedResponse,
  inline: InlineCalls | undefined,
): Promise<ModelResponse> {
  const earlyStop = earlyStopOf(call.spec, call.chain);
  const { dependencies, input, ownFrom } = call;
  const scope = scopeOfCall(input.definition);
  return await cached.once(async () => {
    const options = { ...dependencies, scope, ownFrom, signal: call.signal };
    return await withContent(call.request.messages, options, (messages) =>
      attempt(
        call.provider,
        { ...call.request, messages },
        {
          ...call,
          step: { ...placeOf(input), turn: input.turn },
          earlyStop,
          inline,
          begin: (request) => call.trace.begin({ ...tracedModel(call.spec.model), request }),
        },
      ),
    );
  });
}

function tracedModel({ provider, model }: ModelRef): ModelCall {
  return { kind: 'model', purpose: 'turn', provider, model };
}

async function checkedResult(
  call: PreparedCall,
  called: CalledModel,
  cached: CachedResponse,
): Promise<CallModelResult> {
  const { dependencies, input, spec, chain } = call;
  const response = called.toCheck;
  const found = response && (await checkTurn({ ...call, response, ...checkedBy(call, response) }));
  const checks = called.checks ? { ...found, ...called.checks } : found;
  const entry = {
    id: mintId(),
    kind: 'model-turn' as const,
    ...called.turn,
    // In a later attempt a hook may answer in place of the model. The response of the earlier attempt was paid for all the same.
    ...(cached.response && { usage: cached.response.usage }),
    ...defined({ checks }),
  };
  checkTurnSize(entry);
  const session = chain?.changes;
  dependencies.logCache.offer(input.log.workflowId, entry);
  const costUsd = costOf(dependencies.prices, spec.model, entry.usage);
  return { entry, ...defined({ session, costUsd }) };
}

/**
 * The model's answer, kept over attempts: if code that checks the answer throws, the next attempt checks the same answer, on any worker.
 * The heartbeat's details have it, which the server keeps between attempts.
 */
export class CachedResponse {
  readonly #keep: Beats['keep'];
  #response: ModelResponse | undefined = cachedBefore();

  constructor(keep: Beats['keep']) {
    this.#keep = keep;
  }

  /** Defined once the model has answered, in this attempt or an earlier one. */
  get response(): ModelResponse | undefined {
    return this.#response;
  }

  /** Calls the model if it has not answered before. */
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
