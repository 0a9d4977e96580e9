import { defineAgent, sequential, type Sequential } from 'longhaul';

/** The second agent gets what the first one answered. */
export function planAndExecute(model: string): Sequential {
  const planner = defineAgent({
    id: 'planner',
    model,
    instructions: [
      'You are a planner. Outline the steps to complete the task, one line each, for somebody who sees nothing but your outline.',
      'If you are not told who the result is for, ask: ask_user, with two or three options.',
    ].join(' '),
    askUser: 'tool',
    inputTimeout: '7 days',
  });
  const executor = defineAgent({
    id: 'executor',
    model,
    instructions: 'You are an executor. Carry out the plan you are given; answer with the result.',
  });
  return sequential({ id: 'plan-and-execute', steps: [planner, executor], passOutput: true });
}
