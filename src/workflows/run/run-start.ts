// What a run or a thread starts from: what it was given, as far as that may be believed, and what did not travel with it.
//
// 1. Anybody may start a workflow with any arguments. Of a start that is refused nothing is used but the runner's id, to show it.
// 2. What an execution carried is taken only where the server says that the one before it continued as new.

import type { WorkflowInfo } from '@temporalio/workflow';
import { checkRunInput, withoutNullMembers } from '../../core/run-input';
import { runnerIdOf } from '../../core/runner-refs';
import type { OpenRunResult } from '../../protocol/activities';
import { LonghaulError } from '../../protocol/errors';
import { isJsonObject } from '../../base/json';
import type { RunInput } from '../../protocol/run';
import type { ThreadInput } from '../../protocol/thread';
import { controlActivities } from '../activity-proxies';
import { type LoadedDefinition, openRunSession } from './load';
import { checkThreadInput } from '../thread/thread-input';

/** The arguments of a workflow function, by whomever. */
export type WorkflowArguments = { readonly input: unknown; readonly carried: unknown };

/** `refused`: why nothing of it was taken. */
export type Taken<Input> = {
  readonly input: Input;
  readonly carried?: unknown;
  readonly refused?: Error;
};

type StartInfo = Pick<
  WorkflowInfo,
  'parent' | 'continuedFromExecutionRunId' | 'attempt' | 'lastFailure'
>;

export function takeRunStart(
  { input, carried }: WorkflowArguments,
  origin: StartInfo,
): Taken<RunInput> {
  try {
    checkOrigin(carried, origin);
    const sent = isContinued(origin) ? withoutOrigin(input) : input;
    checkRunInput(sent, origin.parent);
    return { input: withoutNullMembers(input as RunInput), carried: carried ?? undefined };
  } catch (error) {
    return { input: { runner: shownRunner(input), input: '' }, refused: asError(error) };
  }
}

export function takeThreadStart(
  { input, carried }: WorkflowArguments,
  origin: StartInfo,
): Taken<ThreadInput> {
  try {
    checkOrigin(carried, origin);
    checkThreadInput(input);
    return { input: withoutNullMembers(input), carried: carried ?? undefined };
  } catch (error) {
    const key = { appName: '', userId: '', sessionId: '' };
    return { input: { runner: shownRunner(input), key }, refused: asError(error) };
  }
}

/** A retry and the next run of a cron follow another execution, too, but of those the server says so: they repeat the arguments of anybody. */
function checkOrigin(carried: unknown, origin: StartInfo): void {
  if (carried === undefined || carried === null || isContinued(origin)) return;
  throw new LonghaulError(
    'InvalidInput',
    'a second argument is taken only from an execution that continued as new: start with one',
  );
}

function isContinued({ continuedFromExecutionRunId, attempt, lastFailure }: StartInfo): boolean {
  return continuedFromExecutionRunId !== undefined && attempt === 1 && lastFailure === undefined;
}

/** Its place is the one member that a root run hands on to its next execution, as only a parent may to a child. */
function withoutOrigin(input: unknown): unknown {
  if (!isJsonObject(input)) return input;
  const { origin: _origin, ...rest } = input;
  return rest;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new LonghaulError('InternalError', String(error));
}

function shownRunner(input: unknown): string {
  return runnerIdOf(isJsonObject(input) ? input['runner'] : undefined);
}

export type RunStart = OpenRunResult & { readonly input: RunInput['input'] };

export async function openStart(given: RunInput, loaded: LoadedDefinition): Promise<RunStart> {
  const { sessionFrom, inputFrom } = given;
  const [opened, { input }] = await Promise.all([
    sessionFrom === undefined
      ? openRunSession(given, loaded)
      : controlActivities
          .fetchSession({ workflowId: sessionFrom })
          .then((session) => ({ session })),
    inputFrom === undefined ? given : controlActivities.fetchInput(inputFrom),
  ]);
  return { ...opened, input };
}

/** What the next execution is started with: all else is carried. */
export function withoutStart(given: RunInput): Omit<RunInput, 'input'> {
  const { input: _input, inputFrom: _inputFrom, ...rest } = given;
  const { session: _session, sessionFrom: _sessionFrom, ...started } = rest;
  return started;
}
