// Pure: no server.

import { limits } from '../../../../src/protocol/limits';
import { LonghaulError } from '../../../../src/protocol/errors';
import type { InputAnswer, PendingInput, RejectedSignal } from '../../../../src/protocol/run';
import type { Answer } from '../../../../src/workflows/people/answers';
import { PendingRequests } from '../../../../src/workflows/people/pending-requests';
import { thrown } from '../../core/builders';

const input = (inputId: string, kind: PendingInput['kind'] = 'question'): PendingInput => ({
  inputId,
  kind,
  question: `${inputId}?`,
  agentId: 'guide',
  path: 'guide',
  since: '2026-11-21T00:00:00.000Z',
});

const rejection = (message: string): RejectedSignal => ({
  signal: 'resume',
  code: 'NotWaiting',
  message,
  at: '2026-11-21T00:00:00.000Z',
});

const answer = (inputId?: string): Answer => ({
  kind: 'answer',
  answer: 'yes',
  ...(inputId !== undefined && { inputId }),
});

const given: InputAnswer = { kind: 'answer', inputId: 'a', answer: 'yes' };

const codeOf = (act: () => unknown): unknown => (thrown(act) as { code?: unknown }).code;

describe('PendingRequests', () => {
  let requests: PendingRequests;
  beforeEach(() => {
    requests = new PendingRequests();
  });

  describe('publish', () => {
    it('counts a pause whenever something new is asked, and only then', () => {
      const seen = [
        [],
        [input('a')],
        [input('a')],
        [input('a'), input('b')],
        [input('b')],
        [],
        [input('c')],
      ].map((inputs) => {
        requests.publish(inputs);
        return [requests.pauseSeq, requests.status];
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
      requests.publishChild('child', [input('a')]);
      requests.publishChild('grandchild', [input('b')], 'child');
      requests.publishChild('other', [input('c')]);
      requests.forgetBranch('child');
      expect(requests.pending).toEqual([input('c')]);
    });

    it('lists what children wait for beside its own, and knows who asked', () => {
      requests.publish([input('a')]);
      requests.publishChild('child', [input('c'), input('d')]);
      expect(requests.pending).toEqual([input('a'), input('c'), input('d')]);
      expect([requests.askerOf('a'), requests.askerOf('c')]).toEqual([undefined, 'child']);
      requests.take('c', 'update-1');
      requests.publishChild('child', [input('d')]);
      expect(requests.pending).toEqual([input('a'), input('d')]);
      requests.publishChild('child', []);
      requests.end('completed');
      expect([requests.pending, requests.pauseSeq]).toEqual([[], 2]);
    });

    it('lists again what a child asks with another nonce, for the answer it had is gone', () => {
      const asked = (nonce: string): PendingInput => ({ ...input('a'), nonce });
      requests.publishChild('child', [asked('1')]);
      requests.take('a', 'update-1');
      requests.publishChild('child', [asked('1')]);
      expect(requests.pending).toEqual([]);
      requests.publishChild('child', []);
      requests.publishChild('other', [asked('2')]);
      expect(requests.pending).toEqual([]);
      requests.publishChild('other', []);
      requests.publishChild('child', [asked('2')]);
      expect(requests.pending).toEqual([asked('2')]);
      expect([requests.status, requests.pauseSeq]).toEqual(['needs-input', 2]);
      expect(requests.pendingFor(answer('a'), 'update-1')).toEqual(asked('2'));
    });

    it('gives what is open another nonce after a reset, but not what was answered', () => {
      requests.publish([
        { ...input('a'), nonce: '1' },
        { ...input('b'), nonce: '1' },
      ]);
      requests.take('a', 'update-1');
      requests.renew(() => '2');
      expect(requests.pending).toEqual([{ ...input('b'), nonce: '2' }]);
      expect([requests.nonceOf('a'), requests.pauseSeq]).toEqual(['1', 1]);
    });

    it('leaves out what was answered, though the machine has not moved on yet', () => {
      requests.publish([input('a'), input('b')]);
      requests.take('a', 'update-1');
      requests.publish([input('a'), input('b')]);
      expect(requests.pending).toEqual([input('b')]);
      expect(requests.pauseSeq).toBe(1);
    });

    it('is running once it is loaded, also where it asks nothing itself', () => {
      const before = requests.status;
      requests.loaded();
      expect([before, requests.status, requests.pauseSeq]).toEqual(['loading', 'running', 0]);
    });

    it.each([{ status: 'completed' }, { status: 'failed' }, { status: 'cancelled' }] as const)(
      'never brings a run back that is $status',
      ({ status }) => {
        requests.end(status);
        requests.publish([]);
        expect([requests.status, requests.ended]).toEqual([status, true]);
      },
    );
  });

  it('gives one open input another nonce, if its answer was refused here', () => {
    requests.publish([input('a'), input('b')]);
    requests.renew(() => 'n2', 'a');
    expect(requests.pending).toEqual([{ ...input('a'), nonce: 'n2' }, input('b')]);
  });

  describe('an answer', () => {
    it('that came by signal is not the same one again, whatever it says', () => {
      requests.publish([input('a')]);
      requests.take('a');
      expect(codeOf(() => requests.pendingFor(answer('a'), undefined))).toBe('AlreadyAnswered');
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
      if (open.length > 0) requests.publish(open);
      if (answered !== undefined) requests.take(answered, 'update-1');
      if (state === 'running') requests.loaded();
      if (state === 'failed') requests.end('failed');
      const before = requests.carry();
      const error = thrown(() => requests.pendingFor(answer(inputId), 'update-2'));
      expect(error).toMatchObject({ code, message: expect.stringMatching(says) as string });
      expect([requests.carry(), requests.answers]).toEqual([
        before,
        answered === undefined ? 0 : 1,
      ]);
    });

    it('needs no name when one thing is asked', () => {
      requests.publish([input('a')]);
      expect(requests.pendingFor(answer(), 'update-1')).toEqual(input('a'));
    });

    it('is taken once: its honest retry is told the same, even after the run moved on', () => {
      requests.publish([input('a')]);
      requests.take('a', 'update-1');
      expect([requests.status, requests.answers]).toEqual(['running', 1]);
      expect(requests.pendingFor(answer('a'), 'update-1')).toBeUndefined();
      requests.publish([input('b')]);
      expect(requests.pendingFor(answer('a'), 'update-1')).toBeUndefined();
      expect(codeOf(() => requests.pendingFor(answer('a'), 'update-2'))).toBe('AlreadyAnswered');
    });

    it('in words goes to a question, a decision to an approval', () => {
      requests.publish([input('q'), input('ok', 'approval')]);
      expect(requests.pendingFor(answer('q'), 'u')).toEqual(input('q'));
      expect(requests.pendingFor({ kind: 'approve', inputId: 'ok' }, 'u')).toEqual(
        input('ok', 'approval'),
      );
      expect(codeOf(() => requests.pendingFor(answer('ok'), 'u'))).toBe('InvalidAnswer');
      expect(codeOf(() => requests.pendingFor({ kind: 'approve', inputId: 'q' }, 'u'))).toBe(
        'InvalidAnswer',
      );
    });

    it.each([0, -1, 1e-20, 1e16, '1e-20', 'much'])('of %p raises no budget', (amount) => {
      requests.publish([input('a', 'budget')]);
      expect(codeOf(() => requests.pendingFor({ kind: 'answer', answer: amount }, 'u'))).toBe(
        'InvalidAnswer',
      );
    });

    it('goes to what asked, and is not taken when that refuses it', () => {
      const fed: InputAnswer[] = [];
      requests.publish([input('a')]);
      expect(codeOf(() => requests.answerOwn(given, input('a'), 'u'))).toBe('InternalError');
      requests.answersTo({
        feed: (taken) => {
          if (fed.push(taken) === 1) throw new LonghaulError('ProtocolError', 'not now');
        },
      });
      expect(codeOf(() => requests.answerOwn(given, input('a'), 'u'))).toBe('ProtocolError');
      expect([requests.pending, requests.answers]).toEqual([[input('a')], 0]);
      requests.answerOwn(given, input('a'), 'u');
      expect([requests.pending, requests.answers, fed]).toEqual([[], 1, [given, given]]);
    });

    it('that does not decide alone is a vote, and keeps no roles', () => {
      const asked = { ...input('ok', 'approval'), by: { roles: ['finance'], approvals: 2 } };
      requests.publish([asked]);
      const approve = (id: string): InputAnswer => ({
        kind: 'approve',
        inputId: 'ok',
        by: { id, roles: ['finance'] },
      });
      requests.count(approve('ada'), asked, 'u1');
      const [open] = requests.pending;
      expect(open?.votes).toEqual([{ by: { id: 'ada' }, at: expect.any(String) as string }]);
      requests.count(approve('bob'), open ?? asked, 'u2');
      expect([requests.pending, requests.answers]).toEqual([[], 1]);
      expect(thrown(() => requests.pendingFor(approve('cleo'), 'u3'))).toMatchObject({
        code: 'AlreadyAnswered',
        details: { by: 'bob' },
      });
    });
  });

  describe('carried over continue-as-new', () => {
    const restored = (carrying: PendingRequests): PendingRequests => {
      const next = new PendingRequests();
      next.restore(
        JSON.parse(JSON.stringify(carrying.carry())) as ReturnType<PendingRequests['carry']>,
      );
      return next;
    };

    it('goes on where it was', () => {
      requests.publish([input('a'), input('b')]);
      requests.take('a', 'update-1');
      requests.refuse(rejection('no'));
      const next = restored(requests);
      expect(next.carry()).toEqual(requests.carry());
      expect([next.status, next.pauseSeq]).toEqual(['needs-input', 1]);
      expect(next.pendingFor(answer('a'), 'update-1')).toBeUndefined();
      expect(codeOf(() => next.pendingFor(answer('a'), 'update-2'))).toBe('AlreadyAnswered');
      next.publish([input('b')]);
      expect(next.pauseSeq).toBe(requests.pauseSeq);
    });

    it('runs on when nothing is asked', () => {
      requests.publish([]);
      expect(restored(requests).status).toBe('running');
    });

    it('remembers the last thousand answers', () => {
      for (let index = 0; index < 1_200; index += 1) {
        requests.publish([input(`q${index}`)]);
        requests.take(`q${index}`, `u${index}`);
      }
      const { answered } = requests.carry();
      expect(answered).toHaveLength(limits.answeredInputs);
      expect(answered.at(-1)).toEqual(['q1199', 'u1199']);
    });

    it('keeps signals that were refused before it had loaded, after the earlier ones', () => {
      requests.refuse(rejection('earlier'));
      const carried = requests.carry();
      const next = new PendingRequests();
      next.refuse(rejection('while loading'));
      next.restore(carried);
      expect(next.rejected.map(({ message }) => message)).toEqual(['earlier', 'while loading']);
    });

    it('keeps twenty refused signals, however often it is carried', () => {
      for (let execution = 0; execution < 3; execution += 1) {
        const next = new PendingRequests();
        for (let index = 0; index < 15; index += 1) next.refuse(rejection(`${execution}.${index}`));
        next.restore(requests.carry());
        requests = next;
      }
      expect(requests.rejected).toHaveLength(20);
      expect(requests.rejected.at(-1)).toEqual(rejection('2.14'));
    });
  });

  it('keeps the last twenty refused signals', () => {
    for (let index = 0; index < 50; index += 1) requests.refuse(rejection(String(index)));
    expect(requests.rejected.map(({ message }) => message)).toEqual(
      Array.from({ length: 20 }, (_, index) => String(index + 30)),
    );
  });

  it('says that nobody answered in time, also in the next execution', () => {
    requests.publish([input('a')]);
    requests.expire('a');
    expect(codeOf(() => requests.pendingFor(given, 'late'))).toBe('NotWaiting');
    const next = new PendingRequests();
    next.restore(requests.carry());
    expect(codeOf(() => next.pendingFor(given, 'late'))).toBe('NotWaiting');
  });
});
