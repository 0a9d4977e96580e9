import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../base/json';
import { describeValue } from '../../base/problem';
import { agentFields, criterion, outputSchema, subAgentFields } from './agent';
import {
  members,
  orchestrationFields,
  parallelFields,
  sequentialFields,
  taskFields,
} from './orchestration';
import {
  count,
  distinct,
  duration,
  fullText,
  jsonObject,
  jsonSchema,
  list,
  mcpServerName,
  modelParts,
  runnerId,
  text,
  toolName,
} from './parts';

// What files may say: the fields of code, and what stands in a file for what only code has. By our own names: see files/names.ts.

const path = fullText.meta({ expected: 'the path of a file', description: 'Of a file with it' });
const textOrFile = z
  .union([fullText, z.strictObject({ path })])
  .meta({ expected: 'a text, or {path} of a file' });

const provider = fullText.meta({
  expected: 'the name of a provider',
  description: "Where it stands, 'model' is the name of the model alone",
});
const model = z
  .union([fullText.meta({ expected: 'the name of a model' }), modelParts])
  .meta({ expected: "'provider/model' or {provider, model}" });

/** A runner in its place, and not the name of one. */
export function isInline(value: unknown): value is JsonObject {
  return isJsonObject(value) && !Object.hasOwn(value, 'ref');
}

/** What names a runner. A runner in its place is checked by itself: its own kind tells what it may have. */
export const runnerRef = z
  .union([runnerId, z.strictObject({ ref: runnerId }), z.custom<JsonObject>(isInline)])
  .meta({ id: 'runner', expected: 'the id of a runner, {ref: id}, or a runner' });

const needsApproval = z.literal(true).meta({
  expected: 'true (a spec may ask for approval, never drop it)',
  description: 'A person approves each call',
});
const tool = z
  .union([
    toolName,
    z.strictObject({ name: toolName, needsApproval: needsApproval.exactOptional() }),
  ])
  .meta({ expected: 'the name of a tool, or {name, needsApproval: true}' });

const callbacks = z
  .union([
    runnerId,
    z.strictObject({ name: runnerId.exactOptional(), kind: z.literal('logging').exactOptional() }),
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

const maxIterations = z.strictObject({ kind: z.literal('max-iterations'), limit: count(0) });

const agentFile = z.strictObject({
  kind: z.literal('agent').exactOptional(),
  ...agentFields,
  model: model.meta({ description: "'provider/model', or {provider, model}" }).exactOptional(),
  provider: provider.exactOptional(),
  instructions: textOrFile
    .meta({ description: 'The system prompt, or {path} of a file with it' })
    .exactOptional(),
  tools: distinctNames(tool, 500)
    .meta({
      description:
        'Names of tools, which are code; {name, needsApproval: true} lets a person approve each call',
    })
    .exactOptional(),
  subAgents: list(z.strictObject({ ...subAgentFields, runner: runnerRef }), 100)
    .meta({ description: 'Runners that the agent may call as tools' })
    .exactOptional(),
  mcpServers: distinct(mcpServerName, 50)
    .meta({ description: 'Names of MCP servers of the worker' })
    .exactOptional(),
  criteria: list(z.discriminatedUnion('kind', [...criterion.options, maxIterations]), 100)
    .meta({ description: 'When a text completes the run: any of these' })
    .exactOptional(),
  callbacks: distinctNames(callbacks, 100)
    .meta({ description: "Names of callbacks, which are code; 'logging' is built in" })
    .exactOptional(),
  output: z
    .strictObject({ schema: outputSchema })
    .meta({ description: 'The answer is JSON that matches {schema}' })
    .exactOptional(),
  inputTimeout: duration
    .meta({ description: "How long a question waits: '3 days', or milliseconds" })
    .exactOptional(),
});

const sequentialFile = z.strictObject({
  kind: z.literal('sequential'),
  ...sequentialFields,
  steps: members(runnerRef, 'runners'),
});

const parallelFile = z.strictObject({
  kind: z.literal('parallel'),
  ...parallelFields,
  branches: members(runnerRef, 'runners'),
});

const task = z.strictObject({
  ...taskFields,
  prompt: textOrFile.meta({ description: taskFields.prompt.description ?? '' }).exactOptional(),
  runner: runnerRef,
});

const graphFile = z.strictObject({
  kind: z.literal('graph'),
  ...orchestrationFields,
  tasks: members(task, 'tasks'),
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
    $schema: text.exactOptional(),
    agents: list(item('an agent: {id, model, …}'), 10_000).exactOptional(),
    workflows: list(
      item('a runner: {kind: sequential, parallel or graph, id, …}'),
      10_000,
    ).exactOptional(),
  })
  .meta({ expected: 'an object with agents, workflows or both' });

const texts = z
  .union([fullText, list(fullText, 100)])
  .meta({ expected: 'a text, or a list of texts' });

/** A prompt in a file of its own, as potato-agent has them. */
export const promptFile = z.strictObject({
  model: fullText.meta({ description: 'The model that gets it' }).exactOptional(),
  provider: fullText.meta({ description: 'Of that model' }).exactOptional(),
  messages: z
    .union([fullText, list(fullText, 100).min(1)])
    .meta({ expected: 'a text, or a list of texts', description: 'The prompt' }),
  systemInstructions: texts.meta({ description: 'The system prompt' }).exactOptional(),
  settings: jsonObject
    .meta({ description: "Go into the provider's request as they are" })
    .exactOptional(),
  responseFormat: jsonSchema
    .meta({ description: 'The answer is JSON that matches it' })
    .exactOptional(),
});
