import { z } from 'zod';
import { describeValue, isJsonObject, type JsonObject } from '../../base';
import {
  agentFields,
  criteriaHelp,
  criterion,
  criterionKind,
  inputTimeoutHelp,
  outputHelp,
  outputSchema,
  subAgentFields,
} from './agent';
import { approvalData } from './approval';
import { contextOf } from './memory';
import {
  branchesHelp,
  members,
  orchestrationFields,
  parallelFields,
  sequentialFields,
  stepsHelp,
  taskFields,
  taskPromptHelp,
  taskRunnerHelp,
  tasksHelp,
} from './orchestration';
import {
  count,
  distinct,
  duration,
  fullText,
  help,
  jsonObject,
  jsonSchema,
  kind,
  list,
  mcpServerName,
  modelInFile,
  runnerId,
  text,
  toolName,
} from './parts';
import { resultFields, toolFields, toolInput, toolResult } from './tool';

// The schemas of files: the fields of code, and replacements for what only code has. They use our own names: see files/names.ts.

const path = fullText.meta({
  expected: 'the path of a file',
  ...help('The path of a file with the text', { see: 'specs.md#prompt-files' }),
});
const textOrFile = z
  .union([fullText, z.strictObject({ path })])
  .meta({ expected: 'a text, or {path} of a file' });

const provider = fullText.meta({
  expected: 'the name of a provider',
  ...help("The name of the provider; `model` is then the provider's name of the model alone"),
});
/** True for a whole runner in place of a reference. */
export function isInline(value: unknown): value is JsonObject {
  return isJsonObject(value) && !Object.hasOwn(value, 'ref');
}

/** A reference to a runner. An inline runner in its place is checked separately, by the schema of its kind. */
export const runnerRef = z
  .union([runnerId, z.strictObject({ ref: runnerId }), z.custom<JsonObject>(isInline)])
  .meta({ id: 'runner', expected: 'the id of a runner, {ref: id}, or a runner' });

const naming = { see: 'specs.md#naming-runners' };

const needsApproval = z.union([z.literal(true), approvalData]).meta({
  expected: 'true or an object of rules (a spec may ask for approval, never drop it)',
});
const approvalsInSpecs = { see: 'approvals.md#in-specs' };

/** Files have no other kind of schema. */
const schemaInFile: z.ZodType<unknown> = jsonSchema;

/** A tool without code. Its fields mean what the options of `defineTool` mean. */
export const toolFile = z.strictObject({
  name: toolFields.name.meta(help('The name of the tool; no tool in code may have it')),
  description: toolFields.description,
  inputSchema: schemaInFile
    .pipe(toolInput)
    .meta(help('The arguments: a JSON Schema of an object', { see: 'tools.md#schemas-and-types' })),
  result: z.literal('client').meta({
    expected: "'client' (any other tool has code: write it with defineTool)",
    ...help('The client of the run gives the result', {
      see: 'tools.md#results-from-elsewhere',
    }),
  }),
  resultSchema: schemaInFile
    .pipe(toolResult)
    .meta(help('What the result must be', { byDefault: 'any JSON' }))
    .exactOptional(),
  resultTimeout: resultFields.resultTimeout,
  needsApproval: needsApproval
    .meta(help('A person approves each call, by these rules', approvalsInSpecs))
    .exactOptional(),
});

const tool = z
  .union([
    toolName,
    z.strictObject({
      name: toolName.meta(help('The name of a tool of the worker or of the spec')),
      needsApproval: needsApproval
        .meta(
          help(
            'A person approves each call, by these rules. All agents of the spec have the same rules for a tool; a tool that asks for approval by itself always needs it, and keeps rules of its own',
            approvalsInSpecs,
          ),
        )
        .exactOptional(),
    }),
  ])
  .meta({ expected: 'the name of a tool, or {name, needsApproval}' });

const callbacks = z
  .union([
    runnerId,
    z.strictObject({
      name: runnerId.meta(help('The name of callbacks of the worker')).exactOptional(),
      kind: kind('logging', 'The same as the name `logging`').exactOptional(),
    }),
  ])
  .superRefine((item, context) => {
    if (typeof item === 'string' || (item.name === undefined) !== (item.kind === undefined)) return;
    const rule = 'must have the name of callbacks, or the type of built-in ones';
    const message = item.name === undefined ? rule : `${rule}, not both`;
    context.addIssue({ code: 'custom', message });
  })
  .meta({ expected: 'the name of callbacks, or {name}' });

type NamedItem =
  string | { readonly name?: string | undefined; readonly kind?: string | undefined };

export function nameOf(item: NamedItem): string {
  return typeof item === 'string' ? item : (item.name ?? item.kind ?? '');
}

function distinctNames<Item extends z.ZodType<NamedItem>>(item: Item, most: number) {
  return list(item, most).superRefine((items, context) => {
    const names = (items as readonly NamedItem[]).map(nameOf);
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) === index) continue;
      const message = `lists ${describeValue(name)} a second time`;
      context.addIssue({ code: 'custom', message, path: [index] });
    }
  });
}

const maxIterations = z.strictObject({
  kind: criterionKind('max-iterations'),
  limit: count(0).meta(help('Rounds of tool calls; counts before the field `maxIterations`')),
});

