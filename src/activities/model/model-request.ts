// Makes the request to a model, from a pinned definition and the folded log. Pure: the same turns give the same bytes at the start.

import { agentOf, criteriaOf, toolSpecOf } from '../../core/loop-config';
import { CallIds, defined, isJsonObject, type JsonSchema } from '../../base';
import {
  type AgentSpec,
  askUserMarker,
  askUserTool,
  type AssistantMessage,
  type Definition,
  idPatterns,
  type Message,
  subAgentInputSchema,
  type ToolCallPart,
  type ToolResult,
} from '../../protocol';
import type { ModelRequest, ToolDeclaration } from '../../providers';

/** Stands in for a tool name that the model made up and that no provider would take back. */
const placeholderName = 'invalid_name';

export type ModelRequestInput = {
  readonly definition: Definition;
  readonly agentId: string;
  readonly messages: readonly Message[];
  /** True if a tool call of the run has its result. */
  readonly hasResults: boolean;
  readonly cacheKey: string;
};

export function toModelRequest({
  definition,
  agentId,
  messages,
  hasResults,
  cacheKey,
}: ModelRequestInput): ModelRequest {
  const spec = agentOf(definition, agentId);
  const instructions = instructionsOf(spec);
  const schema = requestedSchema(spec);
  return wholeCharacters({
    model: spec.model.model,
    ...defined({ instructions }),
    messages: sendableCalls(messages),
    tools: toolsOf(definition, spec),
    toolChoice: toolChoiceOf(spec, hasResults),
    ...(schema !== undefined && { output: { name: 'output', schema } }),
    settings: spec.settings ?? {},
    cacheKey,
  });
}

/** A forced tool call applies until the first results. A model that must call a tool in every turn would never answer. */
function toolChoiceOf(
  { toolChoice = 'auto' }: AgentSpec,
  hasResults: boolean,
): ModelRequest['toolChoice'] {
  return hasResults && toolChoice !== 'none' ? 'auto' : toolChoice;
}

function instructionsOf(spec: AgentSpec): string | undefined {
  if (spec.askUser !== 'marker') return spec.instructions;
  const marker =
    `When you cannot go on without information that only the user has, reply with nothing but ` +
    `"${askUserMarker} " followed by your question. Their answer comes as the next message.`;
  return spec.instructions === undefined ? marker : `${spec.instructions}\n\n${marker}`;
}

function toolsOf(definition: Definition, spec: AgentSpec): ToolDeclaration[] {
  const own = (spec.tools ?? []).map((name) => {
    const { description, inputSchema } = toolSpecOf(definition, name);
    return { name, description, inputSchema };
  });
  const callees = (spec.subAgents ?? []).map(({ name, description }) => ({
    name,
    description,
    inputSchema: subAgentInputSchema,
  }));
  const offered = [...own, ...callees];
  return spec.askUser === 'tool' ? [...offered, askUserTool] : offered;
}

/** The schema of the agent's structured-output criterion, which the provider gets natively. */
function requestedSchema(spec: AgentSpec): JsonSchema | undefined {
  for (const criterion of criteriaOf(spec)) {
    if (criterion.kind === 'structured-output' && isJsonObject(criterion.schema))
      return criterion.schema;
  }
  return undefined;
}

/**
 * The messages, with tool calls that every provider accepts. Providers refuse a request if a call's name is not a tool name or if an id
 * occurs twice, and some models and gateways write such calls. The log keeps the original names and ids. A call depends only on the
 * calls before it, so the requests of later turns begin with the same bytes.
 */
export function sendableCalls(messages: readonly Message[]): readonly Message[] {
  const ids = new CallIds();
  return messages.map((message) => {
    if (message.role === 'assistant') return sendableTurn(message, ids);
    if (message.role !== 'tool') return message;
    const parts = message.parts.map((result) => sendable(result, ids.result(result.callId)));
    return { ...message, parts };
  });
}

function sendableTurn(message: AssistantMessage, ids: CallIds): AssistantMessage {
  ids.startTurn();
  const parts = message.parts.map((part) =>
    part.type === 'tool_call' ? sendable(part, ids.unused(part.callId)) : part,
  );
  return { ...message, parts };
}

function sendable<Part extends ToolCallPart | ToolResult>(part: Part, callId: string): Part {
  return { ...part, callId, name: idPatterns.tool.test(part.name) ? part.name : placeholderName };
}

export function wholeCharacters<Value>(value: Value): Value {
  return isWhole(value) ? value : (mended(value) as Value);
}

function isWhole(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(
    ([key, member]) => key === 'sealed' || (key.isWellFormed() && isWhole(member)),
  );
}

function mended(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(mended);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]: [string, unknown]) => [
      key.toWellFormed(),
      key === 'sealed' ? member : mended(member),
    ]),
  );
}
