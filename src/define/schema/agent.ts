import { z } from 'zod';
import { didYouMean, joinPath, type Problem, quote } from '../../base/problem';
import { utf8Length } from '../../base/text';
import { limits } from '../../protocol/limits';
import { askUserTool } from '../../protocol/names';
import { tryCompileSchema } from '../arguments/compile';
import { rule } from '../problems/from-zod';
import {
  budget,
  count,
  distinct,
  eachNameOnce,
  flag,
  fullText,
  type Immutable,
  jsonObject,
  jsonSchema,
  list,
  mcpServerName,
  model,
  runnerId,
  sessionKeys,
  text,
  toolName,
} from './parts';

// Every field of an agent, written once: types, checks, the editors' schema and the docs come from here.

const toolChoice = z
  .union([
    z.enum(['auto', 'none', 'required']),
    z.strictObject({ only: distinct(toolName, 500).min(1) }),
  ])
  .meta({ expected: "'auto', 'none', 'required' or {only: [tool names]}" });

const settings = z.strictObject({
  temperature: z.number().min(0).max(2).exactOptional(),
  maxOutputTokens: count(1).exactOptional(),
  stop: list(fullText, 100).exactOptional(),
  reasoning: z
    .strictObject({
      effort: z.enum(['none', 'minimal', 'low', 'medium', 'high']).exactOptional(),
      budgetTokens: count(0).exactOptional(),
    })
    .exactOptional(),
  /** Goes into the provider's request body as it is. */
  extra: jsonObject.exactOptional(),
});

const answer = fullText.superRefine(
  rule((said) => {
    const bytes = utf8Length(said);
    if (said.trim() === '') return [{ path: '', message: 'must say something' }];
    if (bytes <= limits.answer) return [];
    return [{ path: '', message: `has ${bytes} bytes; at most ${limits.answer} are taken` }];
  }),
);

const compact = z.strictObject({
  /** The tokens of the model's context. */
  contextTokens: count(1000),
  /** The share of them, by the provider's own count, at which older turns are summarised. Default 0.8. */
  at: z
    .number()
    .positive()
    .max(1)
    .meta({ expected: 'a number above 0 and at most 1' })
    .exactOptional(),
  /** Turns that stay as they are. Default 4. */
  keepTurns: count(0).exactOptional(),
  /** Writes the summary. Default: the agent's own. */
  model: model.exactOptional(),
});

const noTurns = z
  .custom<never>(() => false, {
    error:
      "is only for kind 'windowed': kind 'full' gives all turns; leave it out or change the kind",
  })
  .exactOptional();

const store = runnerId.exactOptional();

const memory = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('full'),
    turns: noTurns,
    /** Name of a memory store of the worker. Turns are written to it as well. */
    store,
    /** Summarises older turns when a thread nears the model's context limit. */
    compact: compact.exactOptional(),
  }),
  z.strictObject({
    kind: z.literal('windowed'),
    /** The last so many turns; 0 gives none. */
    turns: count(0).meta({ expected: 'a whole number of turns, 0 or more' }),
    store,
    compact: compact.exactOptional(),
  }),
]);

