// A turn's run: what it is started with, as the child of its thread, and what is saved of it.

import {
  ChildWorkflowCancellationType,
  executeChild,
  ParentClosePolicy,
} from '@temporalio/workflow';
import { keyHashes } from '../../core/key-hashes';
import { runnerIdOf } from '../../core/runner-refs';
import { startMemo } from '../../core/run-start';
import { plainLine } from '../../core/transcript/markdown';
import type { JsonObject } from '../../base/json';
import { limits } from '../../protocol/limits';
import { workflowTypes } from '../../protocol/names';
import type { AgentRunResult, RunInput } from '../../protocol/run';
import type { ThreadTurn } from '../../protocol/run';
import type { ThreadInput, UnsavedTurn } from '../../protocol/thread';
import type { QueuedTurn } from './thread-turns';

export async function runTurn(
  { runner, key, application }: ThreadInput,
  turn: QueuedTurn,
  from: {
    readonly session: JsonObject;
    readonly thread: ThreadTurn;
    readonly origin: string;
  },
): Promise<AgentRunResult> {
  const { input, context, budget } = turn;
  const id = runnerIdOf(runner);
  const runInput: RunInput = {
    runner,
    input,
    key,
    ...(application !== undefined && { application }),
    ...from,
    ...(context && { context }),
    ...(budget && { budget }),
  };
  const path = `${id}/turn-${turn.turn}`;
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  const kind = typeof runner === 'string' ? 'agent' : runner.kind;
  return await executeChild<(input: RunInput) => Promise<AgentRunResult>>(workflowTypes[kind], {
    workflowId: turn.workflowId,
    args: [runInput],
    parentClosePolicy: ParentClosePolicy.TERMINATE,
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    memo: startMemo({ agent: id, path, key: keyHashes(key) }),
    staticSummary: plainLine(`turn ${turn.turn}: ${text}`, limits.summary),
  });
}

export function savedTurn(
  { id, messageId, workflowId, input, createdAt }: QueuedTurn,
  result: AgentRunResult,
): UnsavedTurn {
  const { usage, costUsd, iterations, session, toolCalls } = result;
  const eventData: JsonObject = {
    messageId,
    usage,
    ...(costUsd !== undefined && { costUsd }),
    iterations,
    ...(toolCalls && { toolCalls: [...toolCalls] }),
    session,
  };
  const assistant = result.finalResponse.text;
  return { id, workflowId, user: input, assistant, createdAt, eventData };
}

export function timeOrderedId(now: number, random: string): string {
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}
