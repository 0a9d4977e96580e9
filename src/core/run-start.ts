// The input, type, id and first memo of a run, for clients and workflows that start it. Pure.

import { defined, oneLine } from '../base';
import { LonghaulError } from '../protocol/errors';
import { idPatterns, memoKey, searchAttributes, workflowTypes } from '../protocol/names';
import type { RunInput, RunMemo } from '../protocol/run';
import type { KnownRunner, RunnerSpec, RunnerWithSpec } from '../protocol/spec';

/** Picks options by name, and drops everything else of the caller's object. */
export function toRunInput(
  runner: RunInput['runner'],
  input: RunInput['input'],
  {
    session,
    key,
    budget,
    context,
    by,
    clientTools,
  }: Pick<RunInput, 'session' | 'key' | 'budget' | 'context' | 'by' | 'clientTools'>,
): RunInput {
  return { runner, input, ...defined({ session, key, budget, context, by, clientTools }) };
}

/** The id that `start` sends for a runner. Throws for a bare spec, because only `startSpec` sends specs. */
export function knownId(runner: KnownRunner, method = 'start'): string {
  if (typeof runner === 'string') return runner;
  const { spec } = (runner ?? {}) as { readonly spec?: { readonly id?: unknown } };
  if (typeof spec?.id === 'string') return spec.id;
  throw new LonghaulError(
    'InvalidInput',
    `${method} takes the id of a runner, or the object from defineAgent and its like; use ${method}Spec for a spec`,
  );
}

/** The spec that `startSpec` sends for a runner. */
export function sentSpec(runner: RunnerWithSpec, method = 'start'): RunnerSpec {
  if (typeof runner === 'object' && runner !== null) return 'spec' in runner ? runner.spec : runner;
  throw new LonghaulError(
    'InvalidInput',
    `${method}Spec takes a spec: name a runner by its id with ${method}`,
  );
}

/** The workflow type for a runner. An id does not show the kind, but every type can run any kind. */
export function workflowTypeOf(runner: KnownRunner | RunnerSpec): string {
  const kind = typeof runner === 'string' ? 'agent' : sentSpec(runner).kind;
  return Object.hasOwn(workflowTypes, kind) ? workflowTypes[kind] : workflowTypes.agent;
}

export function checkWorkflowId(workflowId: string): void {
  if (idPatterns.workflow.test(workflowId)) return;
  throw new LonghaulError(
    'InvalidInput',
    `workflowId '${oneLine(workflowId, 220)}' does not match ${idPatterns.workflow.source}`,
  );
}

type Shown = Pick<RunMemo, 'agent' | 'path' | 'key'>;

/** The memo at the start of a run. It has no status: the server knows which runs are open. */
export function startMemo({ agent, path, key = [] }: Shown): Record<typeof memoKey, RunMemo> {
  const memo: RunMemo = {
    agent,
    ...defined({ path }),
    ...(key.length > 0 && { key }),
  };
  return { [memoKey]: memo };
}

/** The search attributes of a run with this status, as the SDK takes them. A run starts as `running`. */
export function typedAttributes({
  agent,
  status = 'running',
  key = [],
}: Pick<Shown, 'agent' | 'key'> & { readonly status?: string }): TypedAttribute[] {
  return [
    { key: { name: searchAttributes.agent, type: 'KEYWORD' }, value: agent },
    { key: { name: searchAttributes.status, type: 'KEYWORD' }, value: status },
    ...(key.length > 0 ? [keyAttribute(key)] : []),
  ];
}

function keyAttribute(key: readonly string[]): TypedAttribute {
  return { key: { name: searchAttributes.key, type: 'KEYWORD_LIST' }, value: [...key] };
}

type TypedAttribute =
  | { readonly key: Named<'KEYWORD'>; readonly value: string }
  | { readonly key: Named<'KEYWORD_LIST'>; readonly value: string[] };

type Named<Type extends string> = { readonly name: string; readonly type: Type };
