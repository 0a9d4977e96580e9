import type { z } from 'zod';
import {
  canonicalJson,
  deepFreeze,
  defined,
  didYouMean,
  formatPath,
  isJsonObject,
  type Json,
  quote,
} from '../../base';
import { type ApprovalPolicy, limits } from '../../protocol';
import { defineCallbacks, type Callbacks } from '../callbacks';
import { criteria, type CustomCriterion } from '../criteria';
import { loggingCallbacks } from '../logging-callbacks';
import type { McpServer } from '../mcp-server';
import { mcpTools } from '../mcp-tools';
import type { CodeOptions } from '../registry';
import { type approvalData, policyOf } from '../schema/approval';
import { nameOf } from '../schema/file';
import { defineTool, type Tool } from '../tool';
import type { Draft, DraftRef } from './drafts';
import { formatPlace, type Path, type Places, type SpecProblem } from './places';

// What the runners of files name: code, and each other.

/** A limit, because a few small runners that name each other can stand for billions of runs. */
const mostRuns = 10_000;

const none: RunnerExtent = { runs: 0, levels: 0 };

/** The code that agents of files may name. */
export type SpecCode = {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly callbacks: ReadonlyMap<string, Callbacks>;
  readonly criteria: ReadonlyMap<string, CustomCriterion>;
  readonly mcpServers: ReadonlyMap<string, McpServer>;
};

type List = keyof SpecCode;

const labels: Readonly<Record<List, string>> = {
  tools: 'tools',
  callbacks: 'callbacks',
  criteria: 'criteria',
  mcpServers: 'MCP servers',
};

export function specCode(options: CodeOptions): SpecCode {
  return {
    tools: byName(options.tools ?? []),
    callbacks: byName([loggingCallbacks, ...(options.callbacks ?? [])]),
    criteria: byName(options.criteria ?? []),
    mcpServers: byName(options.mcpServers ?? []),
  };
}

/** Of two with one name the later one counts: it replaces the other, or is refused elsewhere. */
function byName<Named extends { readonly name: string }>(list: readonly Named[]) {
  return new Map(list.map((item) => [item.name, item]));
}

/** A name of code in an agent. */
type Use = {
  readonly draft: Draft;
  readonly list: List;
  readonly name: string;
  readonly path: Path;
  readonly needsApproval: Asks | undefined;
};

/** `true`, or the rules as the file's schema made them. */
type Asks = true | z.output<typeof approvalData>;

function usesOf(draft: Draft): readonly Use[] {
  if (draft.kind !== 'agent') return [];
  return (Object.keys(labels) as List[]).flatMap((list) => {
    const items = draft.fields[list];
    return (Array.isArray(items) ? items : []).flatMap((item, index) => {
      const name = nameIn(list, item);
      const isInside = isJsonObject(item) && list !== 'callbacks';
      const path = [list, index, ...(isInside ? ['name'] : [])];
      const place = formatPath([list, index]);
      const isWrong = [place, `${place}.name`, `${place}.kind`].some((found) =>
        draft.wrong.includes(found),
      );
      const isUnread = draft.wrong.some((found) => found.startsWith(`${place}.needsApproval`));
      if (name === undefined || isWrong || isUnread) return [];
      const needsApproval = isJsonObject(item)
        ? (item.needsApproval as Asks | undefined)
        : undefined;
      return [{ draft, list, name, path, needsApproval }];
    });
  });
}

