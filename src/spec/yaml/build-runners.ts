import type {
  AgentSpec,
  GraphSpec,
  ParallelSpec,
  RunnerRef,
  RunnerSpec,
  SequentialSpec,
} from '../../protocol/spec';
import { refId } from '../../core/runner-refs';
import type { AgentTool } from '../../define/runner';
import { criteria, type Criterion } from '../../define/criteria';
import { defineAgent } from '../../define/agent';
import { graph } from '../../define/orchestrations';
import { parallel } from '../../define/orchestrations';
import { sequential } from '../../define/orchestrations';
import type { Runner } from '../../define/runner';
import { subAgent } from '../../define/sub-agent';
import type { Draft } from './draft';
import type { SpecCode } from './spec-code';

/** The runners of drafts in which nothing is wrong, as the functions of the package define them, with the tools as they want them. */
export function buildRunners(
  drafts: readonly Draft[],
  code: SpecCode,
): ReadonlyMap<string, Runner> {
  const builder = new RunnerBuilder(drafts, code);
  const named = drafts.filter(({ owner }) => owner === undefined);
  return new Map(named.map(({ id }) => [id, builder.runner(id)]));
}

class RunnerBuilder {
  readonly #code: SpecCode;
  readonly #specs: ReadonlyMap<string, RunnerSpec>;
  readonly #built = new Map<string, Runner>();

  constructor(drafts: readonly Draft[], code: SpecCode) {
    this.#code = code;
    this.#specs = new Map(drafts.map(({ id, spec }) => [id, spec as unknown as RunnerSpec]));
  }

  runner(ref: RunnerRef): Runner {
    const id = refId(ref);
    const built = this.#built.get(id) ?? this.#build(required(this.#specs, id));
    this.#built.set(id, built);
    return built;
  }

  #build(spec: RunnerSpec): Runner {
    switch (spec.kind) {
      case 'agent':
        return this.#agent(spec);
      case 'sequential':
        return this.#sequential(spec);
      case 'parallel':
        return this.#parallel(spec);
      case 'graph':
        return this.#graph(spec);
    }
  }

  #agent({ kind: _, ...spec }: AgentSpec): Runner {
    const { tools, subAgents, mcpServers, callbacks, inputTimeoutMs, ...plain } = spec;
    const listed: AgentTool[] = [
      ...(tools ?? []).map((name) => required(this.#code.tools, name)),
      ...(subAgents ?? []).map(({ runner, ...options }) => subAgent(this.runner(runner), options)),
      ...(mcpServers ?? []).map((name) => required(this.#code.mcpServers, name)),
    ];
    return defineAgent({
      ...plain,
      tools: listed,
      callbacks: (callbacks ?? []).map((name) => required(this.#code.callbacks, name)),
      criteria: (spec.criteria ?? []).map((criterion) => this.#criterion(criterion)),
      ...(inputTimeoutMs !== undefined && { inputTimeout: inputTimeoutMs }),
    });
  }

  #criterion(spec: NonNullable<AgentSpec['criteria']>[number]): Criterion {
    if (spec.kind === 'keyword') return criteria.keyword(spec.keyword);
    if (spec.kind === 'structured-output') {
      return criteria.structuredOutput(spec.schema);
    }
    const { evaluate, session } = required(this.#code.criteria, spec.name);
    const keys = spec.session ?? session;
    return criteria.custom(spec.name, evaluate, keys === undefined ? {} : { session: keys });
  }

  #sequential({ kind: _, steps, ...options }: SequentialSpec): Runner {
    return sequential({ ...options, steps: steps.map((ref) => this.runner(ref)) });
  }

  #parallel({ kind: _, branches, ...options }: ParallelSpec): Runner {
    return parallel({ ...options, branches: branches.map((ref) => this.runner(ref)) });
  }

  #graph({ kind: _, params: _params, tasks, ...options }: GraphSpec): Runner {
    const built = tasks.map((task) => ({ ...task, runner: this.runner(task.runner) }));
    return graph({ ...options, tasks: built });
  }
}

/** All names were looked up before anything was built. */
function required<Value>(known: ReadonlyMap<string, Value>, name: string): Value {
  const value = known.get(name);
  if (value === undefined) throw new TypeError(`nothing is named '${name}'`);
  return value;
}
