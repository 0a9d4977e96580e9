// Pure: no server.

import { limits } from '../../../../src/protocol/limits';
import { LonghaulError } from '../../../../src/protocol/errors';
import type { InputAnswer, PendingInput } from '../../../../src/protocol/run';
import type { Answer } from '../../../../src/workflows/people/answers';
import { admitAnswer } from '../../../../src/workflows/people/admit-answer';
import type { Asker, OpenInputs } from '../../../../src/workflows/people/open-inputs';
import type { Phase } from '../../../../src/workflows/lifecycle/phase';
import {
  carryRequests,
  type CarriedRequests,
  openRequests,
  type Requests,
} from '../../../../src/workflows/lifecycle/requests';
import { thrown } from '../../core/builders';

const input = (inputId: string, kind: PendingInput['kind'] = 'question'): PendingInput => ({
  inputId,
  kind,
  question: `${inputId}?`,
  agentId: 'guide',
  path: 'guide',
  since: '2026-11-21T00:00:00.000Z',
});

const refuse = (phase: Phase, message: string): void =>
  phase.refuse('resume', 'NotWaiting', message);

const answer = (inputId?: string): Answer => ({
  kind: 'answer',
  answer: 'yes',
  ...(inputId !== undefined && { inputId }),
});

const given: InputAnswer = { kind: 'answer', inputId: 'a', answer: 'yes' };

const codeOf = (act: () => unknown): unknown => (thrown(act) as { code?: unknown }).code;