function nameIn(list: List, item: Json): string | undefined {
  if (typeof item === 'string') return list === 'criteria' ? undefined : item;
  if (!isJsonObject(item) || (list === 'criteria' && item.kind !== 'custom')) return undefined;
  const name: unknown = nameOf(item);
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/**
 * Names of code that is not there, and tools that need approval in one place only. Files that could not be read (`isComplete`) may
 * define any tool.
 */
export function codeProblems(
  drafts: readonly Draft[],
  code: SpecCode,
  { places, isComplete }: { readonly places: Places; readonly isComplete: boolean },
): readonly SpecProblem[] {
  const uses = drafts.flatMap(usesOf);
  const problemOf = ({ draft, path }: Use, message: string) =>
    places.locate({ ...draft.at, path: [...draft.at.path, ...path] }, { message });
  const missing = uses.flatMap((use) => {
    const known = code[use.list];
    if (known.has(use.name) || (use.list === 'tools' && !isComplete)) return [];
    return problemOf(use, missingMessage(use, [...known.keys()]));
  });
  const tools = uses.filter(({ list }) => list === 'tools');
  const unequal = tools.flatMap((use) => {
    const message = ruleProblem(use, { tools, code, placeOf: (other) => problemOf(other, '') });
    return message === undefined ? [] : problemOf(use, message);
  });
  return [...missing, ...unequal];
}

/** A tool has one rule: its own rules, or else those of the first agent that says any. */
function ruleProblem(
  { name, needsApproval: asks }: Use,
  {
    tools,
    code,
    placeOf,
  }: {
    readonly tools: readonly Use[];
    readonly code: SpecCode;
    readonly placeOf: (use: Use) => readonly SpecProblem[];
  },
): string | undefined {
  const spec = code.tools.get(name)?.spec;
  if (contradicts(asks, spec?.approval))
    return `gives ${quote(name)} other rules than the tool has itself: write needsApproval: true`;
  const other = tools.find((one) => one.name === name && one.needsApproval !== undefined);
  const isUnasked = asks === undefined && spec?.needsApproval === true;
  if (other === undefined || isUnasked || isEqual(asks ?? null, other.needsApproval))
    return undefined;
  const [place] = placeOf(other);
  const at = place === undefined ? 'another place' : formatPlace(place);
  const oneRule = 'a tool has one rule for all agents';
  return asks === undefined
    ? `uses ${quote(name)} without needsApproval, which it has at ${at}: ${oneRule}`
    : `gives ${quote(name)} other rules than ${at}: ${oneRule}`;
}

function contradicts(asks: Asks | undefined, own: ApprovalPolicy | undefined): boolean {
  return own !== undefined && isJsonObject(asks) && !isEqual(policyOf(asks), own);
}

const isEqual = (one: unknown, other: unknown): boolean =>
  canonicalJson(one) === canonicalJson(other);

function missingMessage({ name, list }: Use, known: readonly string[]): string {
  const kind = labels[list];
  const all =
    known.length === 0
      ? `No ${kind} are registered`
      : `Registered ${kind}: ${[...known].sort().join(', ')}`;
  return `is ${quote(name)}, which is not among the registered ${kind}${didYouMean(name, known) || '.'} ${all}`;
}

/** The tools as the agents of the specs want them: a spec may ask for approval, and never drops it. */
export function approvedTools(drafts: readonly Draft[], code: SpecCode): ReadonlyMap<string, Tool> {
  const tools = new Map(code.tools);
  for (const { list, name, needsApproval } of drafts.flatMap(usesOf)) {
    const tool = list === 'tools' ? tools.get(name) : undefined;
    if (tool !== undefined && needsApproval !== undefined)
      tools.set(name, withApproval(tool, needsApproval));
  }
  return tools;
}

function withApproval(tool: Tool, asks: Asks): Tool {
  const { spec } = tool;
  const approval = spec.approval ?? (asks === true ? {} : policyOf(asks));
  const rules = Object.keys(approval).length > 0 ? { approval } : {};
  if (spec.needsApproval === true && isEqual(rules, defined({ approval: spec.approval })))
    return tool;
  const asked = { ...tool, spec: deepFreeze({ ...spec, needsApproval: true, ...rules }) };
  // A function that decides per call has nothing left to decide.
  delete asked.needsApproval;
  return Object.freeze(asked);
}

const stub = () => {
  throw new TypeError('a stub of code never runs');
};

/** In place of a tool that is not there. */
export function stubTool(name: string): Tool {
  return defineTool({ name, description: name, inputSchema: { type: 'object' }, execute: stub });
}

const stubs: {
  readonly [Name in List]: (
    name: string,
  ) => SpecCode[Name] extends ReadonlyMap<string, infer Code> ? Code : never;
} = {
  tools: stubTool,
  callbacks: (name) => defineCallbacks({ name, beforeModelCall: stub }),
  criteria: (name) => criteria.custom(name, stub),
  mcpServers: (name) => mcpTools({ name, url: 'http://127.0.0.1' }),
};

/** The code, with stubs for all that the drafts name and that is not there. What is made of stubs is looked at, and never run. */
export function withStubs(
  code: SpecCode,
  drafts: readonly Draft[],
): { readonly code: SpecCode; readonly missing: readonly string[] } {
  const uses = drafts.flatMap(usesOf);
  const missing = new Set<string>();
  const fill = <Name extends List>(list: Name) => {
    const filled = new Map<string, unknown>(code[list]);
    for (const { name } of uses.filter((use) => use.list === list && !filled.has(use.name))) {
      missing.add(name);
      filled.set(name, stubs[list](name));
    }
    return filled as unknown as SpecCode[Name];
  };
  const filled = {
    tools: fill('tools'),
    callbacks: fill('callbacks'),
    criteria: fill('criteria'),
    mcpServers: fill('mcpServers'),
  };
  return { code: filled, missing: [...missing] };
}

/** Repeated ids, references to nothing, and circles. Files that could not be read (`isComplete`) may hold any runner. */
export function linkProblems(
  drafts: readonly Draft[],
  { places, isComplete }: { readonly places: Places; readonly isComplete: boolean },
): readonly SpecProblem[] {
  const problemOf: ProblemOf = ({ at }, path, message) =>
    places.locate({ ...at, path: [...at.path, ...path] }, { message });
  const refs = isComplete ? drafts.flatMap((draft) => unknownRefs(draft, drafts, problemOf)) : [];
  const found = [...repeatedIds(drafts, problemOf), ...refs];
  return found.length > 0 ? found : new Circles(drafts, problemOf).problems;
}

type ProblemOf = (draft: Draft, path: Path, message: string) => readonly SpecProblem[];

function repeatedIds(drafts: readonly Draft[], problemOf: ProblemOf): readonly SpecProblem[] {
  const first = new Map<string, Draft>();
  return drafts.flatMap((draft) => {
    const earlier = first.get(draft.id);
    if (earlier === undefined) {
      first.set(draft.id, draft);
      return [];
    }
    const place = problemOf(earlier, ['id'], '').map(formatPlace).join('');
    const message = `is ${quote(draft.id)}, which the runner at ${place} has, too: rename one`;
    return problemOf(draft, ['id'], message);
  });
}

function unknownRefs(
  draft: Draft,
  drafts: readonly Draft[],
  problemOf: ProblemOf,
): readonly SpecProblem[] {
  return draft.refs.flatMap((ref) => {
    const found = drafts.filter(({ id }) => id === ref.id);
    if (ref.isInline || found.some(({ owner }) => owner === undefined || owner === draft.id))
      return [];
    return problemOf(draft, ref.path, refMessage(ref, found[0], drafts));
  });
}

function refMessage({ id }: DraftRef, inner: Draft | undefined, drafts: readonly Draft[]): string {
  if (inner?.owner !== undefined) {
    return `is ${quote(id)}, which stands within ${quote(inner.owner)} and is known only there: move it to the agents or workflows of the file`;
  }
  const known = drafts.filter(({ owner }) => owner === undefined).map((draft) => draft.id);
  const list = known.length === 0 ? 'There is none' : `There are: ${[...known].sort().join(', ')}`;
  return `must be the id of a runner, not ${quote(id)}${didYouMean(id, known) || '.'} ${list}`;
}

/** The runs that a runner stands for, and how many levels they nest. */
type RunnerExtent = { readonly runs: number; readonly levels: number };

/** Follows every reference once. */
class Circles {
  readonly problems: SpecProblem[] = [];
  readonly #drafts: ReadonlyMap<string, Draft>;
  readonly #problemOf: ProblemOf;
  readonly #extents = new Map<string, RunnerExtent>();

  constructor(drafts: readonly Draft[], problemOf: ProblemOf) {
    this.#drafts = new Map(drafts.map((draft) => [draft.id, draft]));
    this.#problemOf = problemOf;
    drafts.forEach((draft) => this.#visit(draft, [draft.id]));
  }

  #visit(draft: Draft, way: readonly string[]): RunnerExtent {
    const known = this.#extents.get(draft.id);
    if (known !== undefined) return known;
    const below = draft.refs.map((ref) => this.#follow(draft, ref, way));
    const runs = below.reduce((sum, extent) => sum + extent.runs, 1);
    const levels = below.reduce((most, extent) => Math.max(most, extent.levels + 1), 0);
    const message = tooMuch(runs, levels);
    if (message !== undefined) this.problems.push(...this.#problemOf(draft, [], message));
    const extent = message === undefined ? { runs, levels } : none;
    this.#extents.set(draft.id, extent);
    return extent;
  }

  #follow(draft: Draft, ref: DraftRef, way: readonly string[]): RunnerExtent {
    const target = this.#drafts.get(ref.id);
    if (target === undefined) return none;
    const start = way.indexOf(ref.id);
    if (start < 0) return this.#visit(target, [...way, ref.id]);
    const circle = [...way.slice(start), ref.id].join(' → ');
    this.problems.push(...this.#problemOf(draft, ref.path, `closes a circle: ${circle}`));
    return none;
  }
}

function tooMuch(runs: number, levels: number): string | undefined {
  if (levels > limits.depth) {
    return `nests runners more than ${limits.depth} levels deep: make fewer levels`;
  }
  if (runs <= mostRuns) return undefined;
  const most = mostRuns.toLocaleString('en');
  return `stands for more than ${most} runs, with those that the runners in it name`;
}
