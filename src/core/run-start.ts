// What starting a run has in common, for clients and for workflows: its input, its type, its id and its first memo. Pure.

import { defined } from '../base/json';
import { oneLine } from '../base/text';
import { LonghaulError } from '../protocol/errors';
import { idPatterns, memoKey, workflowTypes } from '../protocol/names';
import type { RunInput, RunMemo } from '../protocol/run';
import type { KnownRunner, RunnerLike } from '../protocol/spec';

/** Picked by name: what a caller's options hold besides must not become part of the start. */
export function toRunInput(
  runner: RunnerLike,
  input: RunInput['input'],
  { session, key, budget, context }: Pick<RunInput, 'session' | 'key' | 'budget' | 'context'>,
): RunInput {
  const data =
    typeof runner === 'object' && runner !== null && 'spec' in runner ? runner.spec : runner;
  return { runner: data, input, ...defined({ session, key, budget, context }) };
}

/** What `start` sends of a runner. A bare spec has no place here: it travels by `startSpec` only. */
export function knownId(runner: KnownRunner): string {
  if (typeof runner === 'string') return runner;
  const { spec } = (runner ?? {}) as { readonly spec?: { readonly id?: unknown } };
  if (typeof spec?.id === 'string') return spec.id;
  throw new LonghaulError(
    'InvalidInput',
    'a run is started by the id of its runner, or by the runner itself; for a spec use startSpec',
  );
}

/** Of a runner that is known by its id only, the workers know the kind: any of the types runs it. */
export function workflowTypeOf(runner: RunInput['runner']): string {
  const kind = typeof runner === 'string' ? 'agent' : runner.kind;
  return Object.hasOwn(workflowTypes, kind) ? workflowTypes[kind] : workflowTypes.agent;
}

export function checkWorkflowId(workflowId: string): void {
  if (idPatterns.workflow.test(workflowId)) return;
  throw new LonghaulError(
    'InvalidInput',
    `workflowId '${oneLine(workflowId, 220)}' does not match ${idPatterns.workflow.source}`,
  );
}

/** The memo that whoever starts a run gives it, until it shows itself. */
export function startMemo({
  agent,
  path,
  key = [],
}: Pick<RunMemo, 'agent' | 'path' | 'key'>): Record<typeof memoKey, RunMemo> {
  const memo: RunMemo = {
    status: 'running',
    agent,
    ...defined({ path }),
    ...(key.length > 0 && { key }),
  };
  return { [memoKey]: memo };
}
