import {
  defineAgent,
  defineTool,
  type Agent,
  type AgentOptions,
  type Tool,
  type ToolDefinition,
} from '../../src';
import type { JsonObject } from '../../src/base/json';
import type { JsonSchemaLiteral } from '../../src/define/tool';
import type { AgentRunResult } from '../../src/protocol/run';
import {
  scriptedModel,
  type ScriptedModel,
  type ScriptedStep,
} from '../../src/testing/scripted-model';

/** The agents of a file's tests. Each has a model of its own, so one worker serves all tests. */
export class TestAgents {
  readonly runners: Agent[] = [];
  readonly providers: Record<string, ScriptedModel> = {};

  agent(
    id: string,
    steps: readonly ScriptedStep[],
    options: Partial<AgentOptions> = {},
  ): { readonly agent: Agent; readonly model: ScriptedModel } {
    const model = scriptedModel(steps);
    const agent = defineAgent({ id, model: `${id}/one`, ...options });
    this.providers[id] = model;
    this.runners.push(agent);
    return { agent, model };
  }
}

type Definition = ToolDefinition<JsonSchemaLiteral, JsonObject>;

/** A tool that takes any arguments. */
export function aTool(
  name: string,
  execute: Definition['execute'],
  options: Partial<Definition> = {},
): Tool<JsonObject> {
  const inputSchema = { type: 'object', properties: {} };
  return defineTool({
    name,
    description: `Does ${name}`,
    inputSchema,
    execute,
    ...options,
  });
}

/** A model turn that calls one tool. */
export const callOf = (name: string, args: JsonObject = {}): ScriptedStep => ({
  toolCalls: [{ name, args }],
});

/** A model turn that asks a person. */
export const askUser = (question: string, options?: string[]): ScriptedStep =>
  callOf('ask_user', { question, ...(options && { options }) });

/** What a run that ends with `text` comes to, whose models were called `calls` times by their scripts' standard usage. */
export function resultOf(text: string, rest: Partial<AgentRunResult> & { calls?: number } = {}) {
  const { calls = 1, ...facts } = rest;
  const unreported = { cacheReadTokens: null, cacheWriteTokens: null, reasoningTokens: null };
  const result: AgentRunResult = {
    finalResponse: { text, content: [{ type: 'text', text }] },
    iterations: 0,
    completionReason: 'text response',
    usage: {
      inputTokens: calls * 10,
      outputTokens: calls * 5,
      totalTokens: calls * 15,
      ...unreported,
    },
    session: {},
    ...facts,
  };
  return result;
}
