// Code of the user's that judges a model's turn: approval functions of tools, custom criteria.

import { log } from '@temporalio/activity';
import { pickKeys } from '../core/session';
import type { CallModelInput } from '../protocol/activities';
import { NotRegisteredHere } from '../protocol/error-classes';
import type { LonghaulError } from '../protocol/errors';
import type { Message } from '../protocol/message';
import type { AgentSpec } from '../protocol/spec';
import type { ModelResponse } from '../providers/provider';
import { checkToolArguments } from './check-arguments';
import type { ActivityDependencies } from './dependencies';
import { askContext } from './read-log';
import type { JudgeApproval, JudgeArguments, JudgeCustom } from './verdicts';

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

/** `messages` are those the model was sent; the criterion also sees the response. */
export function criterionJudge(
  dependencies: ActivityDependencies,
  input: CallModelInput,
  turn: {
    readonly spec: AgentSpec;
    readonly messages: readonly Message[];
    readonly response: ModelResponse;
  },
): JudgeCustom {
  return async (name, text) => {
    const criterion = dependencies.registry.criterion(name);
    if (criterion === undefined) throw criterionNotHere(name);
    const { content, origin } = turn.response;
    const verdict = await criterion({
      text,
      runId: input.log.workflowId,
      agentId: input.agentId,
      path: input.path ?? input.agentId,
      iteration: turn.messages.filter((message) => message.role === 'tool').length,
      messages: [...turn.messages, { role: 'assistant', parts: content, origin }],
      session: pickKeys(input.session ?? {}, declaredKeys(turn.spec, name)),
      context: await askContext(input.log.workflowId),
    });
    return typeof verdict === 'boolean' ? { met: verdict } : verdict;
  };
}

/** Said before the model is called: a turn that cannot be judged here would be paid for in vain. */
export function requireCriteria({ registry }: ActivityDependencies, spec: AgentSpec): void {
  for (const criterion of spec.criteria ?? []) {
    if (criterion.kind !== 'custom' || registry.criterion(criterion.name) !== undefined) continue;
    throw criterionNotHere(criterion.name);
  }
}

function criterionNotHere(name: string): LonghaulError {
  return new NotRegisteredHere(`this worker has no criterion '${name}'`, { retryable: true });
}

function declaredKeys({ criteria = [] }: AgentSpec, name: string): readonly string[] {
  const found = criteria.find(
    (criterion) => criterion.kind === 'custom' && criterion.name === name,
  );
  return found?.kind === 'custom' ? (found.session ?? []) : [];
}
