// What is checked of a model's tool calls: whether a person must approve them, and the arguments of those that the run schedules itself.

import { log } from '@temporalio/activity';
import { checkJson, pickKeys } from '../../core/session';
import type { CallModelInput } from '../../protocol/activities';
import { checkToolArguments } from '../tool/check-arguments';
import type { ActivityDependencies } from '../dependencies';
import { askContext } from '../log/read-log';
import type { CheckApproval, CheckArguments, CheckCriterion } from './turn-checks';
import { clipText } from '../../base/text';
import { LonghaulError } from '../../protocol/errors';
import { isJsonObject } from '../../base/json';
import { limits } from '../../protocol/limits';
import type { CriterionResult } from '../../protocol/log';
import type { Message } from '../../protocol/message';
import type { AgentSpec } from '../../protocol/spec';
import type { ModelResponse } from '../../providers/provider';
import type { CriterionContext, CriterionFunction } from '../../define/criteria';
import { isCancelled, isTriedAgain } from '../callback-failure';
import { describe } from '../failures';
import { untilAborted } from '../until-aborted';

/**
 * Fails closed: a person is asked where the function throws, is not here, or takes no such arguments. A call that does not match what
 * the run pinned runs on no worker: nobody need approve it.
 */
export function approvalCheck(
  dependencies: ActivityDependencies,
  input: CallModelInput,
): CheckApproval {
  return async (spec, call) => {
    if (call.args === null) return true;
    const pinned = await checkToolArguments(spec, undefined, call.args);
    if (!pinned.ok) return false;
    const tool = dependencies.registry.tools.get(call.name);
    if (tool?.needsApproval === undefined) return true;
    const checked = await tool.validateArguments(call.args);
    if (!checked.ok) return true;
    const { agentId, path = agentId, log: ref, session = {} } = input;
    try {
      const context = {
        workflowId: ref.workflowId,
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
export function argumentCheck(dependencies: ActivityDependencies): CheckArguments {
  return async (spec, args) => {
    const checked = await checkToolArguments(
      spec,
      dependencies.registry.tools.get(spec.name),
      args,
    );
    return checked.ok ? undefined : checked.problem;
  };
}

// Custom criteria: functions of the user's on this worker that say whether a text completes the run.

/** `messages` are those the model was sent; the criterion also sees the response. */
export type CheckedTurn = {
  readonly spec: AgentSpec;
  readonly messages: readonly Message[];
  readonly response: ModelResponse;
  readonly signal: AbortSignal;
};

export function criterionCheck(
  dependencies: ActivityDependencies,
  input: CallModelInput,
  { spec, messages, response, signal }: CheckedTurn,
): CheckCriterion {
  return async (name, text) => {
    const criterion = dependencies.registry.criteria.get(name);
    if (criterion === undefined) throw criterionNotHere(name);
    const { content, origin } = response;
    const context = {
      text,
      workflowId: input.log.workflowId,
      agentId: input.agentId,
      path: input.path ?? input.agentId,
      iteration: input.iteration ?? messages.filter(({ role }) => role === 'tool').length,
      messages: [...messages, { role: 'assistant' as const, parts: content, origin }],
      session: pickKeys(input.session ?? {}, declaredKeys(spec, name)),
      context: await askContext(input.log.workflowId),
    };
    return criterionResult(
      name,
      await untilAborted(() => evaluate(name, criterion, context), signal),
    );
  };
}

/** A criterion that throws is a bug of the user's, or IO of its that failed: tried again as callbacks are, and then the end of the run. */
async function evaluate(
  name: string,
  criterion: CriterionFunction,
  context: CriterionContext,
): Promise<unknown> {
  try {
    return await criterion(context);
  } catch (error) {
    if (isCancelled(error)) throw error;
    throw criterionError(name, `failed: ${describe(error)}`, { retryable: isTriedAgain(error) });
  }
}

function criterionResult(name: string, answer: unknown): CriterionResult {
  if (typeof answer === 'boolean') return { met: answer };
  if (isJsonObject(answer) && typeof answer['met'] === 'boolean' && !checkJson(answer))
    return answer as unknown as CriterionResult;
  throw criterionError(name, 'must answer true, false or {met, missing?, value?} as JSON');
}

function criterionError(
  criterion: string,
  problem: string,
  options: { readonly retryable: boolean } = { retryable: false },
): LonghaulError {
  const message = clipText(`criterion '${criterion}': ${problem}`, limits.failureMessage);
  return new LonghaulError('InternalError', message, { ...options, details: { criterion } });
}

/** Said before the model is called: a turn that cannot be checked here would be paid for in vain. */
export function requireCriteria({ registry }: ActivityDependencies, spec: AgentSpec): void {
  for (const criterion of spec.criteria ?? []) {
    if (criterion.kind !== 'custom' || registry.criteria.get(criterion.name) !== undefined)
      continue;
    throw criterionNotHere(criterion.name);
  }
}

function criterionNotHere(name: string): LonghaulError {
  return new LonghaulError('NotRegisteredHere', `this worker has no criterion '${name}'`, {
    retryable: true,
  });
}

function declaredKeys({ criteria = [] }: AgentSpec, name: string): readonly string[] {
  const found = criteria.find(
    (criterion) => criterion.kind === 'custom' && criterion.name === name,
  );
  return found?.kind === 'custom' ? (found.session ?? []) : [];
}
