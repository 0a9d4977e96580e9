import { z } from 'zod';
import { deepFreeze, defined, describeValue, type Json, type JsonObject } from '../base';
import { type ApproverRule, LonghaulError, type ToolSpec } from '../protocol';
import { type Accepted, acceptedVersion } from './arguments/accepts';
import type { ArgumentsCheck, OutputOf, StandardSchema } from './arguments/emit';
import { parseOptions, refuseProblems, saidBy } from './options';
import { aFunction, help, type Immutable } from './schema/parts';
import { approvalSpec, needsApproval, type timeFields } from './schema/approval';
import {
  codeToolFields,
  resultFields,
  resultRules,
  retrySpec,
  toolAccepts,
  toolInput,
  toolResult,
  toolRules,
  type toolFields,
} from './schema/tool';

export type { Upgraded } from './arguments/accepts';

/** Writes to the worker's logger, with the run's id. */
export type ToolLog = {
  debug(message: string, attributes?: JsonObject): void;
  info(message: string, attributes?: JsonObject): void;
  warn(message: string, attributes?: JsonObject): void;
  error(message: string, attributes?: JsonObject): void;
};

/** The second argument of a tool's code. */
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
  /** Shows the server that the call is alive. The server keeps `details` with the attempt. */
  readonly heartbeat: (details?: Json) => void;
  readonly log: ToolLog;
  /** Only for a tool with result `later`: a caller with the token may send the result. Each attempt has a new token; all stay valid. */
  readonly resultToken?: string;
};

/** What the code of a tool with result `later` gets. */
export type LaterContext = ToolContext & { readonly resultToken: string };

/** The second argument of a `needsApproval` function. */
export type ApprovalContext = Pick<
  ToolContext,
  'workflowId' | 'agentId' | 'path' | 'callId' | 'session' | 'context' | 'log'
>;

/** The functions of a tool's approval policy, without `when`. They decide or read, and change nothing. */
export type ApprovalFunctions<Args> = {
  by?(this: void, args: Args, context: ApprovalContext): ApproverRule | Promise<ApproverRule>;
  show?(this: void, args: Args, context: ApprovalContext): Json | Promise<Json>;
};

/** Who approves calls of a tool, and what happens until then. */
export type ApprovalOptions<Args> = Immutable<z.input<z.ZodObject<typeof timeFields>>> & {
  /** Which calls need approval. Default: all. */
  readonly when?: boolean | ((args: Args, context: ApprovalContext) => boolean | Promise<boolean>);
  /** Who may decide. Without it everybody may. */
  readonly by?:
    ApproverRule | ((args: Args, context: ApprovalContext) => ApproverRule | Promise<ApproverRule>);
  /** Makes what the person sees of the call: a text or JSON. */
  readonly show?: (args: Args, context: ApprovalContext) => Json | Promise<Json>;
};

/** Whether a person must approve a call: `true` for each call, a function that decides for each call, or an object with rules. */
export type NeedsApproval<Args> =
  | boolean
  | ((args: Args, context: ApprovalContext) => boolean | Promise<boolean>)
  | ApprovalOptions<Args>;

/** A tool. Runs pin its `spec`; the code stays on the worker. Made by `defineTool` and `activityTool`. */
export interface Tool<Args = unknown> {
  readonly kind: 'tool';
  readonly name: string;
  readonly spec: ToolSpec;
  /** True if it replaces a tool of the same name that was registered before. */
  readonly override: boolean;
  /** True if a file defines the whole tool: it has no code. */
  readonly inSpec?: true;
  /** Runs the tool with checked arguments. The result must be JSON or `toolContent`; the caller checks that. */
  execute(args: Args, context: ToolContext): unknown;
  /** Decides for each call. Present exactly if `spec.needsApproval` is `'ask'`. */
  needsApproval?(args: Args, context: ApprovalContext): boolean | Promise<boolean>;
  /** Present if a function of its policy is. */
  readonly approval?: ApprovalFunctions<Args>;
  /** Returns the arguments as `execute` takes them, or what is wrong with them. Never throws. */
  validateArguments(args: Json): Promise<ArgumentsCheck>;
  /** Earlier versions of the arguments. Absent without any. */
  readonly accepts?: readonly Accepted[];
}

/** A JSON Schema written in code. */
export type JsonSchemaLiteral = { readonly [keyword: string]: unknown };

/** Earlier versions of a tool's arguments, each with the code that makes the present arguments of them. */
export type Accepts<Earlier extends readonly unknown[]> = {
  readonly [Index in keyof Earlier]: {
    readonly schema: Earlier[Index];
    /** Computes, and does nothing else: it may be stopped, and may run again. At most half a second. */
    upgrade(args: ArgumentsOf<Earlier[Index]>): unknown;
  };
};

type ArgumentsOf<Schema> = Schema extends StandardSchema ? OutputOf<Schema> : JsonObject;

type ToolOptions = Immutable<z.input<z.ZodObject<typeof codeToolFields>>>;

/** The options of `defineTool`. */
export type ToolDefinition<Schema, Args, Earlier extends readonly unknown[] = []> = ToolOptions & {
  readonly inputSchema: Schema;
  /** For calls that runs made before the schema changed: the first version that takes their arguments upgrades them. */
  readonly accepts?: Accepts<Earlier>;
  /** Returns a JSON value, `toolContent`, or a promise of one. A thrown error is tried again, then shown to the model. */
  readonly execute: (args: Args, context: ToolContext) => unknown;
  readonly needsApproval?: NeedsApproval<Args>;
};

/** The options of a tool that gets its results from elsewhere. */
export type DeferredToolDefinition<
  Schema,
  Args,
  Earlier extends readonly unknown[] = [],
