import type { JsonObject, JsonSchema } from '../base/json';
import type { ToolSpec } from '../protocol/spec';
import { deepFreeze } from '../base/plain-json';
import { specError } from './problem';
import type { OutputOf, StandardSchema } from './standard-schema';
import type { ApprovalContext, Tool, ToolContext } from './tool';
import { parseInputSchema } from './tool-input-schema';
import { parseToolOptions, type ToolOptionsBase } from './tool-options';
import type { ValidateArguments } from './validate-arguments';

/** A JSON Schema written in code. */
export type JsonSchemaLiteral = { readonly [keyword: string]: unknown };

export type ToolDefinition<Schema, Args> = ToolOptionsBase & {
  readonly inputSchema: Schema;
  /** Returns any JSON value, or a promise of one. */
  readonly execute: (args: Args, context: ToolContext) => unknown;
  readonly needsApproval?:
    boolean | ((args: Args, context: ApprovalContext) => boolean | Promise<boolean>);
};

/**
 * Defines a tool. The arguments of `execute` are typed by a Standard Schema (zod, valibot, …); with a JSON Schema they are a
 * JSON object, or the type given as the type parameter.
 *
 * @example
 * const getWeather = defineTool({
 *   name: 'get_weather',
 *   description: 'Current weather of a city',
 *   inputSchema: z.object({ city: z.string() }),
 *   execute: async ({ city }) => fetchWeather(city),
 * });
 */
export function defineTool<Schema extends StandardSchema>(
  definition: ToolDefinition<Schema, OutputOf<Schema>>,
): Tool<OutputOf<Schema>>;
export function defineTool<Args = JsonObject>(
  definition: ToolDefinition<JsonSchemaLiteral, Args>,
): Tool<Args>;
export function defineTool(definition: ToolDefinition<unknown, unknown>): Tool {
  const options = parseToolOptions(definition);
  const input = parseInputSchema(options.inputSchema);
  const problems = [...options.problems, ...input.problems];
  if (problems.length > 0) throw specError(options.subject, problems);
  return createTool(definition, { ...options.spec, inputSchema: input.schema }, input.validate);
}

function createTool(
  definition: ToolDefinition<unknown, unknown>,
  spec: ToolSpec & { readonly inputSchema: JsonSchema },
  validateArguments: ValidateArguments,
): Tool {
  const { execute, needsApproval, override } = definition;
  return Object.freeze({
    kind: 'tool',
    name: spec.name,
    spec: deepFreeze(spec),
    override: override ?? false,
    execute,
    ...(typeof needsApproval === 'function' ? { needsApproval } : {}),
    validateArguments,
  });
}
