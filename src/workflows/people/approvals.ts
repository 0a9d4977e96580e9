// Decides which approvals an agent asks for, and what the question shows, by the rules of its tools. It stands between the machine and the
// loop: `nextStep` returns the machine's step with the inputs to publish, and `approve` takes a person's approval. Knows no Temporal.
//
// 1. A question goes through stages: new, in review, reviewed, drafted, published. `nextStep` moves each question as far as it can.
//    `#questions` keeps the stage until then.
// 2. If a tool's rules are functions, a worker reviews the call first: who may decide, and what they see. The run publishes the question
//    after the review, and logs the preview. Other calls go on meanwhile.
// 3. If a worker reviews the calls of a tool, or if one person alone may not decide, an edit does not approve: the changed call is
//    reviewed, and asked about under a new id. The edit counts as the editor's vote, if the rules for the new arguments permit that.
// 4. A call of a tool in `remembered` is approved at once, with an entry in the log.
// 5. `nextStep` does not change a published question.

import { defined } from '../../base';
import type { AgentMachine } from '../../core/machine/agent-machine';
import { approvalQuestion } from '../../core/machine/questions';
import type { MachineStep } from '../../core/machine/steps';
import { digestOf } from '../../core/people/digest';
import { asksAnew, isPermitted, missingApprovals, verdictOn } from '../../core/people/verdicts';
import {
  type ApprovalPolicy,
  type ApproverRule,
  type InputAnswer,
  limits,
  type MachineInput,
  type PendingInput,
  type ReviewCallResult,
  type ToolConfig,
} from '../../protocol';
import { openInputs } from '../run/machine-options';

/** An input to publish, without the agent, the path and the time, which `OwnInputs` adds. */
export type AskedInput = Omit<PendingInput, 'agentId' | 'path' | 'since'>;

/** An approval under its id in the machine. */
type Approval = Extract<InputAnswer, { readonly kind: 'approve' }>;

/** `problem`: the call cannot run, so nobody is asked. */
export type Review = ReviewCallResult;

type ApprovalOptions = {
  readonly tools: readonly ToolConfig[];
  readonly machine: AgentMachine;
  /** The id of the actor who started the root run. */
  readonly requester: string | undefined;
  /** The ids of all people who have written something to this run so far. */
  readonly speakers: () => readonly string[];
  /** From the execution before: the tools that need no approval any more. */
  readonly remembered: readonly string[];
  readonly isPublished: (inputId: string) => boolean;
  /** It fails only if the run is cancelled. */
  readonly review: (input: MachineInput, policy: ApprovalPolicy) => Promise<Review>;
};

/** How far the question about a call is, before it is published. `edit`: a person has changed the call. */
type Question =
  | { readonly stage: 'new'; readonly edit: Approval | undefined }
  | { readonly stage: 'in-review'; readonly edit: Approval | undefined }
  | { readonly stage: 'reviewed'; readonly edit: Approval | undefined; readonly review: Review }
  /** Waits until the decision about another call is made. */
  | { readonly stage: 'drafted'; readonly asked: AskedInput };

const unasked: Question = { stage: 'new', edit: undefined };

export class Approvals {
  readonly #options: ApprovalOptions;
  readonly #remembered: Set<string>;
  /** By the ids of their inputs. A question leaves when it is published, or when the call is decided about. */
  readonly #questions = new Map<string, Question>();

  constructor(options: ApprovalOptions) {
    this.#options = options;
    this.#remembered = new Set(options.remembered);
  }

  /** True if no review runs, and `nextStep` has taken those that came. */
  get idle(): boolean {
    return this.#count('in-review') === 0 && !this.hasNews;
  }

  /** True if a review has come since `nextStep`. */
  get hasNews(): boolean {
    return this.#count('reviewed') > 0;
  }

  #count(stage: Question['stage']): number {
    return [...this.#questions.values()].filter((question) => question.stage === stage).length;
  }

