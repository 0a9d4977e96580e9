// Pure: no server.
import { WorkflowFailedError, type Client } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import {
  CallbackAbort,
  InvalidToolCall,
  MaxIterationsExceeded,
  MaxTurnsExceeded,
  RunCancelled,
  TurnCut,
} from '../../../src';
import { runFailure } from '../../../src/client/failures';
import { RunHandle } from '../../../src/client/run-handle';

const failed = (cause: Error): WorkflowFailedError =>
  new WorkflowFailedError('failed', cause, 'NON_RETRYABLE_FAILURE');
const failureOf = (type: string, details: object): WorkflowFailedError =>
  failed(ApplicationFailure.nonRetryable('why', type, details));

describe('the failure of a run', () => {
  it.each([
    { errorClass: MaxIterationsExceeded, details: { limit: 3 } },
    { errorClass: MaxTurnsExceeded, details: { limit: 3 } },
    { errorClass: InvalidToolCall, details: { toolName: 'x', executable: [], allowed: [] } },
    { errorClass: TurnCut, details: { finishReason: 'length' } },
    { errorClass: CallbackAbort, details: { reason: 'enough' } },
  ])('is a $errorClass.name with its fields', ({ errorClass, details }) => {
    const error = runFailure(failureOf(errorClass.name, details));
    expect(error).toBeInstanceOf(errorClass);
    expect(error).toMatchObject({ ...details, history: [], message: 'why', details });
  });

  it('is a RunCancelled when the run was cancelled', () => {
    const error = runFailure(failed(new CancelledFailure('enough')));
    expect(error).toBeInstanceOf(RunCancelled);
    expect(error).toMatchObject({ reason: 'enough', message: 'enough' });
  });
});

describe('a decision about a tool call', () => {
  const run = new RunHandle({} as Client, 'run');

  it.each([
    { name: 'null', args: null },
    { name: 'a list', args: [1] },
    { name: 'a Date within', args: { since: new Date(0) } },
    { name: 'a BigInt within', args: { cents: 1n } },
  ])('is refused before it is sent when the edited arguments are $name', async ({ args }) => {
    await expect(run.approve('a1.0', { args: args as never })).rejects.toMatchObject({
      code: 'InvalidAnswer',
    });
  });

  it('is refused before it is sent when a rejection has no reason', async () => {
    await expect(run.reject('a1.0', undefined as never)).rejects.toMatchObject({
      code: 'InvalidAnswer',
    });
  });
});
