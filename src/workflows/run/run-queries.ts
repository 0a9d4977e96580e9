// What may be read of a run while a worker has it, besides its state: the log in pages, the definition, context and session.

import { defineQuery, setHandler } from '@temporalio/workflow';
import { LonghaulError } from '../../protocol/errors';
import { isJsonObject, type JsonObject } from '../../base/json';
import { queryNames } from '../../protocol/names';
import type { ChildView, RunInput } from '../../protocol/run';
import type { RunnerSpec } from '../../protocol/spec';
import type { LoadedDefinition } from './load';
import type { RunLog } from '../execution/run-log';

export type ReadableRun = {
  readonly log: () => RunLog;
  readonly definition: () => LoadedDefinition | undefined;
  readonly context: () => JsonObject;
  readonly session: () => JsonObject;
  readonly runner: () => string | RunnerSpec;
  readonly children: () => readonly ChildView[];
  readonly childInput: (number: number) => RunInput['input'] | undefined;
};

export function setRunQueries(run: ReadableRun): void {
  setLogQuery(run.log);
  setHandler(defineQuery<unknown>(queryNames.definition), run.definition, {
    description: 'The definition this run pinned',
  });
  setHandler(defineQuery<unknown>(queryNames.runner), run.runner, {
    description: 'What the run was started with',
  });
  setHandler(defineQuery<unknown>(queryNames.children), run.children, {
    description: 'The runs this one called',
  });
  setHandler(
    defineQuery<unknown, [unknown]>(queryNames.childInput),
    (query) => run.childInput(position(query, 'number')),
    { description: 'A long input that runs below were started with: {number}' },
  );
  setHandler(defineQuery<unknown>(queryNames.context), run.context, {
    description: 'The context given at start',
  });
  setHandler(defineQuery<unknown>(queryNames.session), run.session, {
    description: 'The session as it stands',
  });
}

export function setLogQuery(log: () => RunLog): void {
  setHandler(
    defineQuery<unknown, [unknown]>(queryNames.log),
    (query) => {
      const from = position(query, 'from');
      const isDeflated = isJsonObject(query) && query['deflate'] === true;
      return isDeflated ? log().deflatedPage(from) : log().page(from);
    },
    { description: 'Entries of the log, a page: {from}' },
  );
}

/** A place in a list, of a query by anybody: 0 when nothing is said. */
function position(query: unknown, name: string): number {
  if (query === undefined || query === null) return 0;
  const asked = isJsonObject(query) ? (query[name] ?? 0) : undefined;
  if (Number.isSafeInteger(asked) && (asked as number) >= 0) return asked as number;
  throw new LonghaulError(
    'InvalidInput',
    `${name} must be a whole number, 0 or more: {"${name}": 0}`,
  );
}
