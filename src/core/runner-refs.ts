// The runners a runner names: whole specs where it travels, ids in a pinned definition. Pure.

import { isJsonObject } from '../base/json';
import type { RunnerPlace } from '../protocol/activities';
import type { Definition, RunnerRef, RunnerSpec } from '../protocol/spec';

/** What this runner names directly, in order; a runner may stand there more than once. */
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

/** The same runner, naming each by its id. */
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

export function refId(ref: RunnerRef): string {
  return typeof ref === 'string' ? ref : ref.id;
}

/** The id of what runs, given as a run is started with it; nobody may have checked it yet. */
export function runnerIdOf(runner: unknown): string {
  const id = isJsonObject(runner) ? runner['id'] : runner;
  return typeof id === 'string' ? id.slice(0, 100) : 'unknown';
}

/** A closure always holds what its runners name. */
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