  /** What the next execution must know. */
  get remembered(): readonly string[] {
    return [...this.#remembered];
  }

  /** The machine's next step, and its open inputs that are ready to publish. First it decides every question that needs no person. */
  nextStep(): { readonly step: MachineStep; readonly asked: readonly AskedInput[] } {
    for (;;) {
      const step = this.#options.machine.nextStep();
      const inputs = openInputs(step);
      if (inputs.some((input) => this.#decides(input))) continue;
      const asked = inputs.flatMap((input) => this.#askedOf(input) ?? []);
      for (const [inputId, { stage }] of this.#questions)
        if (stage === 'reviewed' || stage === 'drafted') this.#questions.delete(inputId);
      return { step, asked };
    }
  }

  /** Undefined while a worker reviews the call. */
  #askedOf(input: MachineInput): AskedInput | undefined {
    const { inputId, kind } = input;
    if (kind === 'question' || this.#options.isPublished(inputId)) return input;
    if (kind === 'tool') return this.#resultOf(input);
    const question = this.#questions.get(inputId);
    return question?.stage === 'drafted' ? question.asked : undefined;
  }

  /** Takes an approval that decides. The log has its verdict already. */
  approve(asked: PendingInput, approval: Approval): void {
    const { machine } = this.#options;
    const { inputId, args } = approval;
    if (args !== undefined && asksAnew(asked, approval)) {
      this.#questions.set(machine.edit(inputId, args), { stage: 'new', edit: approval });
      return;
    }
    const input = machine.pendingInputs.find((one) => one.inputId === inputId);
    machine.approve(inputId, args && { args });
    if (input !== undefined) this.#remember(input);
  }

  /** Goes on with the question about a call. True if that decided about the call, so that the machine has another step. */
  #decides(input: MachineInput): boolean {
    const { inputId, kind, call } = input;
    const question = this.#questions.get(inputId) ?? unasked;
    if (kind !== 'approval' || this.#options.isPublished(inputId)) return false;
    if (question.stage === 'drafted') return false;
    if (this.#remembered.has(call?.name ?? '')) return this.#approveAsBefore(input);
    const policy = this.#policyOf(input);
    const { stage, edit } = question;
    if (!isReviewed(policy)) return this.#decideOrDraft(input, policy, { review: {}, edit });
    if (stage === 'reviewed') return this.#decideOrDraft(input, policy, question);
    const hasRoom = this.#count('in-review') < limits.toolConcurrency;
    if (stage === 'new' && hasRoom) this.#review(input, policy, edit);
    return false;
  }

  #review(input: MachineInput, policy: ApprovalPolicy, edit: Approval | undefined): void {
    const { inputId } = input;
    this.#questions.set(inputId, { stage: 'in-review', edit });
    this.#options.review(input, policy).then(
      (review) => this.#questions.set(inputId, { stage: 'reviewed', edit, review }),
      () => this.#questions.delete(inputId),
    );
  }

  /** True if it decided. */
  #decideOrDraft(
    input: MachineInput,
    policy: ApprovalPolicy,
    { review, edit }: { readonly review: Review; readonly edit: Approval | undefined },
  ): boolean {
    const { machine } = this.#options;
    const { inputId } = input;
    this.#questions.delete(inputId);
    if (review.problem !== undefined) {
      machine.reject(inputId, review.problem);
      return true;
    }
    if (review.text !== undefined) {
      const [turn = 0, index = 0] = placeOf(inputId);
      machine.note({ kind: 'preview', turn, index, text: review.text });
    }
    const question = this.#question(input, policy, review);
    const asked = edit === undefined ? question : this.#withEditor(question, edit);
    if (asked === undefined) return true;
    this.#questions.set(inputId, { stage: 'drafted', asked });
    return false;
  }

  #question(
    input: MachineInput,
    policy: ApprovalPolicy,
    { by: reviewed, text }: Review,
  ): AskedInput {
    const by = policy.by === 'ask' ? reviewed : policy.by;
    const editAsksAnew = isReviewed(policy) || isOfSeveral(by);
    return {
      ...input,
      ...(text && input.call && { question: approvalQuestion(input.call, text) }),
      ...(editAsksAnew && { editAsksAnew }),
      ...defined({ by, preview: text, ...this.#excluded(by) }),
      digest: digestOf({ ...input, ...defined({ preview: text }) }),
    };
  }

  /** Whom the rule excludes. */
  #excluded({ not = [] }: ApproverRule = {}): Pick<
    Partial<PendingInput>,
    'requester' | 'speakers'
  > {
    const { requester, speakers } = this.#options;
    return defined({
      requester: not.includes('requester') ? requester : undefined,
      speakers: not.includes('speakers') ? speakers() : undefined,
    });
  }

  /** The editor has seen the new arguments. Another person may have to decide about them. Undefined if the editor's approval is enough. */
  #withEditor(asked: AskedInput, { by, note }: Approval): AskedInput | undefined {
    const { machine } = this.#options;
    const { inputId } = asked;
    const answer = { kind: 'approve' as const, inputId, ...defined({ by, note }) };
    if (!isPermitted(asked, answer)) return asked;
    const at = new Date().toISOString();
    machine.note(verdictOn(asked, { answer, inputId, at }));
    if (missingApprovals(asked, answer) > 0 && by !== undefined) {
      const { roles: _roles, ...voter } = by;
      return { ...asked, votes: [{ by: voter, at }] };
    }
    machine.approve(inputId);
    this.#remember(asked);
    return undefined;
  }

  #approveAsBefore(input: MachineInput): true {
    const { machine } = this.#options;
    const { inputId } = input;
    const at = new Date().toISOString();
    const digest = digestOf(input);
    machine.note({ kind: 'verdict', inputId, verdict: 'approve', at, digest, isRemembered: true });
    machine.approve(inputId);
    return true;
  }

  #remember(approved: Pick<PendingInput, 'call'>): void {
    const { call } = approved;
    if (call !== undefined && this.#policyOf(approved).remember === 'run')
      this.#remembered.add(call.name);
  }

  #resultOf(input: MachineInput): AskedInput {
    const isLater = this.#toolOf(input)?.result === 'later';
    return { ...input, digest: digestOf(input), ...(isLater && { byToken: true }) };
  }

  #policyOf(input: Pick<PendingInput, 'call'>): ApprovalPolicy {
    return this.#toolOf(input)?.approval ?? {};
  }

  #toolOf({ call }: Pick<PendingInput, 'call'>): ToolConfig | undefined {
    return this.#options.tools.find(({ name }) => name === call?.name);
  }
}

/** True if one person alone may not decide what the call does. */
const isOfSeveral = ({ approvals = 1, not = [] }: ApproverRule = {}): boolean =>
  approvals > 1 || not.includes('speakers');

const isReviewed = ({ by, show }: ApprovalPolicy): boolean => by === 'ask' || show === true;

/** The turn and the index of a call that waits for approval, by its id in the machine. */
export const placeOf = (inputId: string): readonly number[] =>
  (/^a(\d+)\.(\d+)/.exec(inputId) ?? []).slice(1).map(Number);
