// Conversations: how a thread is named, and which are open.

import type { WorkflowExecutionInfo } from '@temporalio/client';
import { checkRunInput } from '../core/run-input';
import { knownId } from '../core/run-start';
import { LonghaulError } from '../protocol/errors';
import { isJsonObject } from '../base/json';
import { threadMemoKey, threadType } from '../protocol/names';
import type { ThreadInput, ThreadKey } from '../protocol/thread';
import type { KnownRunner, RunnerWithSpec, RunTypes, TypeOf } from '../protocol/spec';
import { parseDuration, type Duration } from '../base/duration';
import { checkOptions } from './check-options';
import { memoOf, stateFromMemo } from './run-view';
import type { RunSummary } from './runs';
import type { SearchIndex } from './search-index';
import { threadKey } from './thread-id';
import { Whose, type WhoseFilter } from './whose-filter';

export type ThreadOptions<Types extends RunTypes = RunTypes> = {
  /** The id of a runner the workers know, or the runner itself: only its id travels. A thread keeps it until it ends. */
  readonly agent?: KnownRunner<Types>;
  /** In place of `agent`: a spec that travels along, for workers whose `inlineSpecs` takes it. */
  readonly spec?: RunnerWithSpec<Types>;
  readonly sessionId: string;
  /** Default: the client's application, so that no two applications of a namespace share a conversation. */
  readonly appName?: string;
  /** Default `default`. */
  readonly userId?: string;
  /** How long it stays open with nothing to do. Only for an agent whose memory has a store: what is in none would be lost. */
  readonly idleTimeout?: Duration;
  /** What the session of the first turn starts from. */
  readonly session?: TypeOf<Types, 'session'>;
};

/** One line of a list of threads. */
export type ThreadSummary = Pick<RunSummary, 'agent' | 'status' | 'pending' | 'startTime'> & {
  readonly threadId: string;
  /** Left out for one that another program started. */
  readonly key?: ThreadKey;
};

const threadOptionNames = {
  agent: true,
  spec: true,
  sessionId: true,
  appName: true,
  userId: true,
  idleTimeout: true,
  session: true,
} as const;

export function threadInput<Types extends RunTypes>(
  options: ThreadOptions<Types>,
  application: string,
): ThreadInput {
  checkOptions('thread', options, threadOptionNames);
  const { idleTimeout, session } = options;
  const runner = threadRunner(options);
  checkRunInput({ runner, input: 'checked', session });
  return {
    runner,
    key: threadKey({ ...options, appName: options.appName ?? application }),
    ...(session && { session }),
    ...(idleTimeout !== undefined && { idleTimeoutMs: milliseconds(idleTimeout) }),
  };
}

function threadRunner({
  agent,
  spec,
}: Pick<ThreadOptions, 'agent' | 'spec'>): ThreadInput['runner'] {
  if ((agent === undefined) === (spec === undefined))
    throw new LonghaulError('InvalidInput', 'give a thread its agent, or a spec in place of it');
  if (spec === undefined) return knownId(agent as KnownRunner);
  return 'spec' in spec ? spec.spec : spec;
}

function milliseconds(idleTimeout: Duration): number {
  const parsed = parseDuration(idleTimeout);
  if (parsed.ok) return parsed.ms;
  throw new LonghaulError('InvalidInput', `idleTimeout ${parsed.message}`);
}

export type ThreadsFilter = Pick<WhoseFilter, 'agent'> & Partial<ThreadKey>;

/** Open ones, the newest first. */
export async function* listThreads(
  index: SearchIndex,
  filter: ThreadsFilter,
): AsyncGenerator<ThreadSummary, void, void> {
  const { agent, ...key } = filter;
  const whose = new Whose({
    ...(agent !== undefined && { agent }),
    ...(Object.keys(key).length > 0 && { key }),
  });
  const query = `WorkflowType = '${threadType}' AND ExecutionStatus = 'Running'`;
  for await (const execution of index.list(query, whose.conditions)) {
    if (whose.matches(memoOf(execution))) yield summarize(execution);
  }
}

function summarize(execution: WorkflowExecutionInfo): ThreadSummary {
  const { status, runner: agent } = stateFromMemo(execution);
  const pending = status === 'needs-input' ? (memoOf(execution).pending ?? []) : [];
  const key = execution.memo?.[threadMemoKey];
  return {
    threadId: execution.workflowId,
    ...(isJsonObject(key) && { key: key as ThreadKey }),
    agent,
    status,
    startTime: execution.startTime.toISOString(),
    pending,
  };
}
