// What runs and threads share: their requests, their display, their history's growth and their cancellation.
//
// 1. Only `show` changes the memo and the search attributes, because every change is an event.
// 2. If another workflow lists the execution's questions, the execution reports every change of what it waits for.

import {
  allHandlersFinished,
  CancellationScope,
  condition,
  patched,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import { defined } from '../../base/json';
import { oneLine } from '../../base/text';
import { emptyUsage } from '../../core/budget/usage';
import { LonghaulError } from '../../protocol/errors';
import type { AgentRunResult, Cancelling, ChildView, RunSpend, RunState } from '../../protocol/run';
import type { WorkerHook } from '../../protocol/people';
import type { RetriedCall } from '../../protocol/retrying';
import type { RunnerSpec } from '../../protocol/spec';
import type { Traced } from '../../protocol/trace';
import { controlActivities } from '../activity-proxies';
import { HistoryWatch } from '../log/history-watch';
import type { InputReporter } from '../children/messages';
import { type EndStatus, PendingRequests } from '../people/pending-requests';
import type { RetriedCalls } from '../display/retried-calls';
import type { RunLog } from '../log/run-log';
import type { Segments } from '../display/segments';
import { SignatureChecks } from '../people/signatures';
import { RunDisplay } from '../display/visible-state';

export type Progress = Pick<RunState, 'turn' | 'iterations'>;

/** What others see of a run or a thread besides its questions. */
export type View = {
  readonly runner: string;
  readonly kind?: RunnerSpec['kind'] | undefined;
  readonly path: string;
  /** The hashes of its key. */
  readonly key: readonly string[];
  readonly progress: Progress | undefined;
  readonly spend: RunSpend | undefined;
  readonly log: RunLog;
  readonly children: readonly ChildView[];
  /** True if the search attributes are registered. */
  readonly indexed: boolean;
  /** The hooks of its workers. */
  readonly hooks: readonly WorkerHook[] | undefined;
  readonly application?: string | undefined;
};

/** `error`: the code of the failure. `closes`: the execution closes with this workflow task. */
export type RunEnd = {
  readonly result?: AgentRunResult;
  readonly closes?: boolean;
  readonly error?: string | undefined;
};

/** A run or a thread. */
export interface Viewed {
  readonly view: View;
}

export class Execution {
  readonly info = workflowInfo();
  readonly #root = CancellationScope.current();
  readonly requests = new PendingRequests();
  readonly history = new HistoryWatch(this.requests);
  readonly signatures = new SignatureChecks(this);
  readonly #viewed: Viewed;
  readonly #reporter: InputReporter | undefined;
  readonly #display = new RunDisplay(this.info);
  #cancelling: Cancelling | undefined;
  /** Undefined until a call has failed and is tried again. */
  #retried: RetriedCalls | undefined;
  /** Only for a run whose worker has telemetry. */
  segments: Segments | undefined;

  constructor(viewed: Viewed, reporter?: InputReporter) {
    this.#viewed = viewed;
    this.#reporter = reporter;
  }

  get view(): View {
    return this.#viewed.view;
  }

  get state(): RunState {
    const { requests, view } = this;
    const { runner, kind = 'agent', path, progress, spend, log } = view;
    return {
      status: requests.status,
      pauseSeq: requests.pauseSeq,
      turn: progress?.turn ?? 0,
      iterations: progress?.iterations ?? 0,
      usage: spend?.usage ?? emptyUsage,
      ...(spend?.costUsd !== undefined && { costUsd: spend.costUsd }),
      pending: requests.pending,
      rejected: requests.rejected,
      ...(kind !== 'agent' && { kind }),
      runner,
      path,
      runId: this.info.runId,
      logLength: log.length,
    };
  }

  /** Somebody asked for the end of the run. */
  get isCancelling(): boolean {
    return this.#cancelling !== undefined || this.#root.consideredCancelled;
  }

  get cancelling(): Cancelling | undefined {
    return this.#cancelling;
  }

  /** The span that calls and children of the run are below. */
  get traced(): Traced {
    return this.segments?.traced ?? {};
  }

  /** Shows a change to all who watch. `closes`: the execution closes with this workflow task. */
  show({ closes = false, error }: Pick<RunEnd, 'closes' | 'error'> = {}): void {
    const { isDetached, pending, status } = this.requests;
    this.#display.show(this.state, { ...this.#shown, cancelling: this.#cancelling, closes });
    this.segments?.follow({ status, error, spend: this.view.spend });
    this.#reporter?.report(isDetached ? [] : pending);
  }

  /** Shows what is tried again, now and whenever it changes. */
  showRetries(calls: RetriedCalls): void {
    this.#retried = calls;
    calls.follow(() => {
      // The end of a run says more, and the server forgets who retries.
      if (this.requests.ended) return;
      this.#display.showRetrying(calls.worst);
      this.#display.showDetails(this.state, this.#shown);
    });
  }

  get #shown(): View & { readonly retrying: RetriedCall | undefined } {
    return { ...this.view, retrying: this.#retried?.worst };
  }

  /** A refused signal changes nothing. The state lists it even if the details cannot show it. */
  refuse(signal: string, error: unknown): void {
    this.requests.refuse({
      signal,
      code: LonghaulError.is(error) ? error.code : 'InternalError',
      message: error instanceof Error ? oneLine(error.message, 300) : 'refused',
      at: new Date().toISOString(),
    });
    try {
      this.#display.showDetails(this.state, this.#shown);
    } catch {
      // The next change shows it.
    }
  }

  /** After a reset, reports the open inputs again, because the answers since then are gone. Or one input, whose answer was refused here. */
  askAgain(inputId?: string): void {
    this.requests.renew(newNonce, inputId);
    this.show();
  }

  /** A child has closed, so nothing below it is open any more. */
  forget(child: string): void {
    this.#reporter?.forget(child);
    this.requests.forgetBranch(child);
    this.show();
  }

  /** Only the server can end a workflow as Canceled. The request comes back as the cancellation of the root scope. */
  cancel(cancelling: Cancelling): void {
    this.#cancelling ??= cancelling;
    const { firstExecutionRunId } = this.info;
    CancellationScope.nonCancellable(() =>
      controlActivities.requestCancellation({ firstExecutionRunId }),
    ).catch(() => undefined);
  }

  /** `closes`: nothing keeps the execution open after this. */
  end(status: EndStatus, { result, closes, error }: RunEnd = {}): void {
    this.requests.end(status, result);
    this.show(defined({ closes, error }));
  }

  /** Resolves when all who asked have an answer and the server has all reports. */
  async settled(): Promise<void> {
    do {
      await condition(allHandlersFinished);
      await this.#reporter?.flush();
      // Somebody may have sent something while the reports were on their way.
    } while (!allHandlersFinished() && patched('longhaul:settles-again'));
  }
}

/** 76 random bits: enough that nobody can guess an answer from a hash, and few enough to keep with each input. */
export function newNonce(): string {
  return uuid4().replaceAll('-', '').slice(0, 20);
}
