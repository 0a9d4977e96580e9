// The activity before a person is asked about a call: the tool's own functions decide who may decide, and what these people see. They read,
// and change nothing, so that the activity may run again.

import { clipText, formatProblem, type JsonObject } from '../../base';
import { toolSpecOf } from '../../core/loop-config';
import { checkExactJson, pickKeys, violationText } from '../../core/session';
import { type ApprovalContext, parse, type Tool } from '../../define';
import { approverRule } from '../../define/schema';
import {
  type ApproverRule,
  type CallToolInput,
  limits,
  type ReviewCallResult,
} from '../../protocol';
import { ownWorkflowId, pinnedDefinition } from '../definition/pinned-definition';
import type { ActivityDependencies } from '../dependencies';
import { callLog, logFailure } from '../call-log';
import { describeError, notHere } from '../failures';
import { withHeartbeat } from '../heartbeat';
import { askContext } from '../log/read-log';
import { callArguments, checkAgainstSchema } from '../tool/check-arguments';
import { type CodePlace, isCancelled, isFinal, runUserCode, userCodeError } from '../user-code';

type ReviewedCall = {
  readonly tool: Tool;
  /** The arguments as the tool's schema makes them. */
  readonly args: unknown;
  readonly context: ApprovalContext;
  readonly signal: AbortSignal;
};

export async function reviewCall(
  dependencies: ActivityDependencies,
  input: CallToolInput,
): Promise<ReviewCallResult> {
  return await withHeartbeat(dependencies, async (signal) => {
    const definition = await pinnedDefinition(dependencies, input.definition);
    const spec = toolSpecOf(definition, input.tool);
    const tool = dependencies.registry.tools.get(input.tool);
    if (tool === undefined) throw notHere(`tool '${input.tool}'`);
    const args = await callArguments(dependencies, input, signal);
    const checked = await checkAgainstSchema({ spec, tool }, args);
    if (!checked.ok) return { problem: checked.problem };
    const context = await contextOf(input, pickKeys(input.session ?? {}, spec.session ?? []));
    const call = { tool, args: checked.value, context, signal };
    const { by, show } = spec.approval ?? {};
    return {
      ...(by === 'ask' && { by: await ruleFor(call) }),
      ...(show === true && { text: await preview(call) }),
    };
  });
}

async function contextOf(
  { agentId, path = agentId, callId, context = {}, contextByReference }: CallToolInput,
  session: JsonObject,
): Promise<ApprovalContext> {
  const workflowId = ownWorkflowId();
  return {
    workflowId,
    agentId,
    path,
    callId,
    session: structuredClone(session),
    context: contextByReference === true ? await askContext(workflowId) : context,
    log: callLog(),
  };
}

/** Throws if the function gives no rule: nobody may then approve the call. */
async function ruleFor({ tool, args, context, signal }: ReviewedCall): Promise<ApproverRule> {
  const place = placeOf(tool, 'by');
  const { by } = tool.approval ?? {};
  if (by === undefined) throw notHere(`${place.name}`);
  const rule: unknown = await runUserCode(place, () => by(args, context), signal);
  const parsed = parse(approverRule, rule);
  if (parsed.ok) return parsed.value;
  throw userCodeError(place, `gave no rule: ${parsed.problems.map(formatProblem).join('; ')}`);
}

/** A failed preview does not hold up the decision. Its text is then the reason for the failure. */
async function preview({ tool, args, context, signal }: ReviewedCall): Promise<string> {
  const place = placeOf(tool, 'show');
  const { show } = tool.approval ?? {};
  if (show === undefined) throw notHere(place.name);
  try {
    const shown: unknown = await runUserCode(place, () => show(args, context), signal);
    return clipText(textOf(shown, place), limits.preview);
  } catch (error) {
    if (isCancelled(error) || !isFinal(error)) throw error;
    logFailure('error', `${place.name} failed`, error);
    return clipText(`There is no preview: ${describeError(error)}`, limits.preview);
  }
}

function textOf(shown: unknown, place: CodePlace): string {
  const violation = checkExactJson(shown);
  if (violation !== undefined)
    throw userCodeError(place, `must return a text or JSON${violationText(violation)}`);
  return typeof shown === 'string' ? shown : JSON.stringify(shown, null, 2);
}

const placeOf = ({ name }: Tool, option: 'by' | 'show'): CodePlace => ({
  name: `needsApproval.${option} of tool '${name}'`,
  details: { tool: name },
});