const agentFile = z.strictObject({
  kind: kind('agent', 'May be left out').exactOptional(),
  ...agentFields,
  model: modelInFile
    .meta({
      expected:
        "'provider/model', such as 'openai/gpt-6.1-terra', {provider, model}, or a model beside 'provider' or with POTATO_HEAD_DEFAULT_PROVIDER set",
      ...help('The model, after the name of its provider. Required, unless prompt files name it', {
        see: 'agents.md#providers',
      }),
    })
    .exactOptional(),
  provider: provider.exactOptional(),
  context: contextOf(modelInFile).exactOptional(),
  instructions: textOrFile.meta(help('The system prompt')).exactOptional(),
  tools: distinctNames(tool, 500)
    .meta(help('Names of tools of the worker or of the spec, or objects', { see: 'tools.md' }))
    .exactOptional(),
  subAgents: list(
    z.strictObject({ ...subAgentFields, runner: runnerRef.meta(help('Who is called', naming)) }),
    100,
  )
    .meta(
      help('Runners that the agent may call as tools', { see: 'orchestration.md#agents-as-tools' }),
    )
    .exactOptional(),
  mcpServers: distinct(mcpServerName, 50)
    .meta(help('Names of MCP servers of the worker', { see: 'tools.md#mcp-servers' }))
    .exactOptional(),
  criteria: list(z.discriminatedUnion('kind', [...criterion.options, maxIterations]), 100)
    .meta(criteriaHelp)
    .exactOptional(),
  callbacks: distinctNames(callbacks, 100)
    .meta(
      help('Names of callbacks of the worker, in the order they run; `logging` is built in', {
        see: 'agents.md#callbacks',
      }),
    )
    .exactOptional(),
  output: z
    .strictObject({
      schema: outputSchema.meta(help('A JSON Schema of an object or an array')),
    })
    .meta(outputHelp)
    .exactOptional(),
  inputTimeout: duration.meta(inputTimeoutHelp).exactOptional(),
});

const sequentialFile = z.strictObject({
  kind: kind('sequential', 'The kind of runner'),
  ...sequentialFields,
  steps: members(runnerRef, 'runners').meta({ ...stepsHelp, ...naming }),
});

const parallelFile = z.strictObject({
  kind: kind('parallel', 'The kind of runner'),
  ...parallelFields,
  branches: members(runnerRef, 'runners').meta({ ...branchesHelp, ...naming }),
});

const task = z.strictObject({
  ...taskFields,
  prompt: textOrFile.meta(taskPromptHelp).exactOptional(),
  runner: runnerRef.meta({ ...taskRunnerHelp, ...naming }),
});

const graphFile = z.strictObject({
  kind: kind('graph', 'The kind of runner'),
  ...orchestrationFields,
  tasks: members(task, 'tasks').meta(tasksHelp),
});

export const runnerFiles = {
  agent: agentFile,
  sequential: sequentialFile,
  parallel: parallelFile,
  graph: graphFile,
};

export const workflowFile = z.discriminatedUnion('kind', [sequentialFile, parallelFile, graphFile]);
export const anyRunnerFile = z.discriminatedUnion('kind', [
  agentFile.extend({ kind: z.literal('agent') }),
  ...workflowFile.options,
]);

const item = (expected: string) => z.custom<JsonObject>(isJsonObject).meta({ expected });

/** A file, or one document of it. Its runners are checked one by one. */
export const documentFile = z
  .strictObject({
    $schema: text
      .meta(
        help('For editors: where the JSON Schema of the format is', { see: 'specs.md#editors' }),
      )
      .exactOptional(),
    agents: list(item('an agent: {id, model, …}'), 10_000).meta(help('The agents')).exactOptional(),
    workflows: list(item('a runner: {kind: sequential, parallel or graph, id, …}'), 10_000)
      .meta(help('The orchestrations: sequentials, parallels and graphs'))
      .exactOptional(),
    tools: list(item('a tool: {name, description, inputSchema, result: client}'), 500)
      .meta(
        help('Tools without code, which the agents of the spec may name', {
          see: 'specs.md#tools-without-code',
        }),
      )
      .exactOptional(),
  })
  .meta({ expected: 'an object with agents, workflows or tools' });

const texts = z
  .union([fullText, list(fullText, 100)])
  .meta({ expected: 'a text, or a list of texts' });

/** A separate file with a prompt, as potato-agent has them. */
export const promptFile = z.strictObject({
  model: modelInFile.meta(help('The model that gets the prompt')).exactOptional(),
  provider: fullText.meta(help('The provider of that model')).exactOptional(),
  messages: z.union([fullText, list(fullText, 100).min(1)]).meta({
    expected: 'a text, or a list of texts',
    ...help('The prompt; the texts of a list are joined'),
  }),
  systemInstructions: texts.meta(help('The system prompt')).exactOptional(),
  settings: jsonObject.meta(help("Go into the provider's request as they are")).exactOptional(),
  responseFormat: jsonSchema
    .meta(help('A JSON Schema: the answer is JSON that matches it'))
    .exactOptional(),
});
