// Lets a worker review calls that wait for approval: who may decide about them, and what these people see.
//
// 1. A failed review never opens a call to more people. If it is unknown who may decide, nobody may approve, and the preview has the
//    reason.

import { defined } from '../../base';
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import {
  type AgentConfig,
  type ApprovalPolicy,
  type CallToolInput,
  limits,
  type MachineInput,
} from '../../protocol';
import { reviewActivities } from '../activity-proxies';
import { failureReason } from '../children/child-failure';
import { TaskPayloadBudget } from '../lifecycle/task-payload-budget';
import type { LoadedRun } from '../run/loaded-run';
import { selectKeys } from '../run/run-session';
import { placeOf, type Review } from '../people/approvals';
import { argumentsOf, contextInput } from './call-inputs';

export function callReviewer(
  run: LoadedRun,
  { tools }: Pick<AgentConfig, 'tools'>,
): (input: MachineInput, policy: ApprovalPolicy) => Promise<Review> {
  const budget = new TaskPayloadBudget(limits.toolCallBytes);
  const inputOf = ({ inputId, call }: MachineInput): CallToolInput | undefined => {
    const [turn = 0, index = 0] = placeOf(inputId);
    if (call === undefined) return undefined;
    const tool = tools.find(({ name }) => name === call.name);
    const session = selectKeys(run.session.value, tool?.session);
    return {
      ...run.address,
      origin: run.position.origin,
      ...defined({ session }),
      ...contextInput(run.input.context),
      turn,
      index,
      callId: call.callId,
      tool: call.name,
      ...argumentsOf({ call, turn, index, kind: 'execute' }, run.log),
    };
  };
  return async (asked, policy) => {
    const input = inputOf(asked);
    if (input === undefined) return {};
    try {
      await budget.enter(input);
      return await reviewActivities(`#${input.turn} review ${input.tool}`).reviewCall(input);
    } catch (error) {
      if (isCancellation(error) && CancellationScope.current().consideredCancelled) throw error;
      return failedReview(policy, failureReason(error));
    }
  };
}

function failedReview({ by }: ApprovalPolicy, reason: string): Review {
  if (by !== 'ask') return { text: `There is no preview: ${reason}` };
  const text = `Nobody can approve this call, because its rule failed: ${reason}`;
  return { by: { ids: [] }, text };
}
