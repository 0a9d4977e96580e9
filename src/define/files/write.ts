import {
  canonicalJson,
  defined,
  isJsonObject,
  type Json,
  type JsonObject,
  quote,
} from '../../base';
import type {
  AgentSpec,
  ApprovalPolicy,
  ModelRef,
  RunnerRef,
  RunnerSpec,
  ToolSpec,
} from '../../protocol';
import { specError } from '../problems/problem';
import { runnerRefs } from '../../core/runner-refs';
import { calledRunners, type Runner } from '../runner';
import { escapeEnvironment, yamlLibrary } from './source';

/**
 * Writes runners as YAML. `loadSpec` makes the same runners from the text, if it gets their code. The text has the tools that a spec
 * defined. If only one other runner uses a runner, it is written inside that one. Every other runner is an item of the file's lists.
 */
export function toSpecText(runners: readonly Runner[]): string {
  const writer = new SpecWriter(runners);
  const listed = writer.listed();
  const written = (isOne: (spec: RunnerSpec) => boolean) =>
    listed.filter(isOne).map((spec) => writer.write(spec));
  const sections: readonly (readonly [string, JsonObject[]])[] = [
    ['agents', written(({ kind }) => kind === 'agent')],
    ['workflows', written(({ kind }) => kind !== 'agent')],
    ['tools', writer.tools()],
  ];
  return yamlText(Object.fromEntries(sections.filter(([, items]) => items.length > 0)));
}

/** Quotes blank texts, because the library's block of a blank first line loses its spaces. Also quotes a key that would be a merge key. */
function yamlText(content: JsonObject): string {
  const { Document, visit } = yamlLibrary();
  const document = new Document(content, { version: '1.2', aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_key, scalar) => {
      const { value } = scalar;
      if (typeof value === 'string' && (value.trim() === '' || value === '<<'))
        scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 100 });
}

type Counts = Map<string, { readonly spec: RunnerSpec; readonly count: number }>;

class SpecWriter {
  readonly #listed = new Map<string, RunnerSpec>();
  /** The rules of approval of tools, as files have them. */
  readonly #approved = new Map<string, Json>();
  /** Tools that a spec defined. */
  readonly #tools = new Map<string, ToolSpec>();

  constructor(runners: readonly Runner[]) {
    for (const { spec } of runners) this.#list(spec);
    const counts: Counts = new Map();
    for (const { spec } of runners) this.#count(runnerRefs(spec), counts);
    for (const { spec, count } of counts.values()) if (count > 1) this.#list(spec);
    for (const runner of runners) this.#collectTools(runner, new Set());
  }

  listed(): readonly RunnerSpec[] {
    return [...this.#listed.values()];
  }

  tools(): JsonObject[] {
    return [...this.#tools.values()].map(toolText);
  }

  write(spec: RunnerSpec): JsonObject {
    const { kind } = spec;
    if (kind === 'agent') return this.#agent(spec);
    if (kind === 'graph') {
      const { params: _, ...rest } = spec;
      const tasks = spec.tasks.map((task) => ({
        ...escaped(task),
        runner: this.#ref(task.runner),
      }));
      return { ...escaped({ ...rest, tasks: [] }), tasks };
    }
    const member = kind === 'sequential' ? 'steps' : 'branches';
    const refs = runnerRefs(spec).map((ref) => this.#ref(ref));
    return { ...escaped({ ...spec, [member]: [] }), [member]: refs };
  }

  #agent(spec: AgentSpec): JsonObject {
    const { kind: _, id, model, tools, subAgents, memory, ...others } = spec;
    const { inputTimeoutMs, inlineTimeout, ...rest } = others;
    return defined({
      id,
      ...escaped({ model: modelText(model), ...rest }),
      tools: tools?.map((name) => {
        const needsApproval = this.#approved.get(name);
        return needsApproval === undefined ? name : { name, needsApproval };
      }),
      subAgents: subAgents?.map((subAgent) => ({
        ...escaped({ ...subAgent, runner: '' }),
        runner: this.#ref(subAgent.runner),
      })),
      inlineTimeout: durationText(inlineTimeout),
      inputTimeout: durationText(inputTimeoutMs),
      memory: memory === undefined ? undefined : escaped(memory),
    });
  }

  #ref(ref: RunnerRef): Json {
    if (typeof ref === 'string') return { ref };
    return this.#listed.has(ref.id) ? { ref: ref.id } : this.write(ref);
  }

  #list(spec: RunnerSpec): void {
    const earlier = this.#listed.get(spec.id);
    if (earlier === undefined) this.#listed.set(spec.id, spec);
    else if (earlier !== spec && canonicalJson(earlier) !== canonicalJson(spec)) {
      const message = `has the id ${quote(spec.id)}, which another one of them has, too`;
      throw specError('A runner', [{ path: '', message }]);
    }
  }

