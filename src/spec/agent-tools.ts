import type { AgentTool } from './agent';
import { isJsonObject } from '../protocol/json';
import { describeValue, quote, type Problem } from './problem';

export type ParsedTools = {
  readonly tools: readonly AgentTool[];
  readonly problems: readonly Problem[];
};

/** The tools of an agent's definition: made by `defineTool`, each name once. */
export function parseTools(value: unknown): ParsedTools {
  if (value === undefined) return { tools: [], problems: [] };
  if (!Array.isArray(value)) {
    const message = `must be an array of tools, not ${describeValue(value)}`;
    return { tools: [], problems: [{ path: 'tools', message }] };
  }
  const strangers = value.flatMap((tool: unknown, index) =>
    isTool(tool)
      ? []
      : [
          {
            path: `tools[${index}]`,
            message: `must come from defineTool, not be ${describeValue(tool)}`,
          },
        ],
  );
  const tools = value.filter(isTool);
  return strangers.length > 0
    ? { tools, problems: strangers }
    : { tools, problems: repeated(tools) };
}

export function isTool(value: unknown): value is AgentTool {
  return isJsonObject(value) && (value as { kind?: unknown }).kind === 'tool';
}

function repeated(tools: readonly AgentTool[]): Problem[] {
  return tools.flatMap((tool, index) => {
    const first = tools.findIndex(({ name }) => name === tool.name);
    const earlier = tools[first];
    if (first === index || earlier === undefined) return [];
    const places = `${placeOf(earlier, first)} and ${placeOf(tool, index)}`;
    return [{ path: 'tools', message: `holds tool ${quote(tool.name)} twice: at ${places}` }];
  });
}

function placeOf(tool: AgentTool, index: number): string {
  return `tools[${index}] (${quote(tool.spec.description)})`;
}
