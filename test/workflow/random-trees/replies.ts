import type { ModelRequest } from '../../../src/providers/provider';
import type { ScriptedStep, ScriptedToolCall } from '../../../src/testing/scripted-model';
import { ProviderError } from '../../../src';
import { hashOf } from '../../../scripts/torture/random.mts';
import { toolName, type Act, type AgentNode } from './tree';

/** Where an act stands: what it asks and what it writes are named by it. */
export type Place = { readonly agent: string; readonly turn: number; readonly index: number };

export const markOf = ({ agent, turn, index }: Place): string => `${agent}.${turn}.${index};`;

/** What the agent's model says next, told by its conversation alone. */
export function nextStep(node: AgentNode, request: ModelRequest): ScriptedStep {
  const number = request.messages.filter(({ role }) => role === 'assistant').length;
  const turn = node.turns[number];
  const place = { agent: node.id, turn: number };
  if (turn?.kind === 'marker') return `__ask_user__: ${markOf({ ...place, index: 0 })}`;
  if (turn !== undefined)
    return { toolCalls: turn.acts.map((act, index) => toolCall(act, { ...place, index })) };
  if (node.ending === 'limit')
    return { toolCalls: [{ name: 'write', args: { key: 'a', value: '' } }] };
  if (node.ending === 'provider') return { error: new ProviderError('rejected', 'not this one') };
  const [input = '', ...results] = readConversation(request);
  return finalText(node.id, input, results);
}

/** The final text tells what the agent was given and what came of all it asked and called. Long ones are cut, but still differ. */
export function finalText(id: string, input: string, results: readonly string[]): string {
  const text = `${id}(${input})[${results.join(',')}]`;
  return text.length <= 100 ? text : `${text.slice(0, 80)}~${hashOf(text).toString(36)}`;
}

function toolCall(act: Act, place: Place): ScriptedToolCall {
  const value = markOf(place);
  if (act.kind === 'ask') return { name: 'ask_user', args: { question: value } };
  if (act.kind === 'call') return { name: toolName(act.callee), args: { input: value } };
  return { name: act.kind, args: { key: 'key' in act ? act.key : 'a', value } };
}

/** The input, then the results of all calls and questions, in order. */
function readConversation({ messages }: ModelRequest): readonly string[] {
  return messages.flatMap((message): readonly string[] => {
    if (message.role === 'user') return [textOf(message.parts)];
    if (message.role !== 'tool') return [];
    return message.parts.map(({ name, isError, content }) => {
      if (name === 'guard') return isError ? 'no' : 'yes';
      return isError ? '!' : textOf(content);
    });
  });
}

function textOf(parts: readonly object[]): string {
  return parts.map((part) => ('text' in part ? String(part.text) : '')).join('');
}
