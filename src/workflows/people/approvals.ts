// Asks people about the calls of an agent, by the rules of their tools. Knows no Temporal.
//
// 1. A tool whose rules are functions is reviewed first: a worker says who may decide about this call, and what they see. The question is
//    published with the answer, and the preview is in the log. Other calls go on meanwhile.
// 2. Under rules that hold for one call only, an edit does not approve: the changed call is reviewed, and asked about under a new id. The
//    editor's approval is its first vote, if the rules for the new arguments permit that.
// 3. A call that a rule remembers is approved at once. The log says so.
// 4. What is published already stays as it is.

import { defined } from '../../base/json';
import type { AgentMachine } from '../../core/machine/agent-machine';
import { approvalQuestion } from '../../core/machine/questions';
import { digestOf } from '../../core/people/digest';
import { asksAnew, isPermitted, missingApprovals, verdictOn } from '../../core/people/verdicts';
import type { ReviewCallResult, ToolConfig } from '../../protocol/activities';
import type { MachineInput } from '../../protocol/agent-run';
import { limits } from '../../protocol/limits';
import type { ApprovalPolicy, ApproverRule } from '../../protocol/people';
import type { InputAnswer, PendingInput } from '../../protocol/run';

/** What the run publishes, before it says who asks and since when. */
export type AskedInput = Omit<PendingInput, 'agentId' | 'path' | 'since'>;

/** An approval under its id in the machine. */
type Approval = Extract<InputAnswer, { readonly kind: 'approve' }>;

/** `problem`: the call cannot run, so nobody is asked. */
export type Review = ReviewCallResult;

type Desk = {
  readonly tools: readonly ToolConfig[];
  readonly machine: AgentMachine;
  /** The id of the actor who started the root run. */
  readonly requester: string | undefined;
  /** The ids of all whose words are in the run now. */
  readonly speakers: () => readonly string[];
  /** From the execution before: the tools whose calls need no approval any more. */
  readonly remembered: readonly string[];
  readonly isPublished: (inputId: string) => boolean;
  /** Never fails, except if the run is cancelled. */
  readonly review: (input: MachineInput, policy: ApprovalPolicy) => Promise<Review>;
};

export class Approvals {
  readonly #desk: Desk;
  readonly #remembered: Set<string>;
  readonly #running = new Set<string>();
  readonly #arrived = new Map<string, Review>();
  /** Questions that wait until the decision about another call is made. */
  readonly #drafts = new Map<string, AskedInput>();
  /** Edits whose calls are not asked about yet, by the new ids. */
  readonly #edits = new Map<string, Approval>();

  constructor(desk: Desk) {
    this.#desk = desk;
    this.#remembered = new Set(desk.remembered);
  }

  /** True if no review runs, and `ask` has taken those that came. */
  get idle(): boolean {
    return this.#running.size === 0 && this.#arrived.size === 0;
  }

  /** True if a review has come since `ask`. */
  get hasNews(): boolean {
    return this.#arrived.size > 0;
  }

  /** What the next execution must know. */
  get remembered(): readonly string[] {
    return [...this.#remembered];
  }

  /** What to publish of the machine's inputs. Undefined if this decided about a call, so that the machine has another step. */
  ask(inputs: readonly MachineInput[]): readonly AskedInput[] | undefined {
    const asked: AskedInput[] = [];
    for (const input of inputs) {
      const next = this.#isKnown(input) ? input : this.#next(input);
      if (next === 'decided') return undefined;
      if (next !== 'in review') asked.push(next);
    }
    this.#drafts.clear();
    this.#arrived.clear();
    return asked;
  }

  #isKnown({ inputId, kind }: MachineInput): boolean {
    return kind === 'question' || this.#desk.isPublished(inputId);
  }

  /** Takes a verdict that the log has already, and that needs no other one. */
  approve(asked: PendingInput, approval: Approval): void {
    const { machine } = this.#desk;
    const { inputId, args } = approval;
    if (args !== undefined && asksAnew(asked, approval)) {
      this.#edits.set(machine.edit(inputId, args), approval);
      return;
    }
    const input = machine.pendingInputs.find((one) => one.inputId === inputId);
    machine.approve(inputId, args && { args });
    if (input !== undefined) this.#remember(input);
  }

  #next(input: MachineInput): AskedInput | 'in review' | 'decided' {
    const { inputId, call } = input;
    if (input.kind === 'tool') return this.#resultOf(input);
    const draft = this.#drafts.get(inputId);
    if (draft !== undefined) return draft;
    const policy = this.#policyOf(input);
    if (this.#remembered.has(call?.name ?? '')) return this.#approveAsBefore(input);
    const review = isReviewed(policy) ? this.#reviewOf(input, policy) : {};
    return review === undefined ? 'in review' : this.#draft(input, policy, review);
  }

  /** Decides, or makes the question. */
  #draft(input: MachineInput, policy: ApprovalPolicy, review: Review): AskedInput | 'decided' {
    const { machine } = this.#desk;
    const { inputId } = input;
    if (review.problem !== undefined) {
      machine.reject(inputId, review.problem);
      return 'decided';
    }
    if (review.text !== undefined) {
      const [turn = 0, index = 0] = placeOf(inputId);
      machine.note({ kind: 'preview', turn, index, text: review.text });
    }
    const question = this.#question(input, policy, review);
    const edit = this.#edits.get(inputId);
    this.#edits.delete(inputId);
    const draft = edit === undefined ? question : this.#withEditor(question, edit);
    if (draft !== 'decided') this.#drafts.set(inputId, draft);
    return draft;
  }

  /** The review of a call, or undefined while a worker makes it. Starts it if there is room. */
  #reviewOf(input: MachineInput, policy: ApprovalPolicy): Review | undefined {
    const { inputId } = input;
    const found = this.#arrived.get(inputId);
    this.#arrived.delete(inputId);
    if (found !== undefined || this.#running.has(inputId)) return found;
    if (this.#running.size >= limits.toolConcurrency) return undefined;
    this.#running.add(inputId);
    this.#desk
      .review(input, policy)
      .then((review) => this.#arrived.set(inputId, review))
      .catch(() => undefined)
      .finally(() => this.#running.delete(inputId));
    return undefined;
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
    const { requester, speakers } = this.#desk;
    return defined({
      requester: not.includes('requester') ? requester : undefined,
      speakers: not.includes('speakers') ? speakers() : undefined,
    });
  }

  /** The editor has seen the new arguments. Another person may have to decide about them. */
  #withEditor(asked: AskedInput, { by, note }: Approval): AskedInput | 'decided' {
    const { machine } = this.#desk;
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
    return 'decided';
  }

  #approveAsBefore(input: MachineInput): 'decided' {
    const { machine } = this.#desk;
    const { inputId } = input;
    const at = new Date().toISOString();
    const digest = digestOf(input);
    machine.note({
      kind: 'verdict',
      inputId,
      verdict: 'approve',
      at,
      digest,
      isRemembered: true,
    });
    machine.approve(inputId);
    return 'decided';
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
    return this.#desk.tools.find(({ name }) => name === call?.name);
  }
}

/** Whether one person alone cannot say what the call does. */
const isOfSeveral = ({ approvals = 1, not = [] }: ApproverRule = {}): boolean =>
  approvals > 1 || not.includes('speakers');

const isReviewed = ({ by, show }: ApprovalPolicy): boolean => by === 'ask' || show === true;

/** The turn and the index of a call that waits for approval, by its id in the machine. */
export const placeOf = (inputId: string): readonly number[] =>
  (/^a(\d+)\.(\d+)/.exec(inputId) ?? []).slice(1).map(Number);
