import { z } from 'zod';
import { deepFreeze, defined, type Json, type JsonObject } from '../base/json';
import { describeValue } from '../base/problem';
import type { ToolSpec } from '../protocol/spec';
import type { ArgumentsCheck, OutputOf, StandardSchema } from './arguments/emit';
import { parseOptions, refuseProblems, saidBy } from './options';
import { aFunction, help, type Immutable } from './schema/parts';
import {
  codeToolFields,
  needsApproval,
  retrySpec,
  toolInput,
  toolRules,
  type toolFields,
} from './schema/tool';

/** Writes to the worker's logger, with the run's id. */
export type ToolLog = {
  debug(message: string, attributes?: JsonObject): void;
  info(message: string, attributes?: JsonObject): void;
  warn(message: string, attributes?: JsonObject): void;
  error(message: string, attributes?: JsonObject): void;
};

/** What a tool's code gets besides its arguments. */
export type ToolContext = {
  readonly workflowId: string;
  readonly agentId: string;
  /** The way from the root run to this agent, such as `pipeline/research/branch-2`. */
  readonly path: string;
  readonly callId: string;
  /** Stays the same over attempts, continue-as-new and resets. Pass it to services that refuse duplicates. */
  readonly idempotencyKey: string;
  /** The session keys that the tool declares. Changes enter the session when the call succeeds. */
  readonly session: JsonObject;
  /** The `context` of the run's start, by default `{}`. The model never sees it. */
  readonly context: JsonObject;
  /** Aborted when the run is cancelled, the call times out or the worker shuts down. */
  readonly signal: AbortSignal;
  /** Tells the server that the call is alive. `details` are kept with the attempt. */
  readonly heartbeat: (details?: Json) => void;
  readonly log: ToolLog;
};

/** What a `needsApproval` function gets besides the arguments. */
export type ApprovalContext = Pick<
  ToolContext,
  'workflowId' | 'agentId' | 'path' | 'callId' | 'session' | 'context' | 'log'
>;

/** A tool. Runs pin its `spec`; the code stays on the worker. Made by `defineTool` and `activityTool`. */
export interface Tool<Args = unknown> {
  readonly kind: 'tool';
  readonly name: string;
  readonly spec: ToolSpec;
  /** True if it replaces a tool of the same name that was registered before. */
  readonly override: boolean;
  /** Runs the tool with checked arguments. The result must be JSON or `toolContent`; the caller checks that. */
  execute(args: Args, context: ToolContext): unknown;
  /** Decides for each call. Present exactly if `spec.needsApproval` is `'ask'`. */
  needsApproval?(args: Args, context: ApprovalContext): boolean | Promise<boolean>;
  /** Returns the arguments as `execute` takes them, or what is wrong with them. Never throws. */
  validateArguments(args: Json): Promise<ArgumentsCheck>;
}

/** A JSON Schema written in code. */
export type JsonSchemaLiteral = { readonly [keyword: string]: unknown };

type ToolOptions = Immutable<z.input<z.ZodObject<typeof codeToolFields>>>;

/** The options of `defineTool`. */
export type ToolDefinition<Schema, Args> = ToolOptions & {
  readonly inputSchema: Schema;
  /** Returns a JSON value, `toolContent`, or a promise of one. A thrown error is tried again, then shown to the model. */
  readonly execute: (args: Args, context: ToolContext) => unknown;
  /** Whether a person must approve a call: each one, or those for which the function returns true. */
  readonly needsApproval?:
    boolean | ((args: Args, context: ApprovalContext) => boolean | Promise<boolean>);
};

/** The options of a tool that a schema parsed, as runs pin them. */
export function toolSpec(
  options: z.output<z.ZodObject<typeof toolFields>> & { readonly needsApproval?: unknown },
): Omit<ToolSpec, 'inputSchema'> {
  const { needsApproval: asks } = options;
  return {
    name: options.name,
    description: options.description,
    ...defined({
      effect: options.effect,
      onError: options.onError,
      needsApproval: typeof asks === 'function' ? ('ask' as const) : (asks as boolean | undefined),
      timeoutMs: options.timeout,
      retry: retrySpec(options.retry),
    }),
  };
}

export function toolSubject(definition: unknown): string {
  const name = saidBy(definition, 'name');
  return typeof name === 'string' ? `Tool ${describeValue(name)}` : 'A tool';
}

export const toolOptions = z.strictObject({
  ...codeToolFields,
  inputSchema: toolInput,
  needsApproval: needsApproval.exactOptional(),
  execute: aFunction().meta(
    help('`(args, context) => result`: returns a JSON value or `toolContent`, or a promise of one'),
  ),
});

/**
 * Defines a tool. A Standard Schema (zod, valibot, …) gives the arguments of `execute` their type. With a JSON Schema they are a
 * JSON object, or the type parameter says their type. Throws a `SpecError` for wrong options.
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
  const subject = toolSubject(definition);
  const code = ['inputSchema', 'needsApproval', 'execute'];
  const options = parseOptions(toolOptions, definition, { subject, code });
  refuseProblems(subject, toolRules(options));
  const { schema: inputSchema, validate: validateArguments } = options.inputSchema;
  const { inline, session, maxResultBytes } = options;
  const data = { ...toolSpec(options), ...defined({ inline, session, maxResultBytes }) };
  return Object.freeze({
    kind: 'tool',
    name: data.name,
    spec: deepFreeze({ ...data, inputSchema }),
    override: options.override ?? false,
    execute: definition.execute,
    ...(typeof definition.needsApproval === 'function' && {
      needsApproval: definition.needsApproval,
    }),
    validateArguments,
  });
}