/** The fields that mean the same in code, in files and in specs. */
export const agentFields = {
  id: runnerId.meta({ description: 'Unique within all files of a spec' }),
  description: text.meta({ description: 'For people' }).exactOptional(),
  /** `'provider/model'`, such as `'openai/gpt-6.1-terra'` or `'ollama/llama3.1:8b'`. */
  model: model.meta({ description: "'provider/model', or {provider, model}" }),
  /** The system prompt. */
  instructions: text.meta({ description: 'The system prompt' }).exactOptional(),
  /** How many calls of one turn run at a time, 1 to 32. Default 16. */
  toolConcurrency: count(1, limits.maxToolConcurrency)
    .meta({ description: 'How many calls of one turn run at a time. Default 16' })
    .exactOptional(),
  /** Rounds of tool calls. Default 10. */
  maxIterations: count(0).meta({ description: 'Rounds of tool calls. Default 10' }).exactOptional(),
  /** Model calls in total. Default 2 × maxIterations + 5. */
  maxTurns: count(1)
    .meta({ description: 'Model calls in total. Default 2 × maxIterations + 5' })
    .exactOptional(),
  toolChoice: toolChoice
    .meta({ description: "'auto', 'none', 'required' or {only: [names]}" })
    .exactOptional(),
  settings: settings.meta({ description: 'Of the model calls' }).exactOptional(),
  /**
   * How the model asks a person: with a tool, with a marker in its text, or not at all (default). A text that starts with the
   * marker pauses the run all the same; `'never'` takes it as an answer, for agents that nobody attends.
   */
  askUser: z
    .literal(['tool', 'marker', false, 'never'])
    .meta({ description: "How the model asks a person: 'tool', 'marker', false, or 'never'" })
    .exactOptional(),
  /** What happens to a question that nobody answers in time. Default `fail`. */
  onInputTimeout: z
    .union([z.literal('fail'), z.strictObject({ answer })])
    .meta({
      description: "'fail', or {answer} to go on with",
      expected: "'fail' or {answer: 'text'}",
    })
    .exactOptional(),
  /** What happens when the model calls a tool that is not there. Default `retry`: the model is told. */
  onInvalidToolCall: z
    .enum(['retry', 'fail', 'ignore'])
    .meta({ description: "'retry', 'fail' or 'ignore': a call of a tool that is not there" })
    .exactOptional(),
  maxInvalidToolCalls: count(0)
    .meta({ description: 'How often the model is told of an invalid call' })
    .exactOptional(),
  /** Whose value counts where the caller's session and the store have the same key. */
  sessionPrecedence: z
    .enum(['caller', 'store'])
    .meta({ description: "Whose value of a session key counts: 'caller' or 'store'" })
    .exactOptional(),
  budget: budget.meta({ description: 'What a run may use' }).exactOptional(),
  /** What the agent is given of its thread's earlier turns. */
  memory: memory
    .meta({ description: 'What the agent is given of the earlier turns of its thread' })
    .exactOptional(),
};

/** Structured output is always an object or an array: a schema of anything else could never be met. */
export const outputSchema = jsonSchema.superRefine(
  rule((schema) => {
    const compiled = tryCompileSchema(schema);
    if (!compiled.ok) return compiled.problems;
    const { type } = schema;
    if (typeof type !== 'string' || type === 'object' || type === 'array') return [];
    return [{ path: '', message: `must describe an object or an array, not ${quote(type)}` }];
  }),
);

export const criterion = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('keyword'), keyword: fullText }),
  z.strictObject({
    kind: z.literal('structured-output'),
    schema: outputSchema.exactOptional(),
  }),
  z.strictObject({
    kind: z.literal('custom'),
    name: runnerId,
    /** Session keys the function on the worker reads. */
    session: sessionKeys.exactOptional(),
  }),
]);

/** Binds a called agent and everything below it. */
const policy = z.strictObject({
  disallowSubAgentCalls: flag.exactOptional(),
  disallowedAgentIds: list(runnerId, 500).exactOptional(),
});

/** What a runner says of itself as a tool of an agent. */
export const subAgentFields = {
  /** What the calling model sees it as. */
  name: toolName,
  description: fullText.meta({ description: 'What the calling model chooses it by' }),
  /** Binds the callee and everything below it. */
  policy: policy.exactOptional(),
  /** Default `return`: the calling model sees the failure. Circular and disallowed calls, budget and cancellation always end the run. */
  onError: z.enum(['return', 'fail']).exactOptional(),
};

