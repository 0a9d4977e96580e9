import { z } from 'zod';
import { didYouMean, joinPath, type Problem, quote, utf8Length } from '../../base';
import { toolSchemaProblems } from '../../core/schema/schema-problem';
import { limits, timeouts } from '../../protocol/limits';
import { askUserTool, resultToolNames } from '../../protocol/names';
import { rule } from '../problems/from-zod';
import { contextOf, memory } from './memory';
import {
  budget,
  count,
  distinct,
  duration,
  eachNameOnce,
  flag,
  fullText,
  help,
  type Immutable,
  jsonObject,
  jsonSchema,
  kind,
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
    z.strictObject({
      only: distinct(toolName, 500).min(1).meta(help('Names of the tools that may be called')),
    }),
  ])
  .meta({ expected: "'auto', 'none', 'required' or {only: [tool names]}" });

const settings = z.strictObject({
  temperature: z
    .number()
    .min(0)
    .max(2)
    .meta(help('Lower values give more predictable answers'))
    .exactOptional(),
  maxOutputTokens: count(1).meta(help('The longest answer, in tokens')).exactOptional(),
  stop: list(fullText, 100).meta(help('The model stops before any of these texts')).exactOptional(),
  reasoning: z
    .strictObject({
      effort: z
        .enum(['none', 'minimal', 'low', 'medium', 'high'])
        .meta(help('How much the model thinks'))
        .exactOptional(),
      budgetTokens: count(0).meta(help('The tokens it may think with')).exactOptional(),
    })
    .meta(help('How the model thinks before it answers'))
    .exactOptional(),
  /** An object that goes into the provider's request body as it is. */
  extra: jsonObject.meta(help("Goes into the provider's request as it is")).exactOptional(),
});

const answer = fullText.superRefine(
  rule((said) => {
    const bytes = utf8Length(said);
    if (said.trim() === '') return [{ path: '', message: 'must say something' }];
    if (bytes <= limits.answer) return [];
    return [{ path: '', message: `has ${bytes} bytes; at most ${limits.answer} are taken` }];
  }),
);

const inlineTimeout = duration.superRefine(
  rule((ms) =>
    ms <= timeouts.longestInline
      ? []
      : [{ path: '', message: `must be at most ${timeouts.longestInline / 1_000} seconds` }],
  ),
);

