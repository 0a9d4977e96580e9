// The parts of a run that decide about approvals, driven as the agent's loop and the handlers of a run drive them.

import type { AgentRun } from '../../../../src/agent-run';
import type { JsonObject } from '../../../../src/base/json';
import { asksAnew, hasVoted, verdictOn } from '../../../../src/core/people/verdicts';
import { allSpeakers, speakersIn } from '../../../../src/core/people/speakers';
import type { ReviewCallResult } from '../../../../src/protocol/activities';
import type { LogEvent } from '../../../../src/protocol/log';
import type { ApprovalPolicy } from '../../../../src/protocol/people';
import type { InputAnswer } from '../../../../src/protocol/run';
import { Approvals } from '../../../../src/workflows/people/approvals';
import { admitAnswer } from '../../../../src/workflows/people/admit-answer';
import type { AdmittedAnswer, OpenInputs } from '../../../../src/workflows/people/open-inputs';
import {
  carryRequests,
  type CarriedRequests,
  openRequests,
} from '../../../../src/workflows/lifecycle/requests';
import { answered, call, stored } from '../../core/builders';

export type TrialOptions = {
  readonly calls: readonly JsonObject[];
  readonly policy: ApprovalPolicy;
  readonly requester?: string;
  readonly review?: (args: JsonObject) => Promise<ReviewCallResult>;
};

export class ApprovalTrial {
  readonly #options: TrialOptions;
  machine: AgentRun;
  requests = openRequests();
  approvals: Approvals;

  constructor(options: TrialOptions) {
    this.#options = options;
    const calls = options.calls.map((args, index) => call(`c${index}`, 'pay', args));
    this.machine = answered({ approvals: ['pay'], maxTurns: 4 }, calls, { tools: ['pay'] });
    this.approvals = this.#approvals([]);
    this.requests.phase.isLoaded = true;
  }

  get inputs(): OpenInputs {
    return this.requests.inputs;
  }

  /** What the loop does between two waits, until no review is on its way. */
  async settle(): Promise<void> {
    do {
      this.#step();
      while (!this.approvals.idle && !this.approvals.hasNews) await Promise.resolve();
    } while (this.approvals.hasNews);
  }

  /** What an update does. Returns how many approvals are missing, that the run asks anew, or the code of the refusal. */
  async give(answer: InputAnswer, updateId: string): Promise<number | string> {
    try {
      const admitted = admitAnswer(this.requests, answer, updateId);
      if (admitted === undefined) return 'again';
      const { asked: found, missing } = admitted;
      const isRepeated = missing > 0 && answer.by !== undefined && hasVoted(found, answer.by);
      if (!isRepeated) {
        this.#feed(admitted);
        this.inputs.take(admitted, updateId);
      }
      await this.settle();
      return asksAnew(found, answer) ? 'asks anew' : missing;
    } catch (error) {
      return (error as { readonly code: string }).code;
    }
  }

  #feed({ answer, asked, missing }: AdmittedAnswer): void {
    const { inputId } = answer;
    this.machine.note(verdictOn(asked, { answer, inputId, at: '' }));
    if (missing > 0) return;
    if (answer.kind === 'approve') this.approvals.approve(asked, answer);
    if (answer.kind === 'reject') this.machine.reject(inputId, answer.reason);
  }

  continueAsNew(): void {
    const carried = JSON.parse(JSON.stringify(carryRequests(this.requests))) as CarriedRequests;
    this.machine = stored(this.machine);
    this.requests = openRequests(carried);
    this.requests.phase.isLoaded = true;
    this.approvals = this.#approvals(this.approvals.remembered);
  }

  /** The decisions in the log. */
  get decisions() {
    return this.machine.log.flatMap((event: LogEvent) =>
      event.kind === 'decision' ? [event.decision] : [],
    );
  }

  #approvals(remembered: readonly string[]): Approvals {
    const { policy, requester, review = () => Promise.resolve({}) } = this.#options;
    return new Approvals({
      tools: [{ name: 'pay', needsApproval: true, approval: policy }],
      machine: this.machine,
      requester,
      speakers: () => allSpeakers([requester ?? ''], speakersIn(this.machine.log)),
      remembered,
      isPublished: (inputId) => this.inputs.isOwn(inputId),
      review: (input) => review(input.call?.args ?? {}),
    });
  }

  #step(): void {
    const { asked } = this.approvals.nextStep();
    const known = new Map(this.inputs.pending.map((input) => [input.inputId, input]));
    const shared = { agentId: 'payer', path: 'payer', since: '' };
    this.inputs.publish(asked.map((input) => known.get(input.inputId) ?? { ...input, ...shared }));
  }
}
