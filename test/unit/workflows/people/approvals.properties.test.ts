// Pure: random orders of verdicts, edits, escalations and deadlines, against a small model of the policy; no server.
import fc from 'fast-check';
import { defined } from '../../../../src/base/json';
import type { Actor, ApproverRule } from '../../../../src/protocol/people';
import type { InputAnswer } from '../../../../src/protocol/run';
import { ApprovalTrial } from './approval-trial';

const actors: Readonly<Record<string, Actor>> = {
  ada: { id: 'ada', roles: ['finance'] },
  bob: { id: 'bob', roles: ['clerk', 'finance'] },
  cleo: { id: 'cleo', roles: ['lead'] },
  rita: { id: 'rita', roles: ['finance', 'lead'] },
  eve: { id: 'eve' },
};

const amounts = [10, 20_000, 90_000];

const ruleFor = (euros: number): ApproverRule => {
  if (euros > 50_000) return { ids: ['cleo'] };
  return { roles: ['finance'], approvals: euros > 10_000 ? 2 : 1, not: ['requester'] };
};

type Step = {
  readonly what: 'approve' | 'edit' | 'reject' | 'escalate' | 'deadline' | 'continue';
  readonly who: string | undefined;
  readonly euros: number;
  readonly seen: 'nothing' | 'this' | 'another';
  /** Names the first input, though another may be open now. */
  readonly isLate: boolean;
  /** Sends the update before this one again. */
  readonly isRepeated: boolean;
};

