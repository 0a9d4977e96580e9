import { defineAgent, type Agent } from '../../src';
import type { AgentOptions } from '../../src/define/agent';
import type { ModelRequest } from '../../src/providers/provider';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';

/** What an agent's model says, call by call; the last step answers all further calls, too. */
export type Script = readonly [ScriptedStep, ...ScriptedStep[]];

/** Agents with a script each, and the one provider that serves all of them. */
export function scriptedAgents() {
  const scripts = new Map<string, Script>();
  const calls = new Map<string, number>();
  const step = async (request: ModelRequest) => {
    const script = scripts.get(request.model) ?? ['?'];
    // A run's own turns tell where it is; a run that starts again starts its script again.
    const turn = request.messages.filter(({ role }) => role === 'assistant').length;
    calls.set(request.model, (calls.get(request.model) ?? 0) + 1);
    const chosen = script[Math.min(turn, script.length - 1)] as ScriptedStep;
    return typeof chosen === 'function' ? await chosen(request) : chosen;
  };
  const provider = scriptedModel(
    Array.from({ length: 2_000 }, () => step),
    { name: 'scripted' },
  );
  return {
    provider,
    calls: (id: string): number => calls.get(id) ?? 0,
    agent: (id: string, script: Script, options: Partial<AgentOptions> = {}): Agent => {
      scripts.set(id, script);
      return defineAgent({ id, model: `scripted/${id}`, ...options });
    },
  };
}

/** The text of the request's last user message. */
export function lastText({ messages }: ModelRequest): string {
  const last = messages.findLast(({ role }) => role === 'user');
  return (last?.parts ?? []).map((part) => ('text' in part ? part.text : '')).join('');
}
