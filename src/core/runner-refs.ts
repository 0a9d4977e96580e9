// The runners that a runner names. A spec on its way contains whole specs, but a pinned definition contains ids. Pure.

import { defined, isJsonObject } from '../base';
import type { RunnerPlace } from '../protocol/activities';
import type { Definition, RunnerRef, RunnerSpec } from '../protocol/spec';

/** The runners that this runner names directly, in order. A runner may be in the list several times. */
export function runnerRefs(spec: RunnerSpec): readonly RunnerRef[] {
  switch (spec.kind) {
    case 'agent':
      return (spec.subAgents ?? []).map(({ runner }) => runner);
    case 'sequential':
      return spec.steps;
    case 'parallel':
      return spec.branches;
    case 'graph':
      return spec.tasks.map(({ runner }) => runner);
  }
}

/** The same runner, with ids in place of specs. */
export function namedById(spec: RunnerSpec): RunnerSpec {
  switch (spec.kind) {
    case 'agent':
      return spec.subAgents === undefined
        ? spec
        : { ...spec, subAgents: spec.subAgents.map(withRunnerId) };
    case 'sequential':
      return { ...spec, steps: spec.steps.map(refId) };
    case 'parallel':
      return { ...spec, branches: spec.branches.map(refId) };
    case 'graph':
      return { ...spec, tasks: spec.tasks.map(withRunnerId) };
  }
}

/** Names a runner for an activity. For a whole spec, it gives only the id, and the activity gets the spec from the workflow. */
export function runnerAddress({
  runner,
  application,
}: {
  readonly runner: string | RunnerSpec;
  readonly application?: string;
}): { readonly runner: string; readonly inline?: true; readonly application?: string } {
  return {
    runner: runnerIdOf(runner),
    ...(typeof runner !== 'string' && { inline: true }),
    ...defined({ application }),
  };
}

export function refId(ref: RunnerRef): string {
  return typeof ref === 'string' ? ref : ref.id;
}

/** The id of the runner in a start. The value may be unchecked. */
export function runnerIdOf(runner: unknown): string {
  const id = isJsonObject(runner) ? runner['id'] : runner;
  return typeof id === 'string' ? id.slice(0, 100) : 'unknown';
}

/** A definition contains every runner that its runners name. */
export function runnerOf(definition: Definition, id: string): RunnerSpec {
  const spec = Object.hasOwn(definition.runners, id) ? definition.runners[id] : undefined;
  if (spec === undefined) throw new TypeError(`definition has no runner '${id}'`);
  return spec;
}

export function runnerPlace(definition: Definition, ref: RunnerRef): RunnerPlace {
  const { id, kind } = runnerOf(definition, refId(ref));
  return kind === 'agent' ? { runner: id } : { runner: id, kind };
}

function withRunnerId<Named extends { readonly runner: RunnerRef }>(named: Named): Named {
  return { ...named, runner: refId(named.runner) };
}