> = ToolOptions & {
  readonly inputSchema: Schema;
  /** Not with result `client`. */
  readonly accepts?: Accepts<Earlier>;
  readonly needsApproval?: NeedsApproval<Args>;
  /** What the result must be: a Standard Schema or a JSON Schema. Default: any JSON. */
  readonly resultSchema?: StandardSchema | JsonSchemaLiteral;
  /** How long a call waits for its result. Default: for ever. */
  readonly resultTimeout?: string | number;
} & (
    | {
        /** A caller with the token sends the result, for example a webhook. */
        readonly result: 'later';
        /** Starts the work and passes `resultToken` on. What it returns is ignored. A thrown error is tried again, then shown to the model. */
        readonly execute: (args: Args, context: LaterContext) => unknown;
      }
    | {
        /** The client of the run gives the result. Nothing runs on the worker. */
        readonly result: 'client';
        readonly execute?: never;
      }
  );

/** The options of a tool that a schema parsed, as runs pin them. */
export function toolSpec(
  options: z.output<z.ZodObject<typeof toolFields>> & {
    readonly needsApproval?: z.output<typeof needsApproval>;
  },
): Omit<ToolSpec, 'inputSchema'> {
  return {
    name: options.name,
    description: options.description,
    ...defined({
      effect: options.effect,
      onError: options.onError,
      ...approvalSpec(options.needsApproval),
      timeoutMs: options.timeout,
      retry: retrySpec(options.retry),
    }),
  };
}

/** The functions of a tool's approvals. They stay on the worker. */
export function approvalCode<Args>(
  given: NeedsApproval<Args> | undefined,
): Pick<Tool<Args>, 'needsApproval' | 'approval'> {
  if (given === undefined || typeof given === 'boolean') return {};
  if (typeof given === 'function') return { needsApproval: given };
  const { when, by, show } = given;
  const approval = defined({ by: typeof by === 'function' ? by : undefined, show });
  return {
    ...(typeof when === 'function' && { needsApproval: when }),
    ...(Object.keys(approval).length > 0 && { approval }),
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
  ...resultFields,
  resultSchema: toolResult.exactOptional(),
  accepts: toolAccepts.exactOptional(),
  execute: aFunction()
    .meta(
      help(
        '`(args, context) => result`: returns a JSON value or `toolContent`, or a promise of one',
      ),
    )
    .exactOptional(),
});

/**
 * Defines a tool. A Standard Schema (zod, valibot, …) gives the arguments of `execute` their type. With a JSON Schema they are a JSON
 * object, or have the type of the type parameter. Throws a `SpecError` for wrong options.
 *
 * @example
 * const getWeather = defineTool({
 *   name: 'get_weather',
 *   description: 'Current weather of a city',
 *   inputSchema: z.object({ city: z.string() }),
 *   execute: async ({ city }) => fetchWeather(city),
 * });
 */
export function defineTool<
  Schema extends StandardSchema,
  const Earlier extends readonly unknown[] = [],
>(definition: DeferredToolDefinition<Schema, OutputOf<Schema>, Earlier>): Tool<OutputOf<Schema>>;
export function defineTool<Args = JsonObject, const Earlier extends readonly unknown[] = []>(
  definition: DeferredToolDefinition<JsonSchemaLiteral, Args, Earlier>,
): Tool<Args>;
export function defineTool<
  Schema extends StandardSchema,
  const Earlier extends readonly unknown[] = [],
>(definition: ToolDefinition<Schema, OutputOf<Schema>, Earlier>): Tool<OutputOf<Schema>>;
export function defineTool<Args = JsonObject, const Earlier extends readonly unknown[] = []>(
  definition: ToolDefinition<JsonSchemaLiteral, Args, Earlier>,
): Tool<Args>;
export function defineTool(
  definition:
    | ToolDefinition<unknown, unknown, readonly unknown[]>
    | DeferredToolDefinition<unknown, unknown, readonly unknown[]>,
): Tool {
  const subject = toolSubject(definition);
  const code = ['inputSchema', 'resultSchema', 'needsApproval', 'accepts', 'execute'];
  const options = parseOptions(toolOptions, definition, { subject, code });
  refuseProblems(subject, [...toolRules(options, toolSpec(options)), ...resultRules(options)]);
  return toolOf(options, definition);
}

type ToolCode = {
  readonly execute?: Tool['execute'];
  readonly needsApproval?: NeedsApproval<unknown>;
};

/** The tool of options that a schema parsed: here, or in a file. The caller checks the rules across fields. */
export function toolOf(options: z.output<typeof toolOptions>, code: ToolCode): Tool {
  const { name } = options;
  const { schema: inputSchema, validate: validateArguments } = options.inputSchema;
  const { inline, session, maxResultBytes, result, resultSchema, resultTimeout } = options;
  const accepts = options.accepts?.map(({ schema, upgrade }) => acceptedVersion(schema, upgrade));
  const own = { inline, session, maxResultBytes, result, resultSchema };
  return Object.freeze({
    kind: 'tool',
    name,
    spec: deepFreeze({
      ...toolSpec(options),
      ...defined({ ...own, resultTimeoutMs: resultTimeout }),
      inputSchema,
    }),
    override: options.override ?? false,
    execute: code.execute ?? runsElsewhere(name),
    ...approvalCode(code.needsApproval),
    validateArguments,
    ...defined({ accepts }),
  });
}

/** The `execute` of a tool without code. Only a run can call such a tool. */
export function runsElsewhere(name: string): () => never {
  return () => {
    throw new LonghaulError('InternalError', `Tool '${name}' has no code: only a run can call it.`);
  };
}
