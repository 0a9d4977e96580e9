import { z } from 'zod';
import { deepFreeze, defined, isJsonObject, type Problem, quote } from '../base';
import type { AgentSpec, RunTypes } from '../protocol';
import {
  isStandardSchema,
  parseSchemaOption,
  type InputOf,
  type StandardSchema,
} from './arguments/emit';
import { isCallbacks, type Callbacks } from './callbacks';
import { isCriterion, type Criterion, type CriterionFunction } from './criteria';
import { checkNesting } from './nesting';
import { parseOptions, refuseProblems, saidBy } from './options';
import { rule } from './problems/from-zod';
import { runnerSubject, type Agent, type AgentTool, type SubAgentTool } from './runner';
import {
  agentFields,
  agentRules,
  criteriaHelp,
  inputTimeoutHelp,
  outputHelp,
  outputSchema,
} from './schema/agent';
import {
  aFunction,
  count,
  duration,
  fullText,
  help,
  type Immutable,
  list,
  made,
  eachNameOnce,
  runnerId,
  sessionKeys,
  unless,
} from './schema/parts';
import type { JsonSchemaLiteral, Tool } from './tool';
import type { McpServer } from './mcp-server';

type AgentFields = Immutable<z.input<z.ZodObject<typeof agentFields>>>;

type OutputSchema = StandardSchema | JsonSchemaLiteral;

/** The options of `defineAgent`. Durations are texts such as `'3 days'`, or milliseconds. */
export type AgentOptions<Schema extends OutputSchema = OutputSchema> = AgentFields & {
  readonly tools?: readonly AgentTool[];
  /** A text that meets any of them completes the run. Default: any text does. */
  readonly criteria?: readonly Criterion[];
  /** Your code around model calls and tool calls. Hooks run in this order. */
  readonly callbacks?: readonly Callbacks[];
  /** The answer is JSON that matches this schema of an object or an array. */
  readonly output?: { readonly schema: Schema };
  /** How long a question waits for its answer. Default: for ever. */
  readonly inputTimeout?: z.input<typeof duration>;
};

/** The types of an agent's runs: the given ones, and for the output the type of its schema. */
type AgentTypes<Given, Schema> = {
  readonly structured: Given extends { readonly structured: infer Structured }
    ? Structured
    : Schema extends StandardSchema
      ? InputOf<Schema>
      : unknown;
  readonly session: Given extends { readonly session: infer Session } ? Session : unknown;
  readonly context: Given extends { readonly context: infer Context } ? Context : unknown;
};

const schemaOption = z
  .unknown()
  .transform((value, context) => {
    const option = parseSchemaOption(value);
    if (option.ok) return option.schema;
    const { path, message } = option.problem;
    context.addIssue({ code: 'custom', message, params: { at: path } });
    return z.NEVER;
  })
  .pipe(outputSchema);

const anyCriterion = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('keyword'), keyword: fullText }),
  z.strictObject({ kind: z.literal('structured-output'), schema: schemaOption.optional() }),
  z.strictObject({ kind: z.literal('max-iterations'), limit: count(0) }),
  z.strictObject({
    kind: z.literal('custom'),
    name: runnerId,
    evaluate: aFunction<CriterionFunction>(),
    session: sessionKeys.optional(),
  }),
]);

const criterion = made<z.input<typeof anyCriterion>>(
  isCriterion,
  'what criteria.keyword, structuredOutput, maxIterations or custom returns',
).pipe(anyCriterion);

const agentTool = made<AgentTool>(
  (value) => isTool(value) || isSubAgent(value) || isMcpServer(value),
  'what defineTool, activityTool, subAgent or mcpTools returns',
);
const callbacks = made<Callbacks>(isCallbacks, 'what defineCallbacks returns');

export const agentOptions = z.strictObject({
  ...agentFields,
  tools: list(agentTool, 500)
    .superRefine(rule(toolListRules))
    .meta(help('Tools, sub-agents and MCP servers that the model may use', { see: 'tools.md' }))
    .exactOptional(),
  criteria: list(criterion, 100).meta(criteriaHelp).exactOptional(),
  callbacks: list(callbacks, 100)
    .superRefine(rule(repeatedCallbacks))
    .meta(
      help('Code around model and tool calls, in the order it runs', {
        see: 'agents.md#callbacks',
      }),
    )
    .exactOptional(),
  output: unless(
    isStandardSchema,
    'must be {schema: …}, not the schema itself',
    z.strictObject({ schema: schemaOption }),
  )
    .meta({ expected: '{schema}', ...outputHelp })
    .exactOptional(),
  inputTimeout: duration.meta(inputTimeoutHelp).exactOptional(),
});

/**
 * Defines an agent. The code of its tools, custom criteria and callbacks stays on the worker; the rest is data. The type parameter gives
 * the types of session and context in the agent's runs: `defineAgent<{ session: Cart; context: User }>`. Throws a `SpecError` for wrong
 * options.
 *
 * @example
 * const weather = defineAgent({
 *   id: 'weather',
 *   model: 'openai/gpt-6.1-terra',
 *   instructions: 'Answer in one sentence.',
 *   tools: [getWeather],
 * });
 */
