import type { AgentSpec } from '../../protocol/spec';
import { criteria } from '../../define/criteria';
import { defineCallbacks } from '../../define/callbacks';
import { defineTool } from '../../define/tool';
import { mcpTools } from '../../define/mcp-tools';
import type { Draft } from './draft';
import type { SpecCode } from './spec-code';

export type StoodIn = {
  readonly code: SpecCode;
  /** The names that there was no code for. */
  readonly missing: readonly string[];
};

const call = () => {
  throw new TypeError('code that stands in for another is never run');
};

/** The code with something of each name that the drafts use: for specs that are looked at and not run. */
export function withStandIns(code: SpecCode, drafts: readonly Draft[]): StoodIn {
  const agents = drafts.map(({ spec }) => spec as unknown as Partial<AgentSpec>);
  const missing = new Set<string>();
  const fill = <Value>(
    known: ReadonlyMap<string, Value>,
    names: readonly string[],
    make: (name: string) => Value,
  ): ReadonlyMap<string, Value> => {
    const added = [...new Set(names)].filter((name) => !known.has(name));
    for (const name of added) missing.add(name);
    return new Map([...known, ...added.map((name) => [name, make(name)] as const)]);
  };
  const toolNames = drafts.flatMap(({ tools }) => tools.map(({ name }) => name));
  const criterionNames = agents.flatMap((agent) =>
    (agent.criteria ?? []).flatMap((one) => (one.kind === 'custom' ? [one.name] : [])),
  );
  const named = (member: 'callbacks' | 'mcpServers') =>
    agents.flatMap((agent) => agent[member] ?? []);
  const filled = {
    tools: fill(code.tools, toolNames, (name) =>
      defineTool({ name, description: name, inputSchema: { type: 'object' }, execute: call }),
    ),
    callbacks: fill(code.callbacks, named('callbacks'), (name) =>
      defineCallbacks({ name, beforeModelCall: call }),
    ),
    criteria: fill(code.criteria, criterionNames, (name) => criteria.custom(name, call)),
    mcpServers: fill(code.mcpServers, named('mcpServers'), (name) =>
      mcpTools({ name, url: 'http://127.0.0.1' }),
    ),
  };
  return { code: filled, missing: [...missing] };
}
