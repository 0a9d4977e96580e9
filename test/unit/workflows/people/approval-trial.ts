// The parts of a run that decide about approvals, driven as the agent's loop and the handlers of a run drive them.

import type { AgentRun } from '../../../../src/agent-run';
import type { JsonObject } from '../../../../src/base/json';
import {
  asksAnew,
  hasVoted,
  missingApprovals,
  verdictOn,
} from '../../../../src/core/people/verdicts';
import { allSpeakers, speakersIn } from '../../../../src/core/people/speakers';
import type { ReviewCallResult } from '../../../../src/protocol/activities';
import type { LogEvent } from '../../../../src/protocol/log';
import type { ApprovalPolicy } from '../../../../src/protocol/people';
import type { InputAnswer, PendingInput } from '../../../../src/protocol/run';
import { Approvals } from '../../../../src/workflows/people/approvals';
import { type Asker, PendingRequests } from '../../../../src/workflows/people/pending-requests';
import { openInputs } from '../../../../src/workflows/run/machine-options';
import { answered, call, stored } from '../../core/builders';

export type DeskOptions = {
  readonly calls: readonly JsonObject[];
  readonly policy: ApprovalPolicy;
  readonly requester?: string;
  readonly review?: (args: JsonObject) => Promise<ReviewCallResult>;
};

export class ApprovalDesk implements Asker {
  readonly #options: DeskOptions;
  machine: AgentRun;
  requests = new PendingRequests();
  approvals: Approvals;

  constructor(options: DeskOptions) {
    this.#options = options;
    const calls = options.calls.map((args, index) => call(`c${index}`, 'pay', args));
    this.machine = answered({ approvals: ['pay'], maxTurns: 4 }, calls, { tools: ['pay'] });
    this.approvals = this.#approvals([]);
    this.requests.loaded();
    this.requests.answersTo(this);
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
    const { requests } = this;
    try {
      const found = requests.pendingFor(answer, updateId);
      if (found === undefined) return 'again';
      const missing = missingApprovals(found, answer);
      const isRepeated = missing > 0 && answer.by !== undefined && hasVoted(found, answer.by);
      if (!isRepeated) requests.answerOwn(answer, found, updateId);
      await this.settle();
      return asksAnew(found, answer) ? 'asks anew' : missing;
    } catch (error) {
      return (error as { readonly code: string }).code;
    }
  }

  feed(answer: InputAnswer, asked: PendingInput): void {
    const { inputId } = answer;
    this.machine.note(verdictOn(asked, { answer, inputId, at: '' }));
    if (missingApprovals(asked, answer) > 0) return;
    if (answer.kind === 'approve') this.approvals.approve(asked, answer);
    if (answer.kind === 'reject') this.machine.reject(inputId, answer.reason);
  }

  continueAsNew(): void {
    const carried = JSON.parse(JSON.stringify(this.requests.carry())) as ReturnType<
      PendingRequests['carry']
    >;
    this.machine = stored(this.machine);
    this.requests = new PendingRequests();
    this.requests.restore(carried);
    this.requests.loaded();
    this.requests.answersTo(this);
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
      isPublished: (inputId) => this.requests.isOwn(inputId),
      review: (input) => review(input.call?.args ?? {}),
    });
  }

  #step(): void {
    for (;;) {
      const asked = this.approvals.ask(openInputs(this.machine.nextStep()));
      if (asked === undefined) continue;
      const known = new Map(this.requests.pending.map((input) => [input.inputId, input]));
      const shared = { agentId: 'payer', path: 'payer', since: '' };
      this.requests.publish(
        asked.map((input) => known.get(input.inputId) ?? { ...input, ...shared }),
      );
      return;
    }
  }
}
