// Goes on from a restored state with answers that are always the same, and says what each step was.
import type { AgentRun } from '../../../src/agent-run/agent-run.ts';
import type { AgentMachine } from '../../../src/core/machine/agent-machine.ts';
import type { Plan } from '../../../src/core/orchestration/plan.ts';

const mostSteps = 8;

const usage = {
  inputTokens: 5,
  outputTokens: 7,
  totalTokens: 12,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
};

/** An answer of the model: the last one for all these runs. */
const answer = { content: [{ type: 'text', text: '{"sum":3}' }], usage, tools: ['add'] } as const;

const resultOf = ({ callId, name }: { readonly callId: string; readonly name: string }) =>
  ({
    type: 'tool_result',
    callId,
    name,
    isError: false,
    content: [{ type: 'text', text: '3' }],
  }) as const;

export function playAgentRun(run: AgentRun): unknown {
  const restored = { messages: run.messages, usage: run.usage, pending: run.pendingInputs };
  const results = (calls: Parameters<Feed>[0]): void =>
    run.toolResults(calls.map(({ call }) => resultOf(call)));
  return { ...restored, steps: stepsOf(run, results) };
}

export function playMachine(machine: AgentMachine): unknown {
  const { turn, iterations } = machine;
  let count = 0;
  const results = (calls: Parameters<Feed>[0]): void => {
    for (const { call, turn: of, index } of calls) {
      count += 1;
      const result = { ...resultOf(call), turn: of, index };
      machine.toolResult({ id: `sample-${count}`, kind: 'tool-result', result });
    }
  };
  return { turn, iterations, steps: stepsOf(machine, results) };
}

type Feed = (
  calls: Extract<ReturnType<AgentMachine['nextStep']>, { readonly kind: 'call-tools' }>['calls'],
) => void;

function stepsOf(machine: AgentMachine, feedResults: Feed): unknown[] {
  const steps: unknown[] = [];
  while (steps.length < mostSteps) {
    if (machine.pendingInvalidToolCall !== undefined) {
      steps.push({ kind: 'invalid', context: machine.pendingInvalidToolCall });
      machine.resolveInvalidToolCall({ kind: 'repair', name: 'add' });
    }
    try {
      const step = machine.nextStep();
      steps.push(step);
      if (step.kind === 'done') break;
      if (step.kind === 'call-model') machine.modelResponse(answer);
      else if (step.kind === 'call-tools') feedResults(step.calls);
      else answerInput(machine);
    } catch (error) {
      const { name, message } = error as Error;
      steps.push({ kind: 'error', name, message });
      break;
    }
  }
  return JSON.parse(JSON.stringify(steps)) as unknown[];
}

function answerInput(machine: AgentMachine): void {
  const [input] = machine.pendingInputs;
  if (input === undefined) throw new Error('it waits for nothing');
  const { inputId, kind } = input;
  if (kind === 'question') machine.answer({ inputId, text: 'an oak' });
  else if (kind === 'approval') machine.approve(inputId);
  else machine.complete(inputId, { value: '3', isError: false });
}

export function playPlan(plan: Plan): unknown {
  const steps: unknown[] = [];
  for (let number = 1; plan.outcome === undefined && number <= mostSteps; number += 1) {
    const { ready, toStart } = plan;
    steps.push({ ready, toStart });
    for (const { key } of ready) plan.take(key);
    for (const { key } of ready) {
      if (plan.outcome !== undefined) break;
      const text = `Text ${number}.`;
      plan.completed(key, {
        finalResponse: { text, content: [{ type: 'text', text }] },
        iterations: 1,
        completionReason: 'text response',
        delta: { set: { [`after-${key}`]: number }, removed: [] },
        spend: { usage },
      });
    }
  }
  return JSON.parse(
    JSON.stringify({ steps, outcome: plan.outcome ?? null, session: plan.session }),
  ) as unknown;
}
