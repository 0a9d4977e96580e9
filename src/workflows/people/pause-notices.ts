// Calls the workers' hook `onPause` about this run's own open inputs: when the run asks, reminds, or asks more people.
//
// 1. Nobody waits for a notice: not the run, not its end, and not continue-as-new, which carries what is not delivered yet.
// 2. A notice names its input. It is sent with the input as it is then. It is not sent if the input is answered before.
// 3. All attempts have one idempotency key, also after continue-as-new.
// 4. A run above lists the input, too. It does not repeat the notice.

import { isCancellation } from '@temporalio/workflow';
import { emptyDigest, extendDigest, oneLine } from '../../base';
import { limits, type PauseNotice, type PendingInput } from '../../protocol';
import { noticeActivities } from '../activity-proxies';
import { failureReason } from '../children/child-failure';
import { inputForHook } from '../children/messages';
import type { Execution } from '../lifecycle/execution';
import type { LoadedDefinition } from '../run/load';
import type { RunPosition } from '../run/run-position';

/** A notice that is not delivered. `at`: the time of the question, the reminder or the escalation. */
export type CarriedNotice = Pick<PauseNotice, 'reason'> & {
  readonly inputId: string;
  readonly at: string;
};

type Notifier = {
  readonly execution: Execution;
  readonly position: RunPosition;
  readonly definition: LoadedDefinition;
};

export class PauseNotices {
  readonly #run: Notifier;
  readonly #open = new Set<CarriedNotice>();
  readonly #waiting: CarriedNotice[];
  /** Inputs that a notice was made for. */
  #known: ReadonlySet<string>;

  /** `carried`: from the execution before, which made notices for all inputs that are open now. */
  constructor(run: Notifier, carried: readonly CarriedNotice[] | undefined) {
    this.#run = run;
    this.#waiting = [...(carried ?? [])];
    this.#known = new Set(carried === undefined ? [] : this.#inputs.map(idOf));
  }

  /** What the next execution sends again. */
  carry(): readonly CarriedNotice[] {
    return [...this.#open, ...this.#waiting].filter(
      (notice) => this.#inputOf(notice) !== undefined,
    );
  }

  /** Makes a notice for every new pause. */
  follow(): void {
    if (!this.#isHeard) return;
    const inputs = this.#inputs;
    const fresh = inputs.filter((input) => !this.#known.has(idOf(input)));
    this.#known = new Set(inputs.map(idOf));
    for (const { inputId, since } of fresh) this.#add({ reason: 'asked', inputId, at: since });
    this.#launch();
  }

  notify(
    reason: PauseNotice['reason'],
    { inputId, since, remindedAt = since }: PendingInput,
  ): void {
    if (!this.#isHeard) return;
    this.#add({ reason, inputId, at: remindedAt });
    this.#launch();
  }

  get #isHeard(): boolean {
    return this.#run.definition.hooks?.includes('onPause') === true;
  }

  get #inputs(): readonly PendingInput[] {
    return this.#run.execution.inputs.ownPending;
  }

  #inputOf({ inputId }: CarriedNotice): PendingInput | undefined {
    return this.#inputs.find((input) => input.inputId === inputId);
  }

  #add(notice: CarriedNotice): void {
    if (this.#waiting.length < limits.waitingNotices) this.#waiting.push(notice);
    else this.#lose(notice, 'too many notices wait');
  }

  #launch(): void {
    while (this.#open.size < limits.openNotices) {
      const notice = this.#waiting.shift();
      if (notice === undefined) return;
      const input = this.#inputOf(notice);
      if (input !== undefined) void this.#deliver(notice, input);
    }
  }

  async #deliver(notice: CarriedNotice, input: PendingInput): Promise<void> {
    const { position } = this.#run;
    const { reason, inputId, at } = notice;
    this.#open.add(notice);
    try {
      await noticeActivities(`${reason}: ${input.question}`).notifyPause({
        ...position.application,
        notice: { reason, workflowId: position.lineage.root, input: inputForHook(input) },
        idempotencyKey: [position.workflowId, inputId, reason, at].reduce(
          extendDigest,
          emptyDigest,
        ),
      });
    } catch (error) {
      if (isCancellation(error)) return;
      this.#lose(notice, failureReason(error));
    } finally {
      this.#open.delete(notice);
      this.#run.execution.history.look();
    }
    this.#launch();
  }

  /** The run goes on. Its state lists the notice as lost. */
  #lose({ reason, inputId }: CarriedNotice, why: string): void {
    const message = oneLine(`nobody was told (${reason}) of '${inputId}': ${why}`, 300);
    this.#run.execution.phase.refuse('onPause', 'InternalError', message);
  }
}

const idOf = ({ inputId }: PendingInput): string => inputId;
