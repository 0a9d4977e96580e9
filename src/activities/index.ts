// The activities of a worker. `guard` sees every attempt of each.

import { Context } from '@temporalio/activity';
import { type LonghaulActivities, LonghaulError } from '../protocol';
import { callModel } from './model/call-model';
import { summarise } from './model/summarise';
import { callTool } from './tool/call-tool';
import { checkArguments } from './tool/check-arguments';
import { runToolHooks } from './tool/tool-callbacks';
import { closeRun, openRun } from './thread/open-run';
import type { ActivityDependencies } from './dependencies';
import { guard } from './guard';
import { withHeartbeat } from './heartbeat';
import { fetchInput, pullLog } from './log/pull-log';
import { findDefinition, loadDefinition } from './definition/load-definition';
import { requireLoadable } from './definition/lost-loads';
import { askSession } from './log/read-log';
import { checkSignature, notifyPause } from './people/hooks';
import { reviewCall } from './people/review-call';
import { clearTurns, eraseContents, openThread, saveTurn } from './thread/thread-memory';

export type { ActivityDependencies } from './dependencies';

/** The application an activity's input belongs to. By default it has the task queue's name. */
type OfApplication = {
  readonly application?: string;
  readonly definition?: { readonly application?: string };
};

/**
 * What happens to a call of another application. `again`: the server retries for a minute, then the call fails. `aside`: the call fails at
 * once, and the run tries it again. `always`: the server retries until the right worker takes it, so no write is lost.
 */
type LeftFor = 'again' | 'aside' | 'always';

export function createActivities(dependencies: ActivityDependencies): LonghaulActivities {
  const guarded = guard(dependencies);
  const own =
    <Input extends OfApplication, Result>(
      left: LeftFor,
      run: (input: Input) => Promise<Result>,
    ): ((input: Input) => Promise<Result>) =>
    async (input) => {
      checkOwnApplication(dependencies.application, input, left);
      return await run(input);
    };
  return {
    callModel: guarded(own('again', (input) => callModel(dependencies, input))),
    callTool: guarded(own('aside', (input) => callTool(dependencies, input))),
    runToolHooks: guarded(own('again', (input) => runToolHooks(dependencies, input))),
    checkArguments: guarded(own('again', (input) => checkArguments(dependencies, input))),
    loadDefinition: guarded(
      own('again', (input) =>
        withHeartbeat(dependencies, async (_signal, beats) => {
          await requireLoadable(beats);
          return await loadDefinition(dependencies, input);
        }),
      ),
    ),
    findDefinition: guarded(own('again', (input) => findDefinition(dependencies, input))),
    pullLog: guarded((input) => pullLog(dependencies, input)),
    fetchSession: guarded(({ workflowId }) =>
      withHeartbeat(dependencies, () => askSession(workflowId)),
    ),
    fetchInput: guarded((input) => fetchInput(dependencies, input)),
    openRun: guarded(own('again', (input) => openRun(dependencies, input))),
    closeRun: guarded(own('always', (input) => closeRun(dependencies, input))),
    openThread: guarded(own('again', (input) => openThread(dependencies, input))),
    saveTurn: guarded(own('always', (input) => saveTurn(dependencies, input))),
    clearTurns: guarded(own('always', (input) => clearTurns(dependencies, input))),
    eraseContents: guarded(own('always', (input) => eraseContents(dependencies, input))),
    summarise: guarded(own('again', (input) => summarise(dependencies, input))),
    reviewCall: guarded(own('again', (input) => reviewCall(dependencies, input))),
    notifyPause: guarded(own('always', (input) => notifyPause(dependencies, input))),
    checkSignature: guarded(own('again', (input) => checkSignature(dependencies, input))),
    requestCancellation: guarded((run) =>
      withHeartbeat(dependencies, () => requestCancellation(run)),
    ),
  };
}

/** Two applications that share a task queue get each other's calls. */
function checkOwnApplication(own: string, input: OfApplication, left: LeftFor): void {
  const asked =
    input.application ?? input.definition?.application ?? Context.current().info.taskQueue;
  if (asked === own) return;
  const message = `this worker runs application '${own}', but the call is for '${asked}': start a worker with createWorker({ application: '${asked}' }) on this task queue`;
  if (left === 'always') throw new LonghaulError('StoreError', message, { retryable: true });
  throw new LonghaulError('NotRegisteredHere', message, { retryable: left === 'again' });
}

async function requestCancellation(run: { readonly firstExecutionRunId: string }): Promise<void> {
  const { client, info } = Context.current();
  if (info.workflowExecution === undefined) return;
  const { workflowId } = info.workflowExecution;
  await client.workflow.getHandle(workflowId, undefined, run).cancel();
}

export { DefinitionCache } from './definition/pinned-definition';
export type { LoopWatch, WatchedCall } from './heartbeat';
export { publish } from './live';
export { InputCache } from './log/json-cache';
export { LogCache } from './log/log-cache';
export { wasLogged } from './logged';
export { requireMcpSdk } from './mcp/mcp-connection';
export { McpPool } from './mcp/mcp-pool';
export { askAboutCalls } from './open-calls';
