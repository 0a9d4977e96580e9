// Code of the user's that judges a model's turn: approval functions of tools, custom criteria.

import { log } from '@temporalio/activity';
import { pickKeys } from '../core/session';
import type { CallModelInput } from '../protocol/activities';
import { NotRegisteredHere } from '../protocol/error-classes';
import type { Message } from '../protocol/message';
import type { AgentSpec } from '../protocol/spec';
import type { ModelResponse } from '../providers/provider';
import { checkToolArguments } from './check-arguments';
import type { ActivityDependencies } from './dependencies';
import { askContext } from './read-log';
import type { JudgeApproval, JudgeArguments, JudgeCustom } from './verdicts';

/** Fails closed: arguments that do not match, or a function that throws, ask a person. */
export function approvalJudge(
  dependencies: ActivityDependencies,
  input: CallModelInput,
): JudgeApproval {
  return async (call) => {
    const tool = dependencies.registry.tool(call.name);
    if (tool?.needsApproval === undefined || call.args === null) return true;
    const checked = await tool.validateArguments(call.args);
    if (!checked.ok) return false;
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
    if (criterion === undefined) {
      throw new NotRegisteredHere(`this worker has no criterion '${name}'`, {
        retryable: true,
      });
    }
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

function declaredKeys({ criteria = [] }: AgentSpec, name: string): readonly string[] {
  const found = criteria.find(
    (criterion) => criterion.kind === 'custom' && criterion.name === name,
  );
  return found?.kind === 'custom' ? (found.session ?? []) : [];
}