const steps = fc.array(
  fc.record<Step>({
    what: fc.constantFrom(
      'approve',
      'approve',
      'approve',
      'edit',
      'edit',
      'reject',
      'escalate',
      'deadline',
      'continue',
    ),
    who: fc.constantFrom('ada', 'bob', 'cleo', 'rita', 'eve', undefined),
    euros: fc.constantFrom(...amounts),
    seen: fc.constantFrom('nothing', 'nothing', 'this', 'another'),
    isLate: fc.boolean(),
    isRepeated: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

/** The policy in other words: who counts, and what each verdict leads to. */
class Model {
  euros = amounts[1] as number;
  edits = 0;
  voters: string[] = [];
  isEscalated = false;
  end: 'approved' | 'rejected' | 'expired' | undefined;

  /** The number of missing approvals, that the run asks anew, or why the verdict does not count. */
  verdict({ what, who, euros, seen, isLate }: Step): number | string {
    if (isLate && this.edits > 0) return 'AlreadyAnswered';
    if (this.end === 'expired') return 'NotWaiting';
    if (this.end !== undefined) return 'AlreadyAnswered';
    if (seen === 'another') return 'InputChanged';
    if (who === undefined || !this.#may(who)) return 'NotPermitted';
    if (what === 'reject') this.end = 'rejected';
    if (what === 'reject') return 0;
    if (what === 'edit') {
      [this.euros, this.voters, this.isEscalated] = [euros, [], false];
      this.edits += 1;
      if (this.#may(who)) this.#vote(who);
      return 'asks anew';
    }
    return this.#vote(who);
  }

  #vote(who: string): number {
    if (!this.voters.includes(who)) this.voters.push(who);
    const missing = (this.euros === 20_000 ? 2 : 1) - this.voters.length;
    if (missing <= 0) this.end = 'approved';
    return missing;
  }

  #may(who: string): boolean {
    if (this.euros === 90_000) return who === 'cleo' || (this.isEscalated && who === 'rita');
    if (who === 'rita') return false;
    return who === 'ada' || who === 'bob' || (this.isEscalated && who === 'cleo');
  }
}

class Comparison {
  readonly model = new Model();
  readonly trial = new ApprovalTrial({
    calls: [{ euros: 20_000 }],
    policy: { by: 'ask', show: true },
    requester: 'rita',
    review: ({ euros }) =>
      Promise.resolve({ by: ruleFor(Number(euros)), text: `Pay ${Number(euros)} euros.` }),
  });
  #updates = 0;
  /** The id that people saw last. */
  #asked = 'a1.0';
  #last: readonly [InputAnswer, string] | undefined;

  async do(step: Step): Promise<void> {
    const { trial, model } = this;
    if (step.what === 'continue') trial.continueAsNew();
    else if (step.what === 'deadline') this.#expire();
    else if (step.what === 'escalate') this.#escalate();
    else await this.#give(step);
    this.#compare();
    if (!step.isRepeated || this.#last === undefined || model.end === 'expired') return;
    expect(await trial.give(...this.#last)).not.toBe('InternalError');
    this.#compare();
  }

  async #give(step: Step): Promise<void> {
    const answer = this.#answerOf(step);
    this.#updates += 1;
    const update = `u${this.#updates}`;
    const result = await this.trial.give(answer, update);
    expect(result).toBe(this.model.verdict(step));
    if (typeof result === 'number' || result === 'asks anew') this.#last = [answer, update];
  }

  #answerOf({ what, who = '', euros, seen, isLate }: Step): InputAnswer {
    const [open] = this.trial.inputs.pending;
    this.#asked = open?.inputId ?? this.#asked;
    const digests = { nothing: undefined, this: open?.digest, another: 'x' };
    const said = {
      inputId: isLate ? 'a1.0' : this.#asked,
      ...defined({ by: actors[who], seen: digests[seen] }),
    };
    if (what === 'reject') return { kind: 'reject', reason: 'no', ...said };
    return { kind: 'approve', ...(what === 'edit' && { args: { euros } }), ...said };
  }

  #escalate(): void {
    if (this.model.end !== undefined) return;
    this.model.isEscalated = true;
    const { inputs } = this.trial;
    const to =
      this.model.euros === 90_000 ? { ids: ['cleo', 'rita'] } : { roles: ['finance', 'lead'] };
    inputs.publish(inputs.ownPending.map((input) => ({ ...input, by: { ...input.by, ...to } })));
  }

  #expire(): void {
    if (this.model.end !== undefined) return;
    this.model.end = 'expired';
    this.trial.requests.phase.end('failed');
  }

  #compare(): void {
    const { trial, model } = this;
    const [open, ...others] = trial.inputs.pending;
    expect(others).toEqual([]);
    if (model.end === undefined) {
      expect(open?.inputId).toBe(idAfter(model.edits));
      expect(open?.call?.args).toEqual({ euros: model.euros });
      expect((open?.votes ?? []).map(({ by }) => by.id)).toEqual(model.voters);
      expect(open?.preview).toBe(`Pay ${model.euros} euros.`);
      return;
    }
    expect(open).toBeUndefined();
    if (model.end === 'expired') return;
    const step = trial.machine.nextStep();
    if (model.end === 'approved')
      expect(step).toMatchObject({ calls: [{ call: { args: { euros: model.euros } } }] });
    else expect(step.kind).toBe('call-model');
  }

  /** Everybody whose verdict counted is in the log, and nobody else. */
  compareLog(): void {
    const verdicts = this.trial.decisions.flatMap((decision) =>
      decision.kind === 'verdict' ? [decision] : [],
    );
    const last = verdicts.at(-1);
    expect(verdicts.filter(({ verdict }) => verdict === 'edit')).toHaveLength(this.model.edits);
    if (this.model.end === 'approved') {
      expect(last).toMatchObject({ verdict: 'approve' });
      expect(last?.isVote).toBeUndefined();
      expect(last?.by?.id).toBe(this.model.voters.at(-1));
    }
    if (this.model.end === 'rejected') expect(last).toMatchObject({ verdict: 'reject' });
  }
}

const idAfter = (edits: number): string => (edits === 0 ? 'a1.0' : `a1.0-${edits}`);

describe('approvals', () => {
  it('come out as a model of the policy says, in a thousand random orders', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const comparison = new Comparison();
        await comparison.trial.settle();
        for (const step of given) {
          await comparison.do(step);
          if (comparison.model.end === 'expired') break;
        }
        comparison.compareLog();
      }),
      { numRuns: 1_000 },
    );
  });
});