  /** How often each runner that is not listed would be written. */
  #count(refs: readonly RunnerRef[], counts: Counts): void {
    for (const ref of refs) {
      if (typeof ref === 'string' || this.#listed.has(ref.id)) continue;
      const count = (counts.get(ref.id)?.count ?? 0) + 1;
      counts.set(ref.id, { spec: ref, count });
      if (count === 1) this.#count(runnerRefs(ref), counts);
    }
  }

  #define(tool: ToolSpec): void {
    const earlier = this.#tools.get(tool.name);
    if (earlier !== undefined && canonicalJson(earlier) !== canonicalJson(tool)) {
      const message = `of a spec has the name ${quote(tool.name)}, which another one has, too`;
      throw specError('A tool', [{ path: '', message }]);
    }
    this.#tools.set(tool.name, tool);
  }

  #collectTools(runner: Runner, seen: Set<Runner>): void {
    if (seen.has(runner)) return;
    seen.add(runner);
    const tools = runner.kind === 'agent' ? runner.tools : [];
    for (const { name, spec, inSpec } of tools) {
      if (inSpec === true) this.#define(spec);
      else if (spec.needsApproval === true) this.#approved.set(name, approvalText(spec.approval));
    }
    for (const callee of calledRunners(runner)) this.#collectTools(callee, seen);
  }
}

function toolText(tool: ToolSpec): JsonObject {
  const { resultTimeoutMs, needsApproval, approval, ...rest } = tool;
  return defined({
    ...escaped(rest),
    resultTimeout: durationText(resultTimeoutMs),
    needsApproval: needsApproval === true ? approvalText(approval) : undefined,
  });
}

/** A policy with functions comes from the code. */
function approvalText(policy: ApprovalPolicy | undefined): Json {
  if (policy === undefined || policy.by === 'ask' || policy.show === true) return true;
  const { by, remindMs, escalate, remember } = policy;
  return escaped(
    defined({
      by,
      remind: remindMs?.map((ms) => durationText(ms) ?? ms),
      escalate: escalate && { after: durationText(escalate.afterMs), to: escalate.to },
      remember,
    }),
  );
}

/** Escapes texts of a spec, so that they are no references to the environment. */
function escaped(value: object): JsonObject {
  return escapeValue(value as JsonObject) as JsonObject;
}

function escapeValue(value: Json): Json {
  if (typeof value === 'string') return escapeEnvironment(value);
  if (Array.isArray(value)) return value.map(escapeValue);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, escapeValue(member)]),
  );
}

function modelText({ provider, model }: ModelRef): string {
  return `${provider}/${model}`;
}

const units = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
  ['seconds', 1000],
] as const;

function durationText(ms: number | undefined): string | number | undefined {
  if (ms === undefined) return undefined;
  const found = units.find(([, length]) => ms % length === 0);
  return found === undefined ? ms : `${ms / found[1]} ${found[0]}`;
}
