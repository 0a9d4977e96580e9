// Handlers that only a run has: messages from its caller and from the runs below it, and its queries.

import { defineSignal, setHandler } from '@temporalio/workflow';
import { LonghaulError, queryNames, type RunInput, signalNames } from '../../protocol';
import { childOutcome, mayGrow } from '../children/messages';
import {
  position,
  setLogQuery,
  setQuery,
  setSignal,
  whenLoaded,
} from '../lifecycle/define-handlers';
import type { Execution } from '../lifecycle/execution';
import type { RunLog } from '../log/run-log';
import { inputAnswer } from '../people/answers';
import { takeAnswer } from '../people/take-answer';
import type { LoadedRun } from './loaded-run';

/** A run as its handlers see it. */
export interface HandledRun {
  readonly given: Omit<RunInput, 'input'>;
  readonly runner: RunInput['runner'];
  readonly position: { readonly isRoot: boolean };
  readonly execution: Execution;
  readonly log: RunLog;
  /** Undefined until the definition is known. */
  readonly loaded: { readonly run: LoadedRun } | undefined;
  detach(): void;
  halt(): void;
}

export function setRunHandlers(handled: HandledRun): void {
  const { execution, given } = handled;
  const loaded = (): LoadedRun | undefined => handled.loaded?.run;
  setSignal(execution, signalNames.answer, {
    take: async (payload) => {
      // A run without a caller gets answers from clients only: there, an unknown member is a mistake.
      const isCalled = given.lineage !== undefined || given.thread !== undefined;
      const answer = inputAnswer(payload, () => isCalled && mayGrow());
      // Workers of 0.2 ignore this member, and set a marker for that. With the same marker, each version can replay the history of the
      // other one.
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
      if (!execution.phase.isLoaded) await whenLoaded(execution.phase);
      execution.askAgain();
    },
  });
  setSignal(execution, signalNames.detach, {
    take: () => {
      if (handled.position.isRoot)
        throw new LonghaulError('InvalidInput', 'no run called this one: cancel it instead');
      handled.detach();
    },
  });
  setSignal(execution, signalNames.childResult, {
    take: (payload) => {
      const outcome = childOutcome(payload, mayGrow);
      loaded()?.children.takeOutcome(outcome);
    },
  });
  setHandler(defineSignal(signalNames.halt), () => handled.halt());
  setLogQuery(handled);
  setQuery(queryNames.definition, () => loaded()?.definition, 'The definition this run pinned');
  setQuery(queryNames.runner, () => handled.runner, 'What the run was started with');
  setQuery(queryNames.clientTools, () => given.clientTools ?? [], "The client's own tools");
  setQuery(queryNames.children, () => loaded()?.children.views ?? [], 'The runs this one called');
  setQuery(
    queryNames.childInput,
    (query) => loaded()?.children.inputOf(position(query, 'number')),
    'A long input that runs below were started with: {number}',
  );
  setQuery(queryNames.context, () => given.context ?? {}, 'The context given at start');
  setQuery(queryNames.session, () => loaded()?.session.value ?? {}, 'The session as it stands');
}
