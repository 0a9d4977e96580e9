// A turn's run: what it starts with, as a child of its thread, and what the thread saves.

import { startChild } from '@temporalio/workflow';
import { keyHashes } from '../../core/key-hashes';
import { runnerIdOf } from '../../core/runner-refs';
import { defined, type JsonObject } from '../../base/json';
import { workflowTypes } from '../../protocol/names';
import type { AgentRunResult, RunInput, ThreadTurn } from '../../protocol/run';
import type { ThreadInput, UnsavedTurn } from '../../protocol/thread';
import { childOptions } from '../children/child-start';
import { promptOf } from '../run/machine-options';
import type { QueuedTurn } from './thread-turns';

export async function runTurn(
  { runner, key, application, indexed }: ThreadInput & { readonly indexed: boolean },
  turn: QueuedTurn,
  {
    onStarted,
    ...from
  }: {
    readonly session: JsonObject;
    readonly thread: ThreadTurn;
    readonly origin: string;
    readonly onStarted: () => void;
  },
): Promise<AgentRunResult> {
  const { input, context, budget, by, clientTools, trace } = turn;
  const id = runnerIdOf(runner);
  const runInput: RunInput = {
    runner,
    input,
    key,
    ...(application !== undefined && { application }),
    ...from,
    ...(context && { context }),
    ...(budget && { budget }),
    ...(by && { by }),
    ...defined({ clientTools, trace }),
  };
  const kind = typeof runner === 'string' ? 'agent' : runner.kind;
  const child = await startChild<(input: RunInput) => Promise<AgentRunResult>>(
    workflowTypes[kind],
    childOptions(turn.workflowId, runInput, {
      memo: { agent: id, path: `${id}/turn-${turn.turn}`, key: keyHashes(key) },
      indexed,
      title: `turn ${turn.turn}`,
    }),
  );
  onStarted();
  return await child.result();
}

/** What people said in a turn: its message, and those that its model got while it worked. */
export function saidInput(
  { input }: Pick<QueuedTurn, 'input'>,
  read: readonly Pick<QueuedTurn, 'input'>[],
): RunInput['input'] {
  return read.length === 0
    ? input
    : [{ input }, ...read].flatMap((each) => promptOf(each.input).parts);
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
