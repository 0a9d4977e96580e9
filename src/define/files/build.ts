import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../../base/json';
import type { Problem } from '../../base/problem';
import { LonghaulError } from '../../protocol/errors';
import type { GraphSpec } from '../../protocol/spec';
import { defineAgent, type AgentOptions } from '../agent';
import { criteria, type Criterion } from '../criteria';
import {
  graph,
  parallel,
  sequential,
  type GraphOptions,
  type ParallelOptions,
  type SequentialOptions,
} from '../orchestrations';
import type { AgentTool, Runner } from '../runner';
import { parse } from '../problems/from-zod';
import { agentFields, agentRules } from '../schema/agent';
import { nameOf } from '../schema/file';
import { graphRules } from '../schema/graph-rules';
import { subAgent, type SubAgentOptions } from '../sub-agent';
import type { SpecCode } from './code';
import { idOf, type Draft } from './drafts';
import { parsePath, type Path, type Places } from './places';
import type { SpecProblem } from './problem';

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
const stubAgent = () => defineAgent({ id: 'unread', model: 'unread/unread' });

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
    const runner = this.#built.get(draft) ?? this.#tryDefine(draft) ?? stubAgent();
    this.#built.set(draft, runner);
    return runner;
  }

  #tryDefine(draft: Draft): Runner | undefined {
    const problems = ownProblems(draft);
    this.#report(draft, problems);
    if (!draft.isSound || problems.length > 0) return undefined;
    try {
      return this.#define(draft);
    } catch (error) {
      const found = LonghaulError.is(error) ? error.details?.problems : undefined;
      if (!Array.isArray(found)) throw error;
      this.#report(draft, found as readonly Problem[]);
      return undefined;
    }
  }

  #report(draft: Draft, problems: readonly Problem[]): void {
    for (const { path, message } of problems) {
      const inside = { ...draft.at, path: [...draft.at.path, ...pathInFile(path, draft)] };
      this.problems.push(...this.#building.places.locate(inside, { message }));
    }
  }

  /** The fields have the shapes that files may give them; the functions check the rest. */
  #define({ kind, fields: { kind: _, ...fields } }: Draft): Runner {
    switch (kind) {
      case 'agent':
        return defineAgent(this.#agentOptions(fields));
      case 'sequential':
        return sequential(this.#withRunners(fields, 'steps') as SequentialOptions);
      case 'parallel':
        return parallel(this.#withRunners(fields, 'branches') as ParallelOptions);
      case 'graph': {
        const tasks = objectsIn(fields.tasks).map((task) => ({
          ...task,
          runner: this.#named(task.runner),
        }));
        return graph({ ...fields, tasks } as unknown as GraphOptions);
      }
    }
  }

  #agentOptions({ tools, subAgents, mcpServers, callbacks, ...fields }: JsonObject): AgentOptions {
    const { code } = this.#building;
    const listed: AgentTool[] = [
      ...namesIn(tools).map((name) => required(code.tools, name)),
      ...objectsIn(subAgents).map(({ runner, ...options }) =>
        subAgent(this.#named(runner), options as unknown as SubAgentOptions),
      ),
      ...namesIn(mcpServers).map((name) => required(code.mcpServers, name)),
    ];
    return {
      ...fields,
      tools: listed,
      callbacks: namesIn(callbacks).map((name) => required(code.callbacks, name)),
      criteria: objectsIn(fields.criteria).map((criterion) => this.#criterion(criterion)),
    } as unknown as AgentOptions;
  }

  #criterion(fields: JsonObject): Criterion {
    if (fields.kind !== 'custom') return fields as Criterion;
    const { name, evaluate, session } = required(
      this.#building.code.criteria,
      fields.name as string,
    );
    const keys = (fields.session as string[] | undefined) ?? session;
    return criteria.custom(name, evaluate, keys === undefined ? {} : { session: keys });
  }

  #withRunners(fields: JsonObject, member: string): unknown {
    const refs = fields[member] as Json[];
    return { ...fields, [member]: refs.map((ref) => this.#named(ref)) };
  }

  #named(ref: Json | undefined): Runner {
    const draft = this.#building.isLinked ? this.#drafts.get(idOf(ref) ?? '') : undefined;
    return draft === undefined ? stubAgent() : this.runnerOf(draft);
  }
}

/** What the functions of code would say in other words, or could not say of a runner in which something else is wrong. */
function ownProblems({ kind, fields, wrong, isSound }: Draft): readonly Problem[] {
  const isRight = (field: string) => !wrong.some((path) => path.startsWith(field));
  if (kind === 'graph' && Array.isArray(fields.tasks) && isRight('tasks')) {
    return graphRules({ tasks: fields.tasks as unknown as GraphSpec['tasks'] });
  }
  if (kind !== 'agent' || !isSound) return [];
  const { model, tools, inputTimeout } = fields;
  const named = model === undefined ? parse(z.object({ model: agentFields.model }), {}) : undefined;
  const ruled = { ...fields, tools: namesIn(tools), ...(inputTimeout && { inputTimeoutMs: 1 }) };
  return [...(named?.ok === false ? named.problems : []), ...agentRules(ruled)];
}

/** Code lists as tools what files list apart. */
function pathInFile(path: string, { fields }: Draft): Path {
  const [member, index, ...rest] = parsePath(path);
  if (member === undefined) return [];
  const lists = [fields.tools, fields.subAgents, fields.mcpServers].map(
    (list) => objectsOf(list).length,
  );
  const [tools = 0, subAgents = 0] = lists;
  if (member !== 'tools' || typeof index !== 'number' || index < tools) return parsePath(path);
  return index < tools + subAgents
    ? ['subAgents', index - tools, ...rest]
    : ['mcpServers', index - tools - subAgents, ...rest];
}

function objectsOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return objectsOf(value).filter(isJsonObject);
}

function namesIn(value: Json | undefined): readonly string[] {
  return objectsOf(value).map((item) => nameOf(item as string));
}

/** All names were looked up before. */
function required<Value>(known: ReadonlyMap<string, Value>, name: string): Value {
  const value = known.get(name);
  if (value === undefined) throw new TypeError(`nothing is named '${name}'`);
  return value;
}
