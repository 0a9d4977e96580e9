import type { ModelRequest } from '../provider';

type Choice<Named, Several> = { tool_choice?: 'auto' | 'none' | 'required' | Named | Several };

type ResponsesToolChoice = Choice<
  { type: 'function'; name: string },
  { type: 'allowed_tools'; mode: 'required'; tools: { type: 'function'; name: string }[] }
>;

type ChatToolChoice = Choice<
  { type: 'function'; function: { name: string } },
  {
    type: 'allowed_tools';
    allowed_tools: { mode: 'required'; tools: { type: 'function'; function: { name: string } }[] };
  }
>;

/** The tools stay as they are whatever the choice, so that the cached prefix holds. */
export function toResponsesToolChoice({ tools, toolChoice }: ModelRequest): ResponsesToolChoice {
  if (tools.length === 0) return {};
  if (typeof toolChoice === 'string') return { tool_choice: toolChoice };
  const named = toolChoice.only.map((name) => ({ type: 'function' as const, name }));
  const [first] = named;
  if (first === undefined) return { tool_choice: 'none' };
  if (named.length === 1) return { tool_choice: first };
  return { tool_choice: { type: 'allowed_tools', mode: 'required', tools: named } };
}

/** Compatible servers do not know `allowed_tools`: see `offeredTools`. */
export function toChatToolChoice(request: ModelRequest, ownHost: boolean): ChatToolChoice {
  const { tools, toolChoice } = request;
  if (tools.length === 0) return {};
  if (typeof toolChoice === 'string') return { tool_choice: toolChoice };
  const named = toolChoice.only.map((name) => ({ type: 'function' as const, function: { name } }));
  const [first] = named;
  if (first === undefined) return { tool_choice: 'none' };
  if (named.length === 1) return { tool_choice: first };
  if (!ownHost) return { tool_choice: 'required' };
  return {
    tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: named } },
  };
}

/** What a server that cannot restrict the choice is offered: only the allowed tools. */
export function offeredTools(
  { tools, toolChoice }: ModelRequest,
  ownHost: boolean,
): ModelRequest['tools'] {
  if (ownHost || typeof toolChoice === 'string' || toolChoice.only.length < 2) return tools;
  return tools.filter((tool) => toolChoice.only.includes(tool.name));
}
