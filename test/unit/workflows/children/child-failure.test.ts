// Pure: no server.
import {
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  TimeoutFailure,
} from '@temporalio/common';
import { LonghaulError } from '../../../../src/protocol/errors';
import type { RunSpend } from '../../../../src/protocol/run';
import {
  cancelledBelow,
  failureCode,
  failureReason,
  reported,
  failureSpend,
} from '../../../../src/workflows/children/child-failure';
import { noUsage } from '../../core/builders';

const spend: RunSpend = { usage: { ...noUsage, totalTokens: 15 }, costUsd: 0.5 };
const execution = { workflowId: 'child', runId: 'first' };
const child = (cause: Error): ChildWorkflowFailure =>
  new ChildWorkflowFailure('default', execution, 'agent', 'NON_RETRYABLE_FAILURE', cause);
const limit = ApplicationFailure.create({
  type: 'MaxIterationsExceeded',
  message: 'too many rounds',
  details: [{ limit: 3 }],
});
const plain = ApplicationFailure.create({ message: 'it broke' });

describe('a failure on its way up', () => {
  it.each([
    { name: 'its own', failure: limit, details: { limit: 3 } },
    { name: 'that of a child', failure: child(limit), details: { limit: 3 } },
    { name: 'that of a child of a child', failure: child(child(limit)), details: { limit: 3 } },
  ])('keeps code, message and details and says what was spent: $name', ({ failure, details }) => {
    const told = reported(failure, spend);
    expect(told).toMatchObject({
      type: 'MaxIterationsExceeded',
      message: 'too many rounds',
      nonRetryable: true,
      details: [details, spend],
      cause: failure,
    });
    expect(failureSpend(child(told as Error))).toEqual(spend);
  });

  it('counts what was spent once: the report of a child is not that of its caller', () => {
    const below = child(reported(limit, { usage: noUsage }) as Error);
    expect(failureSpend(child(reported(below, spend) as Error))).toEqual(spend);
  });

  it.each([
    { name: 'a cancellation', failure: new CancelledFailure('stop') },
    { name: 'the cancellation of a child', failure: child(new CancelledFailure('stop')) },
    { name: 'what is no failure of Temporal', failure: new Error('it broke') },
  ])('passes $name', ({ failure }) => {
    expect(reported(failure, spend)).toBe(failure);
    expect(failureSpend(failure)).toBeUndefined();
  });

  it('says which run was cancelled by itself', () => {
    const error = cancelledBelow(child(new CancelledFailure('')), 'race/branch-2');
    expect(error).toMatchObject({
      code: 'RunCancelled',
      message: "the run at 'race/branch-2' was cancelled",
      details: { path: 'race/branch-2' },
    });
    expect(cancelledBelow(limit, 'race/branch-2')).toBe(limit);
  });

  it('cuts a long message', () => {
    const long = ApplicationFailure.create({ type: 'ToolError', message: 'x'.repeat(10_000) });
    expect((reported(long, spend) as Error).message.length).toBeLessThanOrEqual(2_048);
  });

  it.each([
    {
      name: 'one of ours',
      error: new LonghaulError('CircularAgentCall', 'round'),
      code: 'CircularAgentCall',
    },
    { name: 'the failure of a child', error: child(limit), code: 'MaxIterationsExceeded' },
    {
      name: 'the deepest one that has a code',
      error: child(reported(child(limit), spend) as Error),
      code: 'MaxIterationsExceeded',
    },
    { name: 'a cancelled child', error: child(new CancelledFailure('stop')), code: 'RunCancelled' },
    { name: 'a failure without a type', error: child(plain), code: undefined },
    {
      name: 'a type of somebody else',
      error: ApplicationFailure.create({ type: 'Other' }),
      code: undefined,
    },
    { name: 'what is no error', error: 'it broke', code: undefined },
  ])('has the code it began with: $name', ({ error, code }) => {
    expect(failureCode(error)).toBe(code);
  });

  it.each([
    { name: 'the message under its code', error: child(limit), reason: 'too many rounds' },
    { name: 'the innermost message without one', error: child(plain), reason: 'it broke' },
    {
      name: 'that of a timeout',
      error: child(new TimeoutFailure('too late', undefined, 'START_TO_CLOSE')),
      reason: 'too late',
    },
    { name: 'a line of several', error: new Error('one\ntwo'), reason: 'one two' },
    { name: 'what was thrown', error: 'it broke', reason: 'it broke' },
  ])('says why: $name', ({ error, reason }) => {
    expect(failureReason(error)).toBe(reason);
  });
});
