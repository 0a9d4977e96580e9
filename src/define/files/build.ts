import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject, type Problem } from '../../base';
import type { GraphSpec, ParallelSpec, SequentialSpec } from '../../protocol';
import { agentOf, type ParsedAgent, type ParsedCriterion } from '../agent';
import { graphSpecOf, orchestrationOf } from '../orchestrations';
import { parse } from '../problems/from-zod';
import type { AgentTool, Runner } from '../runner';
import { agentFields, agentRules } from '../schema/agent';
import { nameOf } from '../schema/file';
import { graphRules } from '../schema/graph-rules';
import { parallelRules } from '../schema/orchestration';
import { subAgentOf, type SubAgentOptions } from '../sub-agent';
import { idOf, wrongFields, type Draft } from './drafts';
import { parsePath, type Places, type SpecProblem } from './places';
import type { SpecCode } from './references';

export type Building = {
  readonly code: SpecCode;
  readonly places: Places;
  /** Every reference leads to a runner, and none leads back. */
  readonly isLinked: boolean;
};

export type Built = {
  /** By id, in the order of the files, without those that stand within others. */
  readonly runners: ReadonlyMap<string, Runner>;
  readonly problems: readonly SpecProblem[];
};

/** Makes runners of drafts, by the functions that code calls. Where something is wrong the runners are only good for its problems. */
export function buildRunners(drafts: readonly Draft[], building: Building): Built {
  const builder = new Builder(drafts, building);
  const runners = drafts.map((draft) => [draft, builder.runnerOf(draft)] as const);
  const named = runners.filter(([{ owner }]) => owner === undefined);
  return {
    runners: new Map(named.map(([{ id }, runner]) => [id, runner])),
    problems: builder.problems,
  };
}

/** Stands in for a runner that could not be made. */
const stubAgent = (): Runner =>
  agentOf({ id: 'unread', model: { provider: 'unread', model: 'unread' } });

class Builder {
  readonly problems: SpecProblem[] = [];
  readonly #drafts: ReadonlyMap<string, Draft>;
  readonly #building: Building;
  readonly #built = new Map<Draft, Runner>();

  constructor(drafts: readonly Draft[], building: Building) {
    this.#drafts = new Map(drafts.map((draft) => [draft.id, draft]));
    this.#building = building;
  }

  runnerOf(draft: Draft): Runner {
    const runner = this.#built.get(draft) ?? this.#tryMake(draft) ?? stubAgent();
    this.#built.set(draft, runner);
    return runner;
  }

  #tryMake(draft: Draft): Runner | undefined {
    const early = ownProblems(draft);
    const runner = draft.isSound && early.length === 0 ? this.#make(draft) : undefined;
    const problems =
      runner === undefined ? [...early, ...this.#rulesOfTheRest(draft)] : rulesOf(runner);
    for (const { path, message } of problems) {
      const inside = { ...draft.at, path: [...draft.at.path, ...parsePath(path)] };
      this.problems.push(...this.#building.places.locate(inside, { message }));
    }
    return problems.length > 0 ? undefined : runner;
  }

  /** The rules across the fields of an agent that are right, so that one wrong field hides no other problem. */
  #rulesOfTheRest({ right, wrong }: Draft): readonly Problem[] {
    if (right === undefined) return [];
    const { spec } = agentOf(this.#agentParts(right));
    return agentRules(spec, { wrong: wrongFields(wrong) });
  }

  /** The fields were parsed: only the runners and the code that they name are put in. */
  #make({ kind, fields: { kind: _, ...fields } }: Draft): Runner {
    if (kind === 'agent') return agentOf(this.#agentParts(fields));
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
    const runners = listIn(fields[member]).map((ref) => this.#named(ref));
    const spec: unknown = { kind, ...fields, [member]: runners.map((runner) => runner.spec) };
    return orchestrationOf(spec as SequentialSpec | ParallelSpec, runners) as Runner;
  }

  #agentParts({ tools, subAgents, mcpServers, callbacks, ...fields }: JsonObject): ParsedAgent {
    const { code } = this.#building;
    const listed: AgentTool[] = [
      ...namesIn(tools).map((name) => required(code.tools, name)),
      ...objectsIn(subAgents).map(({ runner, ...options }) =>
        subAgentOf(this.#named(runner), options as unknown as SubAgentOptions),
      ),
      ...namesIn(mcpServers).map((name) => required(code.mcpServers, name)),
    ];
    return {
      ...(fields as unknown as ParsedAgent),
      tools: listed,
      callbacks: namesIn(callbacks).map((name) => required(code.callbacks, name)),
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
    const draft = this.#building.isLinked ? this.#drafts.get(idOf(ref) ?? '') : undefined;
    return draft === undefined ? stubAgent() : this.runnerOf(draft);
  }
}

/** What can be said before a runner is made: of a graph even where something else in it is wrong. */
function ownProblems({ kind, fields, right, wrong }: Draft): readonly Problem[] {
  const tasks = wrong.some((path) => path.startsWith('tasks')) ? undefined : fields.tasks;
  if (kind === 'graph' && Array.isArray(tasks)) {
    return graphRules({ tasks: tasks as unknown as GraphSpec['tasks'] });
  }
  if (kind !== 'agent' || right === undefined || fields.model !== undefined) return [];
  if (wrongFields(wrong).some((name) => name === 'model' || name === 'provider')) return [];
  const named = parse(z.object({ model: agentFields.model }), {});
  return named.ok ? [] : named.problems;
}

/** The rules across fields, which code keeps to as well. */
function rulesOf({ spec }: Runner): readonly Problem[] {
  if (spec.kind === 'agent') return agentRules(spec);
  return spec.kind === 'parallel' ? parallelRules(spec) : [];
}

function listIn(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return listIn(value).filter(isJsonObject);
}

function namesIn(value: Json | undefined): readonly string[] {
  return listIn(value).map((item) => nameOf(item as string));
}

/** All names were looked up before. */
function required<Value>(known: ReadonlyMap<string, Value>, name: string): Value {
  const value = known.get(name);
  if (value === undefined) throw new TypeError(`nothing is named '${name}'`);
  return value;
}