export function defineAgent<
  Given extends Partial<RunTypes> = object,
  Schema extends OutputSchema = OutputSchema,
>(options: AgentOptions<Schema>): Agent<AgentTypes<Given, Schema>> {
  const subject = runnerSubject('agent', saidBy(options, 'id'));
  const code = ['tools', 'criteria', 'callbacks', 'output'];
  const parsed = parseOptions(agentOptions, options, { subject, code });
  const agent = agentOf<AgentTypes<Given, Schema>>(parsed);
  refuseProblems(subject, agentRules(agent.spec));
  checkNesting(agent.spec);
  return agent;
}

/** The agent of options that a schema parsed: here, or in a file. The caller checks the rules across fields. */
export function agentOf<Types extends RunTypes = RunTypes>(parsed: ParsedAgent): Agent<Types> {
  const { tools = [], criteria = [], callbacks: chain = [], inputTimeout, ...fields } = parsed;
  const limits = criteria.flatMap((one) => (one.kind === 'max-iterations' ? [one.limit] : []));
  const custom = criteria.filter((one) => one.kind === 'custom');
  const spec: AgentSpec = {
    kind: 'agent',
    ...fields,
    ...defined({
      maxIterations: limits.at(-1) ?? fields.maxIterations,
      tools: some(namesOf(tools.filter(isTool))),
      subAgents: some(tools.filter(isSubAgent).map((tool) => tool.spec)),
      mcpServers: some(namesOf(tools.filter(isMcpServer))),
      criteria: some(criteria.flatMap(criterionSpec)),
      callbacks: some(namesOf(chain)),
      inputTimeoutMs: inputTimeout,
    }),
  };
  return Object.freeze({
    kind: 'agent',
    id: spec.id,
    spec: deepFreeze(spec),
    tools: Object.freeze(tools.filter(isTool)),
    subAgents: Object.freeze(tools.filter(isSubAgent)),
    mcpServers: Object.freeze(tools.filter(isMcpServer)),
    criteria: frozenMap(custom.map(({ name, evaluate }) => [name, evaluate] as const)),
    callbacks: Object.freeze([...chain]),
  });
}

export type ParsedAgent = z.output<typeof agentOptions>;
export type ParsedCriterion = z.output<typeof criterion>;

/** The part of a criterion that runs pin. The limit of tool rounds is a field of the agent. */
function criterionSpec(one: ParsedCriterion): NonNullable<AgentSpec['criteria']> {
  if (one.kind === 'max-iterations') return [];
  if (one.kind === 'keyword') return [one];
  const { kind } = one;
  if (kind === 'structured-output') return [{ kind, ...defined({ schema: one.schema }) }];
  return [{ kind, name: one.name, ...defined({ session: one.session }) }];
}

/** Undefined for an empty list. */
function some<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items;
}

function namesOf(items: readonly { readonly name: string }[]): readonly string[] {
  return items.map(({ name }) => name);
}

export function isTool(value: unknown): value is Tool {
  return kindOf(value) === 'tool';
}

function isSubAgent(value: unknown): value is SubAgentTool {
  return kindOf(value) === 'sub-agent';
}

export function isMcpServer(value: unknown): value is McpServer {
  return kindOf(value) === 'mcp-server';
}

function kindOf(value: unknown): unknown {
  return isJsonObject(value) ? value.kind : undefined;
}

/** Each name may occur once. A server may have the name of a tool, because its own tools have other names. */
function toolListRules(tools: readonly AgentTool[]): Problem[] {
  return [
    ...tooMany(tools.filter(isSubAgent), 100, 'sub-agents'),
    ...tooMany(tools.filter(isMcpServer), 50, 'MCP servers'),
    ...tools.flatMap((tool, index) => {
      const first = tools.findIndex(
        (other) => other.name === tool.name && isMcpServer(other) === isMcpServer(tool),
      );
      const earlier = tools[first];
      if (first === index || earlier === undefined) return [];
      const places = `${placeOf(earlier, first)} and ${placeOf(tool, index)}`;
      const kind = isMcpServer(tool) ? 'MCP server' : 'tool';
      return [{ path: '', message: `holds ${kind} ${quote(tool.name)} twice: at ${places}` }];
    }),
  ];
}

function tooMany(items: readonly AgentTool[], most: number, kind: string): Problem[] {
  return items.length > most ? [{ path: '', message: `must have at most ${most} ${kind}` }] : [];
}

function placeOf(tool: AgentTool, index: number): string {
  return isMcpServer(tool)
    ? `tools[${index}]`
    : `tools[${index}] (${quote(tool.spec.description)})`;
}

function repeatedCallbacks(chain: readonly Callbacks[]): Problem[] {
  return eachNameOnce(namesOf(chain), 'callbacks');
}

function frozenMap<Value>(
  entries: readonly (readonly [string, Value])[],
): ReadonlyMap<string, Value> {
  const refuse = () => {
    throw new TypeError('A definition is immutable');
  };
  return Object.freeze(
    Object.assign(new Map(entries), { set: refuse, delete: refuse, clear: refuse }),
  );
}
