// Starts the run of a turn, as a child of its thread, and selects what the thread saves of it.

import { startChild, type ChildWorkflowHandle } from '@temporalio/workflow';
import { keyHashes } from '../../core/key-hashes';
import { runnerIdOf } from '../../core/runner-refs';
import { defined, type JsonObject } from '../../base';
import {
  type AgentRunResult,
  type RunInput,
  type ThreadInput,
  type UnsavedTurn,
  workflowTypes,
} from '../../protocol';
import { childOptions } from '../children/child-start';
import { promptOf } from '../run/machine-options';
import type { QueuedTurn } from './thread-turns';

type TurnFunction = (input: RunInput) => Promise<AgentRunResult>;

/** Starts the turn's run. `from` has the session, the place in the thread and the origin that it starts with. */
export async function startTurn(
  { runner, key, application }: ThreadInput,
  turn: QueuedTurn,
  {
    indexed,
    ...from
  }: Pick<RunInput, 'session' | 'thread' | 'origin'> & { readonly indexed: boolean },
): Promise<ChildWorkflowHandle<TurnFunction>> {
  const { input, context, budget, by, clientTools, trace } = turn;
  const id = runnerIdOf(runner);
  const runInput: RunInput = {
    runner,
    input,
    key,
    ...from,
    ...defined({ application, context, budget, by, clientTools, trace }),
  };
  const kind = typeof runner === 'string' ? 'agent' : runner.kind;
  return await startChild<TurnFunction>(
    workflowTypes[kind],
    childOptions(turn.workflowId, runInput, {
      memo: { agent: id, path: `${id}/turn-${turn.turn}`, key: keyHashes(key) },
      indexed,
      title: `turn ${turn.turn}`,
    }),
  );
}

/** The messages of people in a turn: its first message, and those that its model got while it worked. */
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
    iterations,
    session,
    ...defined({ costUsd, toolCalls: toolCalls && [...toolCalls] }),
  };
  const assistant = result.finalResponse.text;
  return { id, workflowId, user: input, assistant, createdAt, eventData };
}

export function timeOrderedId(now: number, random: string): string {
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}