/** The fields that mean the same in code, in files and in specs. */
export const agentFields = {
  id: runnerId.meta(help('The name of the agent; no other runner may have it')),
  description: text.meta(help('For people; the model does not see it')).exactOptional(),
  /** `'provider/model'`, such as `'openai/gpt-6.1-terra'` or `'ollama/llama3.1:8b'`. */
  model: model.meta(
    help('The model, after the name of its provider', { see: 'agents.md#providers' }),
  ),
  /** The system prompt. */
  instructions: text.meta(help('The system prompt')).exactOptional(),
  /** How many calls of one turn run at a time, 1 to 32. Default 16. */
  toolConcurrency: count(1, limits.maxToolConcurrency)
    .meta(help('How many calls of one turn run at a time', { byDefault: '16' }))
    .exactOptional(),
  /** Tools with effect `read` run in the activity of the model call, unless they cannot. Default false. */
  inlineReads: flag
    .meta(
      help('Tools with the effect `read` run in the activity of the model call', {
        byDefault: '`false`',
        see: 'tools.md#inline-tools',
      }),
    )
    .exactOptional(),
  /** How long the inline calls of a turn may take before they get separate activities. Default 10 seconds, at most a minute. */
  inlineTimeout: inlineTimeout
    .meta(
      help('How long inline calls may take before they get activities of their own', {
        byDefault: '10 seconds',
        see: 'tools.md#inline-tools',
      }),
    )
    .exactOptional(),
  /** Rounds of tool calls. Default 10. */
  maxIterations: count(0)
    .meta(help('Rounds of tool calls', { byDefault: '10', see: 'agents.md#limits' }))
    .exactOptional(),
  /** Model calls in total. Default 2 × maxIterations + 5. */
  maxTurns: count(1)
    .meta(
      help('Model calls of a run', {
        byDefault: '2 × `maxIterations` + 5',
        see: 'agents.md#limits',
      }),
    )
    .exactOptional(),
  toolChoice: toolChoice
    .meta(
      help('Whether the model may, must or must not call tools', {
        byDefault: '`auto`',
        see: 'agents.md#tool-choice',
      }),
    )
    .exactOptional(),
  settings: settings
    .meta(
      help('Settings of the model calls', {
        byDefault: "the provider's",
        see: 'agents.md#settings',
      }),
    )
    .exactOptional(),
  /**
   * How the model asks a person: with a tool, with a marker in its text, or not at all (default). A text that starts with the
   * marker pauses the run all the same; `'never'` takes it as an answer, for agents that nobody attends.
   */
  askUser: z
    .literal(['tool', 'marker', false, 'never'])
    .meta(
      help('How the model asks a person; with `never` it cannot ask at all', {
        byDefault: '`false`',
        see: 'agents.md#asking-a-person',
      }),
    )
    .exactOptional(),
  /** What happens to a question that nobody answers in time. Default `fail`. */
  onInputTimeout: z
    .union([
      z.literal('fail'),
      z.strictObject({ answer: answer.meta(help('The answer that the run goes on with')) }),
    ])
    .meta({
      expected: "'fail' or {answer: 'text'}",
      ...help('What happens when nobody answers within `inputTimeout`', { byDefault: '`fail`' }),
    })
    .exactOptional(),
  /** What happens when the model calls a tool that does not exist. Default `retry`: the model gets an error and may try again. */
  onInvalidToolCall: z
    .enum(['retry', 'fail', 'ignore'])
    .meta(
      help('What happens when the model calls an unknown or forbidden tool', {
        byDefault: '`retry`',
        see: 'agents.md#invalid-tool-calls',
      }),
    )
    .exactOptional(),
  maxInvalidToolCalls: count(0)
    .meta(help('How often the model is told of an invalid call', { byDefault: '3' }))
    .exactOptional(),
  /** Which value counts if the caller's session and the store have the same key. */
  sessionPrecedence: z
    .enum(['caller', 'store'])
    .meta(
      help('Whose value counts when the caller and the store have the same session key', {
        byDefault: '`caller`',
        see: 'memory.md#state-stores',
      }),
    )
    .exactOptional(),
  budget: budget
    .meta(
      help('Tokens and dollars that a run may use, with all it calls', {
        see: 'context.md#budgets',
      }),
    )
    .exactOptional(),
  /** Which earlier turns of its thread the agent gets. */
  memory: memory.exactOptional(),
  /** What happens when the prompt outgrows the model's context. Without it, nothing: such a call fails. */
  context: contextOf(model).exactOptional(),
};

// Fields that code and files spell in two ways, with one meaning.
export const criteriaHelp = help('When an answer completes the run: any of these does', {
  byDefault: 'any answer',
  see: 'agents.md#when-a-run-is-complete',
});
export const outputHelp = help('The answer is JSON that matches `schema`', {
  see: 'agents.md#structured-output',
});
export const inputTimeoutHelp = help('How long a question or an approval waits', {
  byDefault: 'for ever',
  see: 'agents.md#asking-a-person',
});

/** Structured output is always an object or an array: a schema of anything else could never be met. */
export const outputSchema = jsonSchema.superRefine(
  rule((schema) => {
    const problems = toolSchemaProblems(schema);
    if (problems.length > 0) return problems;
    const { type } = schema;
    if (typeof type !== 'string' || type === 'object' || type === 'array') return [];
    return [{ path: '', message: `must describe an object or an array, not ${quote(type)}` }];
  }),
);

