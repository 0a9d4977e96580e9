// The tools that a client brings, as it writes them and as it sends them.

import type { Duration } from '../base/duration';
import { describeValue } from '../base/problem';
import type { StandardSchema } from '../define/arguments/emit';
import { defineTool, type JsonSchemaLiteral } from '../define/tool';
import { LonghaulError } from '../protocol/errors';
import type { ClientTool } from '../protocol/run';
import { checkOptions } from './check-options';

/** A tool for one run. Whoever started the run gives its results, with `run.complete` or `run.fail`. */
export type ClientToolOptions = {
  readonly name: string;
  readonly description: string;
  /** The arguments: an object. */
  readonly inputSchema: StandardSchema | JsonSchemaLiteral;
  /** Any JSON if it is left out. */
  readonly resultSchema?: StandardSchema | JsonSchemaLiteral;
  /** How long a call waits for its result. Default: for ever. */
  readonly resultTimeout?: Duration;
};

const names = {
  name: true,
  description: true,
  inputSchema: true,
  resultSchema: true,
  resultTimeout: true,
} as const;

/** Throws `SpecError` or `InvalidInput` for a tool that no run takes. */
export function sentTools(tools: readonly ClientToolOptions[]): readonly ClientTool[] {
  const given: unknown = tools;
  if (!Array.isArray(given))
    throw new LonghaulError(
      'InvalidInput',
      `clientTools must be a list of tools, not ${describeValue(given)}`,
    );
  return tools.map((tool) => {
    checkOptions('a client tool', tool, names);
    // The overloads tell the two kinds of schema apart, which nothing here depends on.
    const schema = tool.inputSchema as JsonSchemaLiteral;
    const { spec } = defineTool({ ...tool, inputSchema: schema, result: 'client' });
    const { name, description, inputSchema, resultSchema, resultTimeoutMs } = spec;
    return {
      name,
      description,
      inputSchema,
      ...(resultSchema && { resultSchema }),
      ...(resultTimeoutMs !== undefined && { resultTimeoutMs }),
    };
  });
}
