// What a worker of the campaign is made of, whatever it runs on: the runners and stores of a plan, with the moments at which faults happen.

import { Context } from '@temporalio/activity';
import type { MemoryStore, SessionStore, Stores } from 'longhaul/stores';
import type { CreateWorkerOptions } from 'longhaul/worker';
import type { ActivityName, Moment, RoundPlan } from './plan.mts';
import type { Arrival, LaterCall, Verdict } from './hub.mts';
import { runnersOf, type Effect } from './runners.mts';
import { signature } from './texts.mts';

/** What a worker reaches outside of itself. */
export type Reach = {
  /** Of its process. */
  readonly pid: number;
  readonly arrive: (arrival: Arrival) => Promise<Verdict>;
  readonly later: (call: LaterCall) => Promise<void>;
  readonly record: (effect: Effect) => void;
  /** Of the model API and of the MCP server. */
  readonly hub: string;
};

/** The tree or thread that ids of runs and names of places start with. */
const ownerOf = (name: string): string => /(?:^|\/)([tc]\d+)/.exec(name)?.[1] ?? '';

/** `stores` as they are. */
export function workerOptions(
  plan: RoundPlan,
  stores: Stores,
  { pid, hub, record, ...reach }: Reach,
): Required<Pick<CreateWorkerOptions, 'runners' | 'providers' | 'stores' | 'workerOptions'>> &
  Pick<CreateWorkerOptions, 'logCacheBytes' | 'checkSignature'> {
  const { logCacheBytes, maxCachedWorkflows, graceMs, isSigned } = plan.settings;
  const at = async (moment: Moment, name: string, activity?: ActivityName): Promise<void> => {
    const place = moment.startsWith('effect') ? { place: name } : {};
    const arrival = { pid, moment, owner: ownerOf(name), ...(activity && { activity }), ...place };
    const { fails, waitsMs } = await reach.arrive(arrival);
    if (waitsMs !== undefined) await new Promise((resolve) => setTimeout(resolve, waitsMs));
    if (fails === true) throw new Error(`the campaign fails this call: ${moment}`);
  };
  const around = async <Result,>(
    { sessionId = '' }: { readonly sessionId?: string },
    write: () => Promise<Result>,
  ): Promise<Result> => {
    await at('save due', sessionId);
    const result = await write();
    await at('save made', sessionId);
    return result;
  };
  const aroundActivities = {
    execute: async (input: unknown, next: (input: never) => Promise<unknown>): Promise<unknown> => {
      const { workflowExecution, activityType } = Context.current().info;
      const name = workflowExecution?.workflowId ?? '';
      await at('activity begins', name, activityType as ActivityName);
      const result = await next(input as never);
      await at('activity done', name, activityType as ActivityName);
      return result;
    },
  };
  const { app, user, session, memory } = stores;
  return {
    runners: runnersOf(plan, {
      pid,
      due: (place) => at('effect due', place),
      record,
      made: (place) => at('effect made', place),
      later: async (place, token) => await reach.later({ place, token }),
      mcp: { url: `${hub}/mcp`, headers: { 'x-pid': String(pid) } },
    }),
    providers: {
      torture: { api: 'openai-chat', baseURL: `${hub}/v1`, headers: { 'x-pid': String(pid) } },
    },
    stores: {
      ...(app && { app }),
      ...(user && { user }),
      ...(session && { session: sessionsWithMoments(session, around) }),
      memory: { default: withMoments(memory?.['default'] as MemoryStore, around) },
    },
    ...(logCacheBytes !== undefined && { logCacheBytes }),
    ...(isSigned && { checkSignature: (answer) => answer.signature === signature }),
    workerOptions: {
      shutdownGraceTime: graceMs,
      ...(maxCachedWorkflows !== undefined && { maxCachedWorkflows }),
      interceptors: { activity: [() => ({ inbound: aroundActivities })] },
    },
  };
}

type Around = <Result>(
  key: { readonly sessionId?: string },
  write: () => Promise<Result>,
) => Promise<Result>;

/** The store with a moment before and after each write. */
function withMoments(store: MemoryStore, around: Around): MemoryStore {
  return {
    loadTurns: (...args) => store.loadTurns(...args),
    count: (...args) => store.count(...args),
    generation: (...args) => store.generation(...args),
    clear: (...args) => around(args[0], () => store.clear(...args)),
    saveTurn: (...args) => around(args[0], () => store.saveTurn(...args)),
  };
}

function sessionsWithMoments(store: SessionStore, around: Around): SessionStore {
  return {
    load: (...args) => store.load(...args),
    exists: (...args) => store.exists(...args),
    version: (...args) => store.version(...args),
    delete: (...args) => around(args[0], () => store.delete(...args)),
    save: (...args) => around(args[0], () => store.save(...args)),
  };
}
