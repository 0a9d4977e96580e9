// Pure: no server.
import { limits } from '../../../../src/protocol/limits';
import type { PendingInput, RejectedSignal } from '../../../../src/protocol/run';
import { RunBoard } from '../../../../src/workflows/run/run-board';
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

const codeOf = (act: () => unknown): unknown => (thrown(act) as { code?: unknown }).code;

describe('RunBoard', () => {
  let board: RunBoard;
  beforeEach(() => {
    board = new RunBoard();
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
        board.publish(inputs);
        return [board.pauseSeq, board.status];
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
      board.publishChild('child', [input('a')]);
      board.publishChild('grandchild', [input('b')], 'child');
      board.publishChild('other', [input('c')]);
      board.forgetBranch('child');
      expect(board.pending).toEqual([input('c')]);
    });

    it('lists what children wait for beside its own, and knows who asked', () => {
      board.publish([input('a')]);
      board.publishChild('child', [input('c'), input('d')]);
      expect(board.pending).toEqual([input('a'), input('c'), input('d')]);
      expect([board.askerOf('a'), board.askerOf('c')]).toEqual([undefined, 'child']);
      board.take('c', 'update-1');
      board.publishChild('child', [input('d')]);
      expect(board.pending).toEqual([input('a'), input('d')]);
      board.publishChild('child', []);
      board.close();
      expect([board.pending, board.pauseSeq]).toEqual([[], 2]);
    });

    it('leaves out what was answered, though the machine has not moved on yet', () => {
      board.publish([input('a'), input('b')]);
      board.take('a', 'update-1');
      board.publish([input('a'), input('b')]);
      expect(board.pending).toEqual([input('b')]);
      expect(board.pauseSeq).toBe(1);
    });

    it('is running once it is loaded, also where it asks nothing itself', () => {
      const before = board.status;
      board.loaded();
      expect([before, board.status, board.pauseSeq]).toEqual(['loading', 'running', 0]);
    });

    it.each([{ status: 'completed' }, { status: 'failed' }, { status: 'cancelled' }] as const)(
      'never brings a run back that is $status',
      ({ status }) => {
        board.status = status;
        board.publish([]);
        expect([board.status, board.ended]).toEqual([status, true]);
      },
    );
  });

  describe('an answer', () => {
    it('that came by signal is not the same one again, whatever it says', () => {
      board.publish([input('a')]);
      board.take('a');
      expect(codeOf(() => board.question({ answer: 'x', inputId: 'a' }, undefined))).toBe(
        'AlreadyAnswered',
      );
    });

    const refusals: readonly {
      readonly name: string;
      readonly open: readonly PendingInput[];
      readonly answered?: string;
      readonly status?: RunBoard['status'];
      readonly inputId?: string;
      readonly code: string;
      readonly says: RegExp;
    }[] = [
      { name: 'while it loads', open: [], code: 'NotWaiting', says: /still loading/ },
      { name: 'while it runs', open: [], status: 'running', code: 'NotWaiting', says: /running/ },
      { name: 'after its end', open: [], status: 'failed', code: 'NotWaiting', says: /failed/ },
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
      const { open, answered, status, inputId, code, says } = refusal;
      if (open.length > 0) board.publish(open);
      if (answered !== undefined) board.take(answered, 'update-1');
      if (status !== undefined) board.status = status;
      const before = board.carry();
      const error = thrown(() =>
        board.addressed(inputId === undefined ? {} : { inputId }, 'update-2'),
      );
      expect(error).toMatchObject({ code, message: expect.stringMatching(says) as string });
      expect([board.carry(), board.answers]).toEqual([before, answered === undefined ? 0 : 1]);
    });

    it('needs no name when one thing is asked', () => {
      board.publish([input('a')]);
      expect(board.addressed({}, 'update-1')).toEqual(input('a'));
    });

    it('is taken once: its honest retry is told the same, even after the run moved on', () => {
      board.publish([input('a')]);
      board.take('a', 'update-1');
      expect([board.status, board.answers]).toEqual(['running', 1]);
      expect(board.addressed({ inputId: 'a' }, 'update-1')).toBeUndefined();
      board.publish([input('b')]);
      expect(board.addressed({ inputId: 'a' }, 'update-1')).toBeUndefined();
      expect(codeOf(() => board.addressed({ inputId: 'a' }, 'update-2'))).toBe('AlreadyAnswered');
    });

    it('in words goes to a question, a decision to an approval', () => {
      board.publish([input('q'), input('ok', 'approval')]);
      expect(board.question({ answer: 'yes', inputId: 'q' }, 'u')).toEqual(input('q'));
      expect(board.approval({ inputId: 'ok' }, 'u')).toEqual(input('ok', 'approval'));
      expect(codeOf(() => board.question({ answer: 'yes', inputId: 'ok' }, 'u'))).toBe(
        'InvalidAnswer',
      );
      expect(codeOf(() => board.approval({ inputId: 'q' }, 'u'))).toBe('InvalidAnswer');
    });

    it.each([
      { name: 'nothing', answer: null },
      { name: 'white space', answer: ' \n' },
      { name: 'too much', answer: 'x'.repeat(limits.answer + 1) },
    ])('of $name is no answer', ({ answer }) => {
      board.publish([input('a')]);
      expect(codeOf(() => board.question({ answer }, 'u'))).toBe('InvalidAnswer');
    });

    it.each([0, -1, 1e-20, 1e16, '1e-20', 'much'])('of %p raises no budget', (answer) => {
      board.publish([input('a', 'budget')]);
      expect(codeOf(() => board.question({ answer }, 'u'))).toBe('InvalidAnswer');
    });
  });

  describe('carried over continue-as-new', () => {
    const restored = (carrying: RunBoard): RunBoard => {
      const next = new RunBoard();
      next.restore(JSON.parse(JSON.stringify(carrying.carry())) as ReturnType<RunBoard['carry']>);
      return next;
    };

    it('goes on where it was', () => {
      board.publish([input('a'), input('b')]);
      board.take('a', 'update-1');
      board.refuse(rejection('no'));
      const next = restored(board);
      expect(next.carry()).toEqual(board.carry());
      expect([next.status, next.pauseSeq]).toEqual(['needs-input', 1]);
      expect(next.addressed({ inputId: 'a' }, 'update-1')).toBeUndefined();
      expect(codeOf(() => next.addressed({ inputId: 'a' }, 'update-2'))).toBe('AlreadyAnswered');
      next.publish([input('b')]);
      expect(next.pauseSeq).toBe(board.pauseSeq);
    });

    it('runs on when nothing is asked', () => {
      board.publish([]);
      expect(restored(board).status).toBe('running');
    });

    it('remembers the last thousand answers', () => {
      for (let index = 0; index < 1_200; index += 1) {
        board.publish([input(`q${index}`)]);
        board.take(`q${index}`, `u${index}`);
      }
      const { answered } = board.carry();
      expect(answered).toHaveLength(limits.answeredInputs);
      expect(answered.at(-1)).toEqual(['q1199', 'u1199']);
    });

    it('keeps signals that were refused before it had loaded, after the earlier ones', () => {
      board.refuse(rejection('earlier'));
      const carried = board.carry();
      const next = new RunBoard();
      next.refuse(rejection('while loading'));
      next.restore(carried);
      expect(next.rejected.map(({ message }) => message)).toEqual(['earlier', 'while loading']);
    });

    it('keeps twenty refused signals, however often it is carried', () => {
      for (let execution = 0; execution < 3; execution += 1) {
        const next = new RunBoard();
        for (let index = 0; index < 15; index += 1) next.refuse(rejection(`${execution}.${index}`));
        next.restore(board.carry());
        board = next;
      }
      expect(board.rejected).toHaveLength(20);
      expect(board.rejected.at(-1)).toEqual(rejection('2.14'));
    });
  });

  it('keeps the last twenty refused signals', () => {
    for (let index = 0; index < 50; index += 1) board.refuse(rejection(String(index)));
    expect(board.rejected.map(({ message }) => message)).toEqual(
      Array.from({ length: 20 }, (_, index) => String(index + 30)),
    );
  });
});
