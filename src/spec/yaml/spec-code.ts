import type { Callbacks } from '../../define/callbacks';
import type { CustomCriterion } from '../../define/criteria';
import { loggingCallbacks } from '../../define/logging-callbacks';
import type { McpServer } from '../../define/mcp-server';
import { didYouMean } from '../../base/nearest';
import { deepFreeze } from '../../base/plain-json';
import { formatPath, quote } from '../../base/problem';
import { checkLists, registeredCode } from '../../define/registry';
import type { CodeOptions } from '../../define/registry';
import type { Tool } from '../../define/tool';
import { problemOf, type Draft } from './draft';
import type { AgentSpec } from '../../protocol/spec';
import { formatPlace, type SpecProblem } from './spec-problem';

export type SpecCode = {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly callbacks: ReadonlyMap<string, Callbacks>;
  readonly criteria: ReadonlyMap<string, CustomCriterion>;
  readonly mcpServers: ReadonlyMap<string, McpServer>;
};

export function specCode(options: CodeOptions): SpecCode {
  return {
    tools: byName(options.tools ?? []),
    callbacks: byName([loggingCallbacks, ...(options.callbacks ?? [])]),
    criteria: byName(options.criteria ?? []),
    mcpServers: byName(options.mcpServers ?? []),
  };
}

/** Two of one name are refused, as by a worker. */
export function refuseRepeatedCode(options: CodeOptions): void {
  checkLists(options);
  registeredCode([], options);
}

/** Code that agents name and that is not there, and tools that need approval in one place only. */
export function codeProblems(drafts: readonly Draft[], code: SpecCode): readonly SpecProblem[] {
  return [
    ...drafts.flatMap((draft) => missingCode(draft, code)),
    ...approvalProblems(drafts, code),
  ];
}

/** The tools as the agents of the specs want them: a spec may ask for approval, and never drops it. */
export function approvedTools(drafts: readonly Draft[], code: SpecCode): ReadonlyMap<string, Tool> {
  const tools = new Map(code.tools);
  for (const { name, needsApproval } of drafts.flatMap((draft) => draft.tools)) {
    const tool = tools.get(name);
    if (tool !== undefined && needsApproval) tools.set(name, withApproval(tool));
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

/** Of two with one name the later one counts: it replaces the other, or is refused elsewhere. */
function byName<Named extends { readonly name: string }>(
  list: readonly Named[],
): ReadonlyMap<string, Named> {
  return new Map(list.map((item) => [item.name, item]));
}

function missingCode(draft: Draft, code: SpecCode): readonly SpecProblem[] {
  const spec = draft.spec as unknown as AgentSpec;
  if (spec.kind !== 'agent') return [];
  const criteria = (spec.criteria ?? []).map((criterion, index) => ({
    name: criterion.kind === 'custom' ? criterion.name : undefined,
    path: `criteria[${index}].name`,
  }));
  const named = (list: readonly string[] = [], member: string) =>
    list.map((name, index) => ({ name, path: `${member}[${index}]` }));
  const tools = draft.tools.map(({ name, path }) => ({ name, path: formatPath(path) }));
  const missing = (
    uses: readonly { readonly name: string | undefined; readonly path: string }[],
    { kind, known }: { kind: string; known: ReadonlyMap<string, unknown> },
  ) =>
    uses.flatMap(({ name, path }) =>
      name === undefined || known.has(name)
        ? []
        : [problemOf(draft, path, missingMessage(name, kind, [...known.keys()]))],
    );
  return [
    ...missing(tools, { kind: 'tools', known: code.tools }),
    ...missing(named(spec.callbacks, 'callbacks'), { kind: 'callbacks', known: code.callbacks }),
    ...missing(criteria, { kind: 'criteria', known: code.criteria }),
    ...missing(named(spec.mcpServers, 'mcpServers'), {
      kind: 'MCP servers',
      known: code.mcpServers,
    }),
  ];
}

function missingMessage(name: string, kind: string, known: readonly string[]): string {
  const list =
    known.length === 0
      ? `No ${kind} are registered`
      : `Registered ${kind}: ${[...known].sort().join(', ')}`;
  return `is ${quote(name)}, which is not among the registered ${kind}${didYouMean(name, known) || '.'} ${list}`;
}

/** A worker has one tool of a name. */
function approvalProblems(drafts: readonly Draft[], code: SpecCode): readonly SpecProblem[] {
  const uses = drafts.flatMap((draft) => draft.tools.map((tool) => ({ draft, ...tool })));
  return uses.flatMap(({ draft, name, path, needsApproval }) => {
    const other = uses.find((use) => use.name === name && use.needsApproval);
    const always = code.tools.get(name)?.spec.needsApproval === true;
    if (needsApproval || always || other === undefined) return [];
    const place = formatPlace(problemOf(other.draft, formatPath(other.path), ''));
    const message = `uses ${quote(name)} without needsApproval, which it has at ${place}: a tool has one rule for all agents`;
    return [problemOf(draft, formatPath(path), message)];
  });
}
