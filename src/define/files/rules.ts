// The rules across the fields of runners of files.

import { z } from 'zod';
import type { Problem } from '../../base';
import type { GraphSpec, RunnerSpec } from '../../protocol';
import { parse } from '../problems/from-zod';
import { agentFields, agentRules } from '../schema/agent';
import { graphRules } from '../schema/graph-rules';
import { parallelRules } from '../schema/orchestration';
import { lacksModel, type Draft } from './drafts';

/** What can be said before a runner is made: of a graph even where something else in it is wrong. */
export function ownProblems(draft: Draft): readonly Problem[] {
  const { kind, state, fields, wrong } = draft;
  if (state === 'broken') return [];
  if (kind === 'graph') return graphRules({ tasks: (fields as unknown as GraphSpec).tasks });
  if (kind !== 'agent' || !lacksModel(draft) || wrong.includes('provider')) return [];
  const named = parse(z.object({ model: agentFields.model }), {});
  return named.ok ? [] : named.problems;
}

/** The rules across fields, which code keeps to as well. Rules about the fields of an agent that are `wrong` are left out. */
export function rulesOf(spec: RunnerSpec, wrong: readonly string[] = []): readonly Problem[] {
  if (spec.kind === 'agent') return agentRules(spec, { wrong });
  return spec.kind === 'parallel' ? parallelRules(spec) : [];
}
