// What runs and threads share: their requests, their display, their history's growth and their end.
//
// 1. Only `show` changes the memo and the search attributes, because every change is an event.
// 2. If another workflow lists the execution's questions, the execution reports every change of its open inputs to it.

import { allHandlersFinished, condition, patched, uuid4, workflowInfo } from '@temporalio/workflow';
import { defined, oneLine } from '../../base';
import { emptyUsage } from '../../core/budget/usage';
import {
  type AgentRunResult,
  type ChildInputs,
  type ChildView,
  LonghaulError,
  type RunnerSpec,
  type RunSpend,
  type RunState,
  type WorkerHook,
} from '../../protocol';
import type { InputReporter } from '../children/messages';
import type { RetriedCalls } from '../display/retried-calls';
import { RunDisplay } from '../display/run-display';
import type { Segments } from '../display/segments';
import { HistoryWatch } from '../log/history-watch';
import type { RunLog } from '../log/run-log';
import type { Asker, OpenInputs } from '../people/open-inputs';
import type { ResultTokens } from '../people/result-tokens';
import { SignatureChecks } from '../people/signatures';
import { Cancellation } from './cancellation';
import type { EndStatus, Phase } from './phase';
import { type CarriedRequests, openRequests, type Requests } from './requests';

export type Progress = Pick<RunState, 'turn' | 'iterations'>;

/** What others see of a run or a thread, without its open inputs. */
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
  /** Only for a run on a worker with telemetry. */
  readonly segments?: Segments | undefined;
};

/** `error`: the code of the failure. `closes`: the execution closes with this workflow task. */
export type RunEnd = {
  readonly result?: AgentRunResult;
  readonly closes?: boolean;
  readonly error?: string | undefined;
};

/** A run or a thread. */
export interface Owner {
  readonly view: View;
  /** A child, or a run below it, reported what it waits for. */
  takeInputs(message: ChildInputs): void;
}

/** From the execution before, and for the workflow that lists the questions. */
type Options = {
  readonly carried?: CarriedRequests | undefined;
  readonly reporter?: InputReporter | undefined;
};

export class Execution implements Requests {
  readonly info = workflowInfo();
  readonly owner: Owner;
  readonly phase: Phase;
  readonly inputs: OpenInputs;
  readonly tokens: ResultTokens;
  readonly history: HistoryWatch;
  readonly cancellation = new Cancellation();
  readonly signatures = new SignatureChecks(this);
  readonly #reporter: InputReporter | undefined;
  readonly #display = new RunDisplay(this.info);
  #asker: Asker | undefined;
  /** Undefined until a call has failed and is tried again. */
  #shownAnswers = 0;
  #retried: RetriedCalls | undefined;

  constructor(owner: Owner, { carried, reporter }: Options) {
    this.owner = owner;
    this.#reporter = reporter;
    const { phase, inputs, tokens } = openRequests(carried);
    this.phase = phase;
    this.inputs = inputs;
    this.tokens = tokens;
    this.history = new HistoryWatch(phase);
    if (reporter !== undefined) reporter.onSent = () => this.history.look();
  }

  get view(): View {
    return this.owner.view;
  }

  get state(): RunState {
    const { phase, inputs, view } = this;
    const { runner, kind = 'agent', path, progress, spend, log } = view;
    return {
      status: phase.status,
      pauseSeq: inputs.pauseSeq,
      turn: progress?.turn ?? 0,
      iterations: progress?.iterations ?? 0,
      usage: spend?.usage ?? emptyUsage,
      ...defined({ costUsd: spend?.costUsd }),
      pending: inputs.pending,
      rejected: phase.rejected,
      ...(kind !== 'agent' && { kind }),
      runner,
      path,
      runId: this.info.runId,
      logLength: log.length,
    };
  }

  /**
   * Call it when the definition is known: the run takes answers, and its history grows from now on. A thread has no `asker`, because it
   * asks nothing itself.
   */
  loaded(asker?: Asker): void {
    this.#asker = asker;
    this.phase.isLoaded = true;
    this.history.loaded();
  }

  /** Gets the answers to what the run itself asked. */
  get asker(): Asker | undefined {
    return this.#asker;
  }

  /** Shows a change to all who watch. `closes`: the execution closes with this workflow task. */
  show({ closes = false, error }: Pick<RunEnd, 'closes' | 'error'> = {}): void {
    const { isDetached, status } = this.phase;
    const { segments, spend } = this.view;
    const cancelling = this.cancellation.asked;
    this.#display.show(this.state, { ...this.#shown, cancelling, closes });
    segments?.follow({ status, error, spend });
    this.#reporter?.report(isDetached ? [] : this.inputs.pending);
    this.#shownAnswers = this.inputs.answers;
  }

  /**
   * A loop shows what was answered when it goes on. A run that moves shows it at once: the memo goes with it, and nobody shows it until a
   * worker has the next execution.
   */
  showAnswers(): void {
    const isBehind = this.phase.isMoving && this.inputs.answers !== this.#shownAnswers;
    if (isBehind && patched('longhaul:shows-as-it-moves')) this.show();
  }

  /** Shows what is tried again, now and whenever it changes. */
  showRetries(calls: RetriedCalls): void {
    this.#retried = calls;
    calls.follow(() => {
      // The end of a run is more important, and the server forgets the retries then.
      if (this.phase.ended) return;
      this.#display.showRetrying(calls.worst);
      this.#display.showDetails(this.state, this.#shown);
    });
  }

  get #shown(): View & { readonly retrying: RetriedCalls['worst'] } {
    return { ...this.view, retrying: this.#retried?.worst };
  }

  /** A refused signal changes nothing. The state lists it even if the details cannot show it. */
  refuse(signal: string, error: unknown): void {
    const code = LonghaulError.is(error) ? error.code : 'InternalError';
    const message = error instanceof Error ? oneLine(error.message, 300) : 'refused';
    this.phase.refuse(signal, code, message);
    try {
      this.#display.showDetails(this.state, this.#shown);
    } catch {
      // The next change shows it.
    }
  }

  /**
   * Reports the open inputs again, with new nonces: all of them after a reset, because the answers since then are gone, or one, if this run
   * refused its answer.
   */
  askAgain(inputId?: string): void {
    this.inputs.renew(newNonce, inputId);
    this.show();
  }

  /** A child has closed, so nothing below it is open any more. */
  forget(child: string): void {
    this.#reporter?.forget(child);
    this.inputs.forgetBranch(child);
    this.show();
  }

  /** `closes`: nothing keeps the execution open after this. */
  end(status: EndStatus, { result, closes, error }: RunEnd = {}): void {
    this.phase.end(status, result);
    this.show(defined({ closes, error }));
  }

  /** Resolves when all callers have an answer and the server has all reports. */
  async settled(): Promise<void> {
    do {
      await condition(allHandlersFinished);
      await this.#reporter?.flush();
      // A signal or an update may have come while the reports were on their way.
    } while (!allHandlersFinished() && patched('longhaul:settles-again'));
  }
}

/** 76 random bits: enough that nobody can guess an answer from a hash, and few enough to keep with each input. */
export function newNonce(): string {
  return uuid4().replaceAll('-', '').slice(0, 20);
}