/** An agent as data, for a schema of what stands in the place of a runner. */
export function agentSpecOf<Ref extends z.ZodType>(runner: Ref) {
  return z
    .strictObject({
      kind: z.literal('agent'),
      ...agentFields,
      /** Names of registered tools. */
      tools: distinct(toolName, 500).exactOptional(),
      subAgents: list(z.strictObject({ ...subAgentFields, runner }), 100).exactOptional(),
      /** MCP servers by name. When a run starts, their tools take their place in what it pins. */
      mcpServers: distinct(mcpServerName, 50).exactOptional(),
      criteria: list(criterion, 100).exactOptional(),
      /** Names of registered callbacks, in the order they run. */
      callbacks: distinct(runnerId, 100).exactOptional(),
      output: z.strictObject({ schema: outputSchema }).exactOptional(),
      inputTimeoutMs: count(1).exactOptional(),
    })
    .superRefine(rule(agentRules));
}

type Named = { readonly name: string };

/** The fields that rules across fields look at. */
type RuledAgent = {
  readonly tools?: readonly string[];
  readonly subAgents?: readonly Named[];
  readonly mcpServers?: readonly string[];
  readonly askUser?: 'tool' | 'marker' | false | 'never';
  readonly toolChoice?: Immutable<z.output<typeof toolChoice>>;
  readonly onInputTimeout?: unknown;
  readonly inputTimeoutMs?: number;
  readonly criteria?: readonly { readonly kind: string; readonly name?: string }[];
};

/** What is wrong with an agent whose fields are right by themselves. Whether its tools exist is the registry's to say. */
export function agentRules(spec: RuledAgent): readonly Problem[] {
  return [
    ...repeatedNames(spec),
    ...askUserProblems(spec),
    ...toolChoiceProblems(spec),
    ...timeoutProblems(spec),
    ...repeatedCriteria(spec),
  ];
}

/** Every name the model may call, in the order it is offered. */
function callableNames({ tools = [], subAgents = [] }: RuledAgent): string[] {
  return [...tools, ...subAgents.map(({ name }) => name)];
}

function repeatedNames(spec: RuledAgent): Problem[] {
  const names = callableNames(spec);
  const repeated = names.filter((name, index) => names.indexOf(name) < index);
  return repeated.map((name) => ({
    path: 'subAgents',
    message: `holds the name ${quote(name)}, which another tool of the agent has`,
  }));
}

function askUserProblems(spec: RuledAgent): Problem[] {
  const index = callableNames(spec).indexOf(askUserTool.name);
  if (spec.askUser !== 'tool' || index < 0) return [];
  const message = `must not be ${quote(askUserTool.name)}: that name is taken while askUser is 'tool'; rename the tool`;
  return [{ path: `tools[${index}]`, message }];
}

function toolChoiceProblems(spec: RuledAgent): Problem[] {
  const { toolChoice: choice, askUser } = spec;
  // The tools of its MCP servers are known when a run starts: the choice is checked again then.
  if (spec.mcpServers !== undefined) return [];
  const names = [...callableNames(spec), ...(askUser === 'tool' ? [askUserTool.name] : [])];
  if (choice === 'required' && names.length === 0) {
    return [{ path: 'toolChoice', message: `must not be 'required' for an agent without tools` }];
  }
  if (typeof choice !== 'object') return [];
  return choice.only.flatMap((name, index) => {
    if (names.includes(name)) return [];
    const message = `must be a tool of the agent, not ${quote(name)}${didYouMean(name, names)}`;
    return [{ path: joinPath('toolChoice.only', `[${index}]`), message }];
  });
}

function timeoutProblems({ onInputTimeout, inputTimeoutMs }: RuledAgent): Problem[] {
  if (onInputTimeout === undefined || inputTimeoutMs !== undefined) return [];
  const message = 'has no effect unless inputTimeout is set';
  return [{ path: 'onInputTimeout', message }];
}

function repeatedCriteria({ criteria = [] }: RuledAgent): Problem[] {
  const names = criteria.map(({ kind, name }) => (kind === 'custom' ? name : undefined));
  return eachNameOnce(names, 'criteria').map(({ path, message }) => ({
    path: joinPath('criteria', path),
    message,
  }));
}
