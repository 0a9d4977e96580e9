// What a model is asked, from a pinned definition and the folded log. Pure, and byte-stable: the same turns give the same prefix.

import { agentOf, criteriaOf, toolOf } from '../../core/agent-facts';
import { isJsonObject, type JsonSchema } from '../../base/json';
import type { Message } from '../../protocol/message';
import { askUserMarker, askUserTool, subAgentInputSchema } from '../../protocol/names';
import type { AgentSpec, Definition } from '../../protocol/spec';
import type { ModelRequest, ToolDeclaration } from '../../providers/provider';
import { sendableCalls } from './sendable-calls';
import { wholeCharacters } from './whole-characters';

export type ModelRequestInput = {
  readonly definition: Definition;
  readonly agentId: string;
  readonly messages: readonly Message[];
  readonly cacheKey: string;
};

export function toModelRequest({
  definition,
  agentId,
  messages,
  cacheKey,
}: ModelRequestInput): ModelRequest {
  const spec = agentOf(definition, agentId);
  const instructions = instructionsOf(spec);
  const schema = outputSchema(spec);
  return wholeCharacters({
    model: spec.model.model,
    ...(instructions !== undefined && { instructions }),
    messages: sendableCalls(messages),
    tools: toolsOf(definition, spec),
    toolChoice: toolChoiceOf(spec, messages),
    ...(schema !== undefined && { output: { name: 'output', schema } }),
    settings: spec.settings ?? {},
    cacheKey,
  });
}

/** A model that must call a tool in every turn never comes to an answer: after the first results it is free again. */
function toolChoiceOf(
  { toolChoice = 'auto' }: AgentSpec,
  messages: readonly Message[],
): ModelRequest['toolChoice'] {
  if (toolChoice === 'auto' || toolChoice === 'none') return toolChoice;
  return messages.some(({ role }) => role === 'tool') ? 'auto' : toolChoice;
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
    const { description, inputSchema } = toolOf(definition, name);
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

/** The schema the provider is given natively: the agent's output, or its structured-output criterion. */
function outputSchema(spec: AgentSpec): JsonSchema | undefined {
  for (const criterion of criteriaOf(spec)) {
    if (criterion.kind === 'structured-output' && isJsonObject(criterion.schema))
      return criterion.schema;
  }
  return undefined;
}
