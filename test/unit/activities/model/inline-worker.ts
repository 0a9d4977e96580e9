// A worker of one agent, in activity contexts of the SDK's own mock, for the calls that run inline.

import type { Info } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { DefaultLogger } from '@temporalio/worker';
import { defineAgent, type AgentOptions } from '../../../../src';
import { createActivities } from '../../../../src/activities';
import type { WorkerLogger } from '../../../../src/activities/call-log';
import { DefinitionCache } from '../../../../src/activities/definition/pinned-definition';
import { InputCache } from '../../../../src/activities/log/json-cache';
import { LogCache } from '../../../../src/activities/log/log-cache';
import { McpPool } from '../../../../src/activities/mcp/mcp-pool';
import { emptyDigest, extendDigest } from '../../../../src/base/digest';
import { createRegistry } from '../../../../src/define/registry';
import type { Deltas } from '../../../../src/stores';
import type {
  CallModelInput,
  CallModelResult,
  CallToolInput,
  CallToolResult,
} from '../../../../src/protocol/activities';
import { limits } from '../../../../src/protocol/limits';
import type { LogEntry } from '../../../../src/protocol/log';
import type { ModelProvider } from '../../../../src/providers/provider';
import { QuietActivity } from '../quiet-activity';

export type InlineWorker = {
  /** What the server was told: `{told}` are beats that were waited for. Tools of a test may add to it. */
  readonly trace: unknown[];
  /** `tell`: takes a beat that is waited for. Throws if the server does not. `isCancelled`: whether the run is, as the server knows. */
  attempt(
    info?: Partial<Info>,
    tell?: () => Promise<void>,
    isCancelled?: () => boolean,
  ): QuietActivity;
  callModel(input?: Partial<CallModelInput>, attempt?: QuietActivity): Promise<CallModelResult>;
  /** A call by an activity of its own. */
  callTool(input: Partial<CallToolInput>, attempt?: QuietActivity): Promise<CallToolResult>;
  /** The entries as the next call reads them: from memory, without asking the run. */
  read(entries: readonly LogEntry[]): Promise<readonly LogEntry[]>;
};

const workflowId = 'test';
const nothing = (): void => undefined;
const quiet: WorkerLogger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const origin = 'origin';

export function inlineWorker(
  options: Omit<AgentOptions, 'id' | 'model'>,
  call: ModelProvider['call'],
  { deltas, logger = quiet }: { readonly deltas?: Deltas; readonly logger?: WorkerLogger } = {},
): InlineWorker {
  const registry = createRegistry({
    runners: [defineAgent({ ...options, id: 'agent', model: 'mine/one' })],
  });
  const definitions = new DefinitionCache();
  const hash = definitions.add(registry.definition('agent')).slice(0, limits.hashLength);
  const logCache = new LogCache();
  const { callModel, callTool } = createActivities({
    application: 'test',
    registry,
    providers: new Map([['mine', { name: 'mine', call }]]),
    prices: {},
    logCache,
    definitions,
    inputs: new InputCache(),
    mcp: new McpPool(),
    ...(deltas && { deltas }),
    hasSearchAttributes: () => Promise.resolve(false),
    logger,
  });
  const shared = { definition: { hash }, agentId: 'agent', turn: 1 };
  const refTo = (entries: readonly LogEntry[]) => {
    const tail = entries.map(({ id }) => id);
    const digest = tail.reduce(extendDigest, emptyDigest);
    return { workflowId, runId: 'run', length: tail.length, tail, digest };
  };
  const trace: unknown[] = [];
  const attempt: InlineWorker['attempt'] = (info, tell, isCancelled = () => false) => {
    const heartbeat = async (_token: unknown, told: unknown): Promise<void> => {
      trace.push({ told });
      await tell?.();
    };
    const client = {
      withDeadline: (_deadline: unknown, work: () => unknown) => work(),
      withAbortSignal: (_signal: unknown, work: () => unknown) => work(),
      activity: { heartbeat },
      workflow: {
        getHandle: () => ({
          query: () => Promise.resolve({}),
          describe: () =>
            Promise.resolve({ raw: { workflowExtendedInfo: { cancelRequested: isCancelled() } } }),
        }),
      },
    };
    const environment = new QuietActivity(info, {
      client: client as unknown as Client,
      logger: new DefaultLogger('ERROR'),
    });
    return environment.on('heartbeat', (beat: unknown) => trace.push({ beat }));
  };
  return {
    trace,
    attempt,
    callModel: async (input, environment = attempt()) => {
      const whole = { ...shared, log: refTo([]), inline: { origin }, ...input };
      const work = (): Promise<CallModelResult> => callModel(whole);
      return await environment.run<[], CallModelResult, typeof work>(work);
    },
    callTool: async (input, environment = attempt()) => {
      const whole = { ...shared, index: 0, callId: '', tool: '', args: {}, origin, ...input };
      const work = (): ReturnType<typeof callTool> => callTool(whole);
      const result = await environment.run<[], Awaited<ReturnType<typeof work>>, typeof work>(work);
      if ('tokens' in result) throw new Error('the call was deferred');
      return result;
    },
    read: async (entries) =>
      await logCache.read(refTo(entries), () => Promise.reject(new Error('asked the run'))),
  };
}
