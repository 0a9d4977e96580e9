// Pure: the hooks of a worker, in a mock activity; no server.

import {
  checkSignature,
  hooksHere,
  notifyPause,
  type OnPause,
} from '../../../../src/activities/people/hooks';
import type { CheckSignatureInput, PauseNotice } from '../../../../src/protocol/activities';
import { QuietActivity } from '../quiet-activity';

const notice: PauseNotice = {
  reason: 'asked',
  workflowId: 'run-1',
  input: {
    inputId: 'a1.0',
    kind: 'approval',
    question: 'May pay run?',
    agentId: 'payer',
    path: 'payer',
    since: '2026-11-21T00:00:00.000Z',
  },
};

const asked: CheckSignatureInput = {
  workflowId: 'run-1',
  input: notice.input,
  answer: { kind: 'approve', inputId: 'a1.0', by: { id: 'ann' }, signature: 'signed' },
};

const inActivity = async <Result>(work: () => Promise<Result>): Promise<Result> =>
  await new QuietActivity().run(work);

describe('the hooks of a worker', () => {
  it('are named only if the worker has them', () => {
    const onPause: OnPause = () => undefined;
    expect(hooksHere({})).toEqual({});
    expect(hooksHere({ onPause })).toEqual({ hooks: ['onPause'] });
    expect(hooksHere({ onPause, checkSignature: () => true })).toEqual({
      hooks: ['onPause', 'checkSignature'],
    });
  });

  it('get the notice and its key', async () => {
    const told: unknown[] = [];
    const onPause: OnPause = (given, { idempotencyKey }) => void told.push([given, idempotencyKey]);
    await inActivity(() => notifyPause({ onPause }, { notice, idempotencyKey: 'k' }));
    expect(told).toEqual([[notice, 'k']]);
  });

  it('are tried again if they throw, or if this worker lacks them', async () => {
    const onPause: OnPause = () => Promise.reject(new Error('the mail server is down'));
    const input = { notice, idempotencyKey: 'k' };
    await expect(inActivity(() => notifyPause({ onPause }, input))).rejects.toMatchObject({
      retryable: true,
      message: 'onPause of this worker threw: the mail server is down',
    });
    await expect(inActivity(() => notifyPause({}, input))).rejects.toMatchObject({
      code: 'InternalError',
      retryable: true,
    });
    await expect(inActivity(() => checkSignature({}, asked))).rejects.toMatchObject({
      code: 'NotRegisteredHere',
      retryable: true,
    });
  });

  it.each<{ name: string; answered: unknown; problem?: string }>([
    { name: 'true', answered: true },
    { name: 'false', answered: false, problem: 'the signature does not fit it' },
    { name: 'anything else', answered: 'yes', problem: 'the signature does not fit it' },
    { name: 'nothing', answered: undefined, problem: 'the signature does not fit it' },
  ])('accept a signature only with true: $name', async ({ answered, problem }) => {
    const hooks = { checkSignature: () => answered as boolean };
    expect(await inActivity(() => checkSignature(hooks, asked))).toEqual(
      problem === undefined ? {} : { problem },
    );
  });

  it('see the answer, its input and the run', async () => {
    const seen: unknown[] = [];
    const { signature: _signature, ...unsigned } = asked.answer;
    const hooks = {
      checkSignature: (
        ...[answer, input, { workflowId }]: [unknown, unknown, { workflowId: string }]
      ) => {
        seen.push(answer, input, workflowId);
        return false;
      },
    };
    const input = { ...asked, answer: unsigned };
    expect(await inActivity(() => checkSignature(hooks, input))).toEqual({
      problem: 'it has no signature',
    });
    expect(seen).toEqual([unsigned, notice.input, 'run-1']);
  });
});
