// Lists the code that agents of files may name, and makes stubs for code that is not there.

import { defineCallbacks, type Callbacks } from '../callbacks';
import { criteria, type CustomCriterion } from '../criteria';
import { loggingCallbacks } from '../logging-callbacks';
import type { McpServer } from '../mcp-server';
import { mcpTools } from '../mcp-tools';
import type { CodeOptions } from '../registry';
import { defineTool, type Tool } from '../tool';
import { usesOf, type CodeList, type Draft } from './drafts';

/** The code that agents of files may name. */
export type SpecCode = {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly callbacks: ReadonlyMap<string, Callbacks>;
  readonly criteria: ReadonlyMap<string, CustomCriterion>;
  readonly mcpServers: ReadonlyMap<string, McpServer>;
};

export function specCode(options: CodeOptions, ownTools: readonly Tool[]): SpecCode {
  return {
    tools: byName([...(options.tools ?? []), ...ownTools]),
    callbacks: byName([loggingCallbacks, ...(options.callbacks ?? [])]),
    criteria: byName(options.criteria ?? []),
    mcpServers: byName(options.mcpServers ?? []),
  };
}

/** If two have one name, the later one counts: it replaces the other, or is refused elsewhere. */
function byName<Named extends { readonly name: string }>(list: readonly Named[]) {
  return new Map(list.map((item) => [item.name, item]));
}

const stub = () => {
  throw new TypeError('a stub of code never runs');
};

export const stubs: {
  readonly [Name in CodeList]: (
    name: string,
  ) => SpecCode[Name] extends ReadonlyMap<string, infer Code> ? Code : never;
} = {
  tools: (name) =>
    defineTool({ name, description: name, inputSchema: { type: 'object' }, execute: stub }),
  callbacks: (name) => defineCallbacks({ name, beforeModelCall: stub }),
  criteria: (name) => criteria.custom(name, stub),
  mcpServers: (name) => mcpTools({ name, url: 'http://127.0.0.1' }),
};

/** The code, with stubs for missing code that the drafts name. A result with stubs is only for checks. It never runs. */
export function withStubs(
  code: SpecCode,
  drafts: readonly Draft[],
): { readonly code: SpecCode; readonly missing: readonly string[] } {
  const filled = {
    tools: new Map(code.tools),
    callbacks: new Map(code.callbacks),
    criteria: new Map(code.criteria),
    mcpServers: new Map(code.mcpServers),
  };
  const missing = new Set<string>();
  for (const list of Object.keys(stubs) as CodeList[]) {
    const known: Map<string, unknown> = filled[list];
    for (const { name } of usesOf(drafts).filter((use) => use.list === list)) {
      if (known.has(name)) continue;
      missing.add(name);
      known.set(name, stubs[list](name));
    }
  }
  return { code: filled, missing: [...missing] };
}
