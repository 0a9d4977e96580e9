import { z } from 'zod';
import { deepFreeze, defined, type Json, type JsonObject } from '../base/json';
import { describeValue } from '../base/problem';
import type { ToolSpec } from '../protocol/spec';
import type { ArgumentsCheck, OutputOf, StandardSchema } from './arguments/emit';
import { parseOptions, refuseProblems, saidBy } from './options';
import { aFunction, type Immutable } from './schema/parts';
import {
  codeToolFields,
  needsApproval,
  retrySpec,
  toolInput,
  toolRules,
  type toolFields,
} from './schema/tool';

/** Structured log of a tool call; goes to the worker's logger with the run's id. */
export type ToolLog = {
  debug(message: string, attributes?: JsonObject): void;
  info(message: string, attributes?: JsonObject): void;
  warn(message: string, attributes?: JsonObject): void;
  error(message: string, attributes?: JsonObject): void;
};

/** What a tool's code is given besides its arguments. */
export type ToolContext = {
  readonly workflowId: string;
  readonly agentId: string;
  /** The way from the root run to this agent, such as `pipeline/research/branch-2`. */
  readonly path: string;
  readonly callId: string;
  /** The same over attempts, continue-as-new and reset: pass it to services that refuse duplicates. */
  readonly idempotencyKey: string;
  /** The session keys the tool declares; changes are merged into the session when the call succeeds. */
  readonly session: JsonObject;
  /** Given when the run was started, empty if nothing was; the model never sees it. */
  readonly context: JsonObject;
  /** Aborted when the run is cancelled, the call times out or the worker shuts down. */
  readonly signal: AbortSignal;
  /** Tells the server that the call is alive; `details` are kept with the attempt. */
  readonly heartbeat: (details?: Json) => void;
  readonly log: ToolLog;
};

/** What a `needsApproval` function is given besides the arguments. It runs before the call does. */
export type ApprovalContext = Pick<
  ToolContext,
  'workflowId' | 'agentId' | 'path' | 'callId' | 'session' | 'context' | 'log'
>;

/** A tool: its data, which runs pin, and its code, which stays on the worker. Made by `defineTool`. */
export interface Tool<Args = unknown> {
  readonly kind: 'tool';
  readonly name: string;
  readonly spec: ToolSpec;
  /** Replaces another tool of its name that was registered before it. */
  readonly override: boolean;
  /** Runs the tool with checked arguments. The result must be JSON; whoever calls checks it. */
  execute(args: Args, context: ToolContext): unknown;
  /** Decides per call; there exactly when `spec.needsApproval` is `'ask'`. */
  needsApproval?(args: Args, context: ApprovalContext): boolean | Promise<boolean>;
  /** The arguments as `execute` expects them, or what is wrong with them. Never throws. */
  validateArguments(args: Json): Promise<ArgumentsCheck>;
}

/** A JSON Schema written in code. */
export type JsonSchemaLiteral = { readonly [keyword: string]: unknown };

type ToolOptions = Immutable<z.input<z.ZodObject<typeof codeToolFields>>>;

export type ToolDefinition<Schema, Args> = ToolOptions & {
  readonly inputSchema: Schema;
  /** Returns any JSON value, or a promise of one. */
  readonly execute: (args: Args, context: ToolContext) => unknown;
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

const toolOptions = z.strictObject({
  ...codeToolFields,
  inputSchema: toolInput,
  needsApproval: needsApproval.exactOptional(),
  execute: aFunction(),
});

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
  const subject = toolSubject(definition);
  const code = ['inputSchema', 'needsApproval', 'execute'];
  const options = parseOptions(toolOptions, definition, { subject, code });
  refuseProblems(subject, toolRules(options));
  const { schema: inputSchema, validate: validateArguments } = options.inputSchema;
  const { session, maxResultBytes } = options;
  const data = { ...toolSpec(options), ...defined({ session, maxResultBytes }) };
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
