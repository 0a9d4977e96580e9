// Makes runners of drafts, by the same functions that `defineAgent` and the orchestrations use. It returns the runners that others can
// name, and reports broken rules across fields.
//
// 1. A runner that cannot be made is replaced by an empty agent, so that the other runners can still be checked. `reading` then has a
//    problem, and nobody uses the runners.

import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject, type Problem } from '../../base';
import type { GraphSpec, ParallelSpec, RunnerSpec, SequentialSpec } from '../../protocol';
import { parse } from '../problems/from-zod';
import { agentFields, agentRules } from '../schema/agent';
import { graphRules } from '../schema/graph-rules';
import { parallelRules } from '../schema/orchestration';
import { agentOf, type ParsedAgent, type ParsedCriterion } from '../agent';
import { graphSpecOf, orchestrationOf } from '../orchestrations';
import type { Runner } from '../runner';
import { subAgentOf, type SubAgentOptions } from '../sub-agent';
import type { SpecCode } from './code';
import { type Draft, idOf, lacksModel } from './drafts';
import { parsePath, type Reading } from './places';

export type Building = {
  readonly code: SpecCode;
  /** For the runners that drafts name. What is not among them is replaced. */
  readonly linked: ReadonlyMap<string, Draft>;
  readonly reading: Reading;
};

/** The runners that do not stand within others, by id. Where something is wrong they are only good for its problems. */
export function buildRunners(
  drafts: readonly Draft[],
  building: Building,
): ReadonlyMap<string, Runner> {
  const builder = new Builder(building);
  const runners = drafts.map((draft) => [draft, builder.runnerOf(draft)] as const);
  const named = runners.filter(([{ owner }]) => owner === undefined);
  return new Map(named.map(([{ id }, runner]) => [id, runner]));
}

/** Replaces a runner that could not be made. */
const replacement = (): Runner =>
  agentOf({ id: 'unread', model: { provider: 'unread', model: 'unread' } });

type CodeIn<List extends keyof SpecCode> =
  SpecCode[List] extends ReadonlyMap<string, infer Code> ? Code : never;

class Builder {
  readonly #building: Building;
  readonly #built = new Map<Draft, Runner>();

  constructor(building: Building) {
    this.#building = building;
  }

  runnerOf(draft: Draft): Runner {
    const runner = this.#built.get(draft) ?? this.#tryMake(draft) ?? replacement();
    this.#built.set(draft, runner);
    return runner;
  }

  #tryMake(draft: Draft): Runner | undefined {
    const early = ownProblems(draft);
    const isWhole = draft.state === 'whole' && early.length === 0;
    const runner = isWhole ? this.#make(draft) : undefined;
    const problems =
      runner === undefined ? [...early, ...this.#rulesOfTheRest(draft)] : rulesOf(runner.spec);
    for (const { path, message } of problems) {
      this.#building.reading.report(draft.at, parsePath(path), { message });
    }
    return problems.length > 0 ? undefined : runner;
  }

  /** One wrong field of an agent hides no problem of the others. */
  #rulesOfTheRest(draft: Draft) {
    if (draft.kind !== 'agent' || draft.state === 'broken') return [];
    return rulesOf(agentOf(this.#agentParts(draft, draft.fields)).spec, draft.wrong);
  }

  /** The fields were parsed: only the runners and the code that they name are put in. */
  #make(draft: Draft): Runner {
    const { kind: _, ...fields } = draft.fields;
    const { kind } = draft;
    if (kind === 'agent') return agentOf(this.#agentParts(draft, fields));
    if (kind === 'graph') {
      const { tasks, ...graph } = fields as unknown as GraphSpec;
      const runners = tasks.map(({ runner }) => this.#named(runner));
      const specs = tasks.map((task, at) => ({
        ...task,
        runner: runners[at]?.spec ?? task.runner,
      }));
      return orchestrationOf(graphSpecOf(graph, specs), runners);
    }
    const member = kind === 'sequential' ? 'steps' : 'branches';
    const runners = (fields[member] as Json[]).map((ref) => this.#named(ref));
    const spec: unknown = { kind, ...fields, [member]: runners.map((runner) => runner.spec) };
    return orchestrationOf(spec as SequentialSpec | ParallelSpec, runners) as Runner;
  }

  #agentParts({ uses }: Draft, { subAgents, ...fields }: JsonObject): ParsedAgent {
    const { code } = this.#building;
    const named = <List extends 'tools' | 'callbacks' | 'mcpServers'>(list: List) => {
      const known = code[list] as ReadonlyMap<string, CodeIn<List>>;
      return uses.flatMap((use) => (use.list === list ? [required(known, use.name)] : []));
    };
    const callees = objectsIn(subAgents).map(({ runner, ...options }) =>
      subAgentOf(this.#named(runner), options as unknown as SubAgentOptions),
    );
    return {
      ...(fields as unknown as ParsedAgent),
      tools: [...named('tools'), ...callees, ...named('mcpServers')],
      callbacks: named('callbacks'),
      criteria: objectsIn(fields.criteria).map((criterion) => this.#criterion(criterion)),
    };
  }

  #criterion(fields: JsonObject): ParsedCriterion {
    const given = fields as ParsedCriterion;
    if (given.kind !== 'custom') return given;
    const { evaluate, session } = required(this.#building.code.criteria, given.name);
    return { ...(session && { session: [...session] }), ...given, evaluate };
  }

  #named(ref: unknown): Runner {
    const draft = this.#building.linked.get(idOf(ref) ?? '');
    return draft === undefined ? replacement() : this.runnerOf(draft);
  }
}

function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** All names were looked up before. */
function required<Value>(known: ReadonlyMap<string, Value>, name: string): Value {
  const value = known.get(name);
  if (value === undefined) throw new TypeError(`nothing is named '${name}'`);
  return value;
}

/**
 * The problems that a check can find before the runner is made. For a graph, it finds them even if something else in the graph is wrong.
 */
function ownProblems(draft: Draft): readonly Problem[] {
  const { kind, state, fields, wrong } = draft;
  if (state === 'broken') return [];
  if (kind === 'graph') return graphRules({ tasks: (fields as unknown as GraphSpec).tasks });
  if (kind !== 'agent' || !lacksModel(draft) || wrong.includes('provider')) return [];
  const named = parse(z.object({ model: agentFields.model }), {});
  return named.ok ? [] : named.problems;
}

/** Checks the rules across fields, which hold in code, too. It leaves out rules about fields of an agent that are `wrong`. */
function rulesOf(spec: RunnerSpec, wrong: readonly string[] = []): readonly Problem[] {
  if (spec.kind === 'agent') return agentRules(spec, { wrong });
  return spec.kind === 'parallel' ? parallelRules(spec) : [];
}