export function criterionKind<Name extends string>(name: Name) {
  return kind(name, 'The kind of criterion', 'agents.md#when-a-run-is-complete');
}

export const criterion = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: criterionKind('keyword'),
    keyword: fullText.meta(help('The answer must contain this text')),
  }),
  z.strictObject({
    kind: criterionKind('structured-output'),
    schema: outputSchema.meta(help('The answer must be JSON that matches this')).exactOptional(),
  }),
  z.strictObject({
    kind: criterionKind('custom'),
    name: runnerId.meta(help('The name of a criterion of the worker')),
    /** Session keys the function on the worker reads. */
    session: sessionKeys
      .meta(
        help('Session keys that the criterion reads', {
          byDefault: "those of the criterion's code",
        }),
      )
      .exactOptional(),
  }),
]);

/** Binds a called agent and everything below it. */
const policy = z.strictObject({
  disallowSubAgentCalls: flag
    .meta(help('The callee, and everything below it, calls no agents'))
    .exactOptional(),
  disallowedAgentIds: list(runnerId, 500)
    .meta(help('Ids of runners that must not be called, at any depth below'))
    .exactOptional(),
});

/** The options of a runner as a tool of an agent. */
export const subAgentFields = {
  /** The name that the calling model sees. */
  name: toolName.meta(help('The name that the calling model sees')),
  description: fullText.meta(help('Tells the calling model when to use it')),
  /** Binds the callee and everything below it. */
  policy: policy.meta(help('What the callee, and everything below it, may call')).exactOptional(),
  /** Default `return`: the calling model sees the failure. Circular and disallowed calls, budget and cancellation always end the run. */
  onError: z
    .enum(['return', 'fail'])
    .meta(
      help('`return` shows the failure to the calling model, `fail` ends the run', {
        byDefault: '`return`',
      }),
    )
    .exactOptional(),
};

/** The schema of an agent as data. `runner` is the schema of a reference to a runner. */
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
    .superRefine(rule((spec) => agentRules(spec)));
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

type AgentRule = {
  readonly find: (spec: RuledAgent) => readonly Problem[];
  /** The fields of a file that it looks at. */
  readonly reads: readonly string[];
};

const agentRuleList: readonly AgentRule[] = [
  { find: repeatedNames, reads: ['tools', 'subAgents'] },
  { find: reservedNames, reads: ['tools', 'subAgents', 'askUser'] },
  {
    find: toolChoiceProblems,
    reads: ['tools', 'subAgents', 'mcpServers', 'askUser', 'toolChoice'],
  },
  { find: timeoutProblems, reads: ['inputTimeout', 'onInputTimeout'] },
  { find: repeatedCriteria, reads: ['criteria'] },
];

/**
 * Checks the rules across an agent's fields. Each field is right by itself. The registry checks whether the tools exist. `wrong` lists
 * fields that are left out because they are not right. Rules that read such a field are not checked.
 */
export function agentRules(
  spec: RuledAgent,
  { wrong = [] }: { readonly wrong?: readonly string[] } = {},
): readonly Problem[] {
  return agentRuleList.flatMap(({ find, reads }) =>
    reads.some((field) => wrong.includes(field)) ? [] : find(spec),
  );
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

function reservedNames(spec: RuledAgent): Problem[] {
  const takenBy = new Map<string, string>([
    ...(spec.askUser === 'tool' ? [[askUserTool.name, "while askUser is 'tool'"] as const] : []),
    ...Object.values(resultToolNames).map((name) => [name, 'for reading stored results'] as const),
  ]);
  const { length } = spec.tools ?? [];
  return callableNames(spec).flatMap((name, index) => {
    const use = takenBy.get(name);
    if (use === undefined) return [];
    const path = index < length ? `tools[${index}]` : `subAgents[${index - length}].name`;
    return [
      { path, message: `must not be ${quote(name)}: that name is taken ${use}; rename the tool` },
    ];
  });
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