describe('the requests of a run', () => {
  let requests: Requests;
  let inputs: OpenInputs;
  let phase: Phase;
  beforeEach(() => {
    requests = openRequests();
    ({ inputs, phase } = requests);
  });

  const opened = (sent: Answer, updateId: string | undefined): PendingInput | undefined =>
    admitAnswer(requests, sent, updateId)?.asked;

  describe('publish', () => {
    it('counts a pause whenever something new is asked, and only then', () => {
      phase.isLoaded = true;
      const seen = [
        [],
        [input('a')],
        [input('a')],
        [input('a'), input('b')],
        [input('b')],
        [],
        [input('c')],
      ].map((asked) => {
        inputs.publish(asked);
        return [inputs.pauseSeq, phase.status];
      });
      expect(seen).toEqual([
        [0, 'running'],
        [1, 'needs-input'],
        [1, 'needs-input'],
        [2, 'needs-input'],
        [2, 'needs-input'],
        [2, 'running'],
        [3, 'needs-input'],
      ]);
    });

    it('lists no more what is asked below a child that is gone', () => {
      inputs.publishChild('child', [input('a')]);
      inputs.publishChild('grandchild', [input('b')], 'child');
      inputs.publishChild('other', [input('c')]);
      inputs.forgetBranch('child');
      expect(inputs.pending).toEqual([input('c')]);
    });

    it('lists what children wait for beside its own, and knows who asked', () => {
      inputs.publish([input('a')]);
      inputs.publishChild('child', [input('c'), input('d')]);
      expect(inputs.pending).toEqual([input('a'), input('c'), input('d')]);
      expect([inputs.childThatAsked('a'), inputs.childThatAsked('c')]).toEqual([
        undefined,
        'child',
      ]);
      inputs.close('c', 'update-1');
      inputs.publishChild('child', [input('d')]);
      expect(inputs.pending).toEqual([input('a'), input('d')]);
      inputs.publishChild('child', []);
      phase.end('completed');
      expect([inputs.pending, inputs.pauseSeq]).toEqual([[], 2]);
    });

    it('lists again what a child asks with another nonce, for the answer it had is gone', () => {
      const asked = (nonce: string): PendingInput => ({ ...input('a'), nonce });
      inputs.publishChild('child', [asked('1')]);
      inputs.close('a', 'update-1');
      inputs.publishChild('child', [asked('1')]);
      expect(inputs.pending).toEqual([]);
      inputs.publishChild('child', []);
      inputs.publishChild('other', [asked('2')]);
      expect(inputs.pending).toEqual([]);
      inputs.publishChild('other', []);
      inputs.publishChild('child', [asked('2')]);
      expect(inputs.pending).toEqual([asked('2')]);
      expect([phase.status, inputs.pauseSeq]).toEqual(['needs-input', 2]);
      expect(opened(answer('a'), 'update-1')).toEqual(asked('2'));
    });

    it('gives what is open another nonce after a reset, but not what was answered', () => {
      inputs.publish([
        { ...input('a'), nonce: '1' },
        { ...input('b'), nonce: '1' },
      ]);
      inputs.close('a', 'update-1');
      inputs.renew(() => '2');
      expect(inputs.pending).toEqual([{ ...input('b'), nonce: '2' }]);
      expect([inputs.nonceOf('a'), inputs.pauseSeq]).toEqual(['1', 1]);
    });

    it('leaves out what was answered, though the machine has not moved on yet', () => {
      inputs.publish([input('a'), input('b')]);
      inputs.close('a', 'update-1');
      inputs.publish([input('a'), input('b')]);
      expect(inputs.pending).toEqual([input('b')]);
      expect(inputs.pauseSeq).toBe(1);
    });

    it('is running once it is loaded, also where it asks nothing itself', () => {
      const before = phase.status;
      phase.isLoaded = true;
      expect([before, phase.status, inputs.pauseSeq]).toEqual(['loading', 'running', 0]);
    });

    it.each([{ status: 'completed' }, { status: 'failed' }, { status: 'cancelled' }] as const)(
      'never brings a run back that is $status',
      ({ status }) => {
        phase.end(status);
        inputs.publish([]);
        expect([phase.status, phase.ended]).toEqual([status, true]);
      },
    );
  });

  it('gives one open input another nonce, if its answer was refused here', () => {
    inputs.publish([input('a'), input('b')]);
    inputs.renew(() => 'n2', 'a');
    expect(inputs.pending).toEqual([{ ...input('a'), nonce: 'n2' }, input('b')]);
  });

  describe('an answer', () => {
    it('that came by signal is not the same one again, whatever it says', () => {
      inputs.publish([input('a')]);
      inputs.close('a');
      expect(codeOf(() => opened(answer('a'), undefined))).toBe('AlreadyAnswered');
    });

    const refusals: readonly {
      readonly name: string;
      readonly open: readonly PendingInput[];
      readonly answered?: string;
      readonly state?: 'running' | 'failed';
      readonly inputId?: string;
      readonly code: string;
      readonly says: RegExp;
    }[] = [
      { name: 'while it loads', open: [], code: 'NotWaiting', says: /still loading/ },
      { name: 'while it runs', open: [], state: 'running', code: 'NotWaiting', says: /running/ },
      { name: 'after its end', open: [], state: 'failed', code: 'NotWaiting', says: /failed/ },
      {
        name: 'to an unknown input',
        open: [input('a')],
        inputId: 'x',
        code: 'NotWaiting',
        says: /'x'.*'a' \(guide\)/,
      },
      {
        name: 'to one of several, unnamed',
        open: [input('a'), input('b')],
        code: 'AmbiguousInput',
        says: /'a' \(guide\), 'b' \(guide\)/,
      },
      {
        name: 'that differs from the first',
        open: [input('a'), input('b')],
        answered: 'a',
        inputId: 'a',
        code: 'AlreadyAnswered',
        says: /'a' was already answered/,
      },
    ];

    it.each(refusals)('$name is refused, and changes nothing', (refusal) => {
      const { open, answered, state, inputId, code, says } = refusal;
      if (open.length > 0) inputs.publish(open);
      if (answered !== undefined) inputs.close(answered, 'update-1');
      if (state === 'running') phase.isLoaded = true;
      if (state === 'failed') phase.end('failed');
      const before = carryRequests(requests);
      const error = thrown(() => opened(answer(inputId), 'update-2'));
      expect(error).toMatchObject({ code, message: expect.stringMatching(says) as string });
      expect([carryRequests(requests), inputs.answers]).toEqual([
        before,
        answered === undefined ? 0 : 1,
      ]);
    });

    it('needs no name when one thing is asked', () => {
      inputs.publish([input('a')]);
      expect(opened(answer(), 'update-1')).toEqual(input('a'));
    });

    it('is taken once: its honest retry is told the same, even after the run moved on', () => {
      phase.isLoaded = true;
      inputs.publish([input('a')]);
      inputs.close('a', 'update-1');
      expect([phase.status, inputs.answers]).toEqual(['running', 1]);
      expect(opened(answer('a'), 'update-1')).toBeUndefined();
      inputs.publish([input('b')]);
      expect(opened(answer('a'), 'update-1')).toBeUndefined();
      expect(codeOf(() => opened(answer('a'), 'update-2'))).toBe('AlreadyAnswered');
    });

    it('in words goes to a question, a decision to an approval', () => {
      inputs.publish([input('q'), input('ok', 'approval')]);
      expect(opened(answer('q'), 'u')).toEqual(input('q'));
      expect(opened({ kind: 'approve', inputId: 'ok' }, 'u')).toEqual(input('ok', 'approval'));
      expect(codeOf(() => opened(answer('ok'), 'u'))).toBe('InvalidAnswer');
      expect(codeOf(() => opened({ kind: 'approve', inputId: 'q' }, 'u'))).toBe('InvalidAnswer');
    });

    it.each([0, -1, 1e-20, 1e16, '1e-20', 'much'])('of %p raises no budget', (amount) => {
      inputs.publish([input('a', 'budget')]);
      expect(codeOf(() => opened({ kind: 'answer', answer: amount }, 'u'))).toBe('InvalidAnswer');
    });

    it('goes to what asked, and is not taken when that refuses it', () => {
      const fed: InputAnswer[] = [];
      inputs.publish([input('a')]);
      const give = (asker?: Asker): void =>
        inputs.takeOwn({ answer: given, asked: input('a'), missing: 0 }, 'u', asker);
      expect(codeOf(() => give())).toBe('InternalError');
      const asker: Asker = {
        feed: (taken) => {
          if (fed.push(taken.answer) === 1) throw new LonghaulError('ProtocolError', 'not now');
        },
      };
      expect(codeOf(() => give(asker))).toBe('ProtocolError');
      expect([inputs.pending, inputs.answers]).toEqual([[input('a')], 0]);
      give(asker);
      expect([inputs.pending, inputs.answers, fed]).toEqual([[], 1, [given, given]]);
    });

    it('that does not decide alone is a vote, and keeps no roles', () => {
      const asked = { ...input('ok', 'approval'), by: { roles: ['finance'], approvals: 2 } };
      inputs.publish([asked]);
      const take = (sent: Answer, updateId: string): void => {
        const admitted = admitAnswer(requests, sent, updateId);
        if (admitted !== undefined) inputs.take(admitted, updateId);
      };
      const approve = (id: string): InputAnswer => ({
        kind: 'approve',
        inputId: 'ok',
        by: { id, roles: ['finance'] },
      });
      take(approve('ada'), 'u1');
      const [open] = inputs.pending;
      expect(open?.votes).toEqual([{ by: { id: 'ada' }, at: expect.any(String) as string }]);
      take(approve('bob'), 'u2');
      expect([inputs.pending, inputs.answers]).toEqual([[], 1]);
      expect(thrown(() => opened(approve('cleo'), 'u3'))).toMatchObject({
        code: 'AlreadyAnswered',
        details: { by: 'bob' },
      });
    });
  });

  describe('carried over continue-as-new', () => {
    const restored = (carrying: Requests): Requests =>
      openRequests(JSON.parse(JSON.stringify(carryRequests(carrying))) as CarriedRequests);

    it('goes on where it was', () => {
      inputs.publish([input('a'), input('b')]);
      inputs.close('a', 'update-1');
      refuse(phase, 'no');
      const next = restored(requests);
      const again = (updateId: string): unknown => admitAnswer(next, answer('a'), updateId);
      expect(carryRequests(next)).toEqual(carryRequests(requests));
      expect([next.phase.status, next.inputs.pauseSeq]).toEqual(['needs-input', 1]);
      expect(again('update-1')).toBeUndefined();
      expect(codeOf(() => again('update-2'))).toBe('AlreadyAnswered');
      next.inputs.publish([input('b')]);
      expect(next.inputs.pauseSeq).toBe(inputs.pauseSeq);
    });

    it('runs on when nothing is asked', () => {
      inputs.publish([]);
      expect(restored(requests).phase.status).toBe('running');
    });

    it('remembers the last thousand answers', () => {
      for (let index = 0; index < 1_200; index += 1) {
        inputs.publish([input(`q${index}`)]);
        inputs.close(`q${index}`, `u${index}`);
      }
      const { answered } = carryRequests(requests);
      expect(answered).toHaveLength(limits.answeredInputs);
      expect(answered.at(-1)).toEqual(['q1199', 'u1199']);
    });

    it('keeps signals that were refused before it had loaded, after the earlier ones', () => {
      refuse(phase, 'earlier');
      const next = openRequests(carryRequests(requests));
      refuse(next.phase, 'while loading');
      const messages = next.phase.rejected.map(({ message }) => message);
      expect(messages).toEqual(['earlier', 'while loading']);
    });

    it('keeps twenty refused signals, however often it is carried', () => {
      for (let execution = 0; execution < 3; execution += 1) {
        requests = openRequests(carryRequests(requests));
        for (let index = 0; index < 15; index += 1) refuse(requests.phase, `${execution}.${index}`);
      }
      expect(requests.phase.rejected).toHaveLength(20);
      expect(requests.phase.rejected.at(-1)).toMatchObject({
        signal: 'resume',
        code: 'NotWaiting',
        message: '2.14',
      });
    });
  });

  it('keeps the last twenty refused signals', () => {
    for (let index = 0; index < 50; index += 1) refuse(phase, String(index));
    expect(phase.rejected.map(({ message }) => message)).toEqual(
      Array.from({ length: 20 }, (_, index) => String(index + 30)),
    );
  });

  it('says that nobody answered in time, also in the next execution', () => {
    inputs.publish([input('a')]);
    inputs.close('a', 'input-timeout');
    expect(codeOf(() => opened(given, 'late'))).toBe('NotWaiting');
    const next = openRequests(carryRequests(requests));
    expect(codeOf(() => admitAnswer(next, given, 'late'))).toBe('NotWaiting');
  });
});
