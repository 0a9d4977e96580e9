// What is judged of a model's tool calls: whether a person must approve them, and the arguments of those that the run schedules itself.

import { log } from '@temporalio/activity';
import { pickKeys } from '../../core/session';
import type { CallModelInput } from '../../protocol/activities';
import { checkToolArguments } from '../tool/check-arguments';
import type { ActivityDependencies } from '../dependencies';
import { askContext } from '../log/read-log';
import type { JudgeApproval, JudgeArguments } from './verdicts';

/**
 * Fails closed: a person is asked where the function throws, is not here, or takes no such arguments. A call that does not match what
 * the run pinned runs on no worker: nobody need approve it.
 */
export function approvalJudge(
  dependencies: ActivityDependencies,
  input: CallModelInput,
): JudgeApproval {
  return async (spec, call) => {
    if (call.args === null) return true;
    const pinned = await checkToolArguments(spec, undefined, call.args);
    if (!pinned.ok) return false;
    const tool = dependencies.registry.tool(call.name);
    if (tool?.needsApproval === undefined) return true;
    const checked = await tool.validateArguments(call.args);
    if (!checked.ok) return true;
    const { agentId, path = agentId, log: ref, session = {} } = input;
    try {
      const context = {
        runId: ref.workflowId,
        agentId,
        path,
        callId: call.callId,
        session: pickKeys(session, tool.spec.session ?? []),
        context: await askContext(ref.workflowId),
        log,
      };
      return await tool.needsApproval(checked.value, context);
    } catch (error) {
      log.warn(`the approval function of tool '${call.name}' threw; a person is asked`, {
        error: String(error),
      });
      return true;
    }
  };
}

/** For calls that the run schedules itself: nobody else checks their arguments. */
export function argumentJudge(dependencies: ActivityDependencies): JudgeArguments {
  return async (spec, args) => {
    const checked = await checkToolArguments(spec, dependencies.registry.tool(spec.name), args);
    return checked.ok ? undefined : checked.problem;
  };
}
