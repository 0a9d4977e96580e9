// Handlers that only a run has: messages from its caller and from the runs below it, and its queries.

import { defineSignal, setHandler } from '@temporalio/workflow';
import { queryNames, signalNames } from '../../protocol/names';
import type { ChildOutcome, RunInput } from '../../protocol/run';
import { inputAnswer } from '../people/answers';
import type { Execution } from '../lifecycle/execution';
import {
  position,
  setLogQuery,
  setQuery,
  setSignal,
  takeAnswer,
  whenLoaded,
} from '../lifecycle/handlers';
import { childOutcome, mayGrow } from '../children/messages';
import type { RunLog } from '../log/run-log';
import type { DrivenRun } from './loaded-run';
import type { RunSession } from './run-session';

/** A run as its handlers see it. */
export interface HandledRun {
  readonly given: Omit<RunInput, 'input'>;
  readonly runner: RunInput['runner'];
  readonly session: RunSession;
  readonly log: RunLog;
  /** Undefined until the definition is known. */
  readonly driven: DrivenRun | undefined;
  /** A child reported its result or its spend. */
  takeOutcome(outcome: ChildOutcome): void;
  /** The caller does not need the result any more. */
  detachByCaller(): void;
  /** Starts nothing more. */
  halt(): void;
}

export function setRunHandlers(run: HandledRun, execution: Execution): void {
  setSignal(execution, signalNames.answer, {
    take: async (payload) => {
      const { lineage, thread } = run.given;
      // Nobody passes answers on to a run that nobody called: there, an unknown member is a mistake.
      const isCalled = lineage !== undefined || thread !== undefined;
      const answer = inputAnswer(payload, () => isCalled && mayGrow());
      // Workers of 0.2 ignore this member, and keep a marker about it. With the same marker, either version replays what the other one did.
      if (answer.may !== undefined && isCalled) mayGrow();
      try {
        await takeAnswer(execution, answer);
      } catch (error) {
        // The root run has taken the answer, because its list of inputs may be older or shorter.
        execution.askAgain(answer.inputId);
        throw error;
      }
    },
    description: 'From the root run: the answer to what this run asked',
  });
  setSignal(execution, signalNames.askAgain, {
    take: async () => {
      if (!execution.requests.isLoaded) await whenLoaded(execution.requests);
      execution.askAgain();
    },
  });
  setSignal(execution, signalNames.detach, { take: () => run.detachByCaller() });
  setSignal(execution, signalNames.childResult, {
    take: (payload) => run.takeOutcome(childOutcome(payload, mayGrow)),
  });
  setHandler(defineSignal(signalNames.halt), () => run.halt());
  setLogQuery(run);
  setQuery(queryNames.definition, () => run.driven?.definition, 'The definition this run pinned');
  setQuery(queryNames.runner, () => run.runner, 'What the run was started with');
  setQuery(queryNames.clientTools, () => run.given.clientTools ?? [], "The client's own tools");
  setQuery(queryNames.children, () => run.driven?.children.views ?? [], 'The runs this one called');
  setQuery(
    queryNames.childInput,
    (query) => run.driven?.children.inputOf(position(query, 'number')),
    'A long input that runs below were started with: {number}',
  );
  setQuery(queryNames.context, () => run.given.context ?? {}, 'The context given at start');
  setQuery(queryNames.session, () => run.session.value, 'The session as it stands');
}
