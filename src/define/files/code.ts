import { deepFreeze, isJsonObject, type Json } from '../../base/json';
import { didYouMean, formatPath, quote } from '../../base/problem';
import { defineCallbacks, type Callbacks } from '../callbacks';
import { criteria, type CustomCriterion } from '../criteria';
import { loggingCallbacks } from '../logging-callbacks';
import type { McpServer } from '../mcp-server';
import { mcpTools } from '../mcp-tools';
import type { CodeOptions } from '../registry';
import { nameOf } from '../schema/file';
import { defineTool, type Tool } from '../tool';
import type { Draft } from './drafts';
import type { Path, Places } from './places';
import { formatPlace, type SpecProblem } from './problem';

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
  readonly needsApproval: boolean;
};

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
      if (name === undefined || isWrong) return [];
      const needsApproval = isJsonObject(item) && item.needsApproval === true;
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

/** Names of code that is not there, and tools that need approval in one place only. */
export function codeProblems(
  drafts: readonly Draft[],
  code: SpecCode,
  places: Places,
): readonly SpecProblem[] {
  const uses = drafts.flatMap(usesOf);
  const problemOf = ({ draft, path }: Use, message: string) =>
    places.locate({ ...draft.at, path: [...draft.at.path, ...path] }, { message });
  const missing = uses.flatMap((use) => {
    const known = code[use.list];
    if (known.has(use.name)) return [];
    return problemOf(use, missingMessage(use, [...known.keys()]));
  });
  const tools = uses.filter(({ list }) => list === 'tools');
  const unequal = tools.flatMap((use) => {
    const { name } = use;
    const other = tools.find((one) => one.name === name && one.needsApproval);
    const always = code.tools.get(name)?.spec.needsApproval === true;
    if (use.needsApproval || always || other === undefined) return [];
    const [place] = problemOf(other, '');
    const at = place === undefined ? 'another place' : formatPlace(place);
    return problemOf(
      use,
      `uses ${quote(name)} without needsApproval, which it has at ${at}: a tool has one rule for all agents`,
    );
  });
  return [...missing, ...unequal];
}

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
    const tool = list === 'tools' && needsApproval ? tools.get(name) : undefined;
    if (tool !== undefined) tools.set(name, withApproval(tool));
  }
  return tools;
}

function withApproval(tool: Tool): Tool {
  if (tool.spec.needsApproval === true) return tool;
  const asked = { ...tool, spec: deepFreeze({ ...tool.spec, needsApproval: true }) };
  // A function that decides per call has nothing left to decide.
  delete asked.needsApproval;
  return Object.freeze(asked);
}

const stub = () => {
  throw new TypeError('a stub of code never runs');
};

const stubs: {
  readonly [Name in List]: (
    name: string,
  ) => SpecCode[Name] extends ReadonlyMap<string, infer Code> ? Code : never;
} = {
  tools: (name) =>
    defineTool({ name, description: name, inputSchema: { type: 'object' }, execute: stub }),
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
