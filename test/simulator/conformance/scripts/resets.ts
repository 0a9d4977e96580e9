// Resets: what the new execution keeps, and what is told again.

import { randomUUID } from 'node:crypto';
import { sequential, subAgent } from 'longhaul';
import type { ScriptedStep } from 'longhaul/testing';
import {
  agent,
  asking,
  askUser,
  call,
  endOf,
  eventually,
  inputsOf,
  type Kit,
  type Script,
  tool,
} from '../kit';

const look = tool('look', () => 'seen');

/** Answers by how much the conversation has, so that a turn may come again. */
function byTurn(...steps: readonly ScriptedStep[]): readonly ScriptedStep[] {
  const step: ScriptedStep = ({ messages }) => {
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    return steps[Math.min(turn, steps.length - 1)] ?? 'Done.';
  };
  return Array.from({ length: 20 }, () => step);
}

type Run = Awaited<ReturnType<Kit['ask']>>;

/** Takes the run back to its n-th workflow task, counted from the end if negative. */
async function reset(
  kit: Kit,
  { workflowId }: Run,
  { task, excludes = [] }: { readonly task: number; readonly excludes?: readonly number[] },
): Promise<void> {
  const { workflowService } = kit.longhaul.client;
  const execution = { workflowId };
  const { history } = await workflowService.getWorkflowExecutionHistory({
    namespace: 'default',
    execution,
  });
  const completed = (history?.events ?? []).filter(
    (event) => event.workflowTaskCompletedEventAttributes,
  );
  await workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: execution,
    reason: 'test',
    requestId: randomUUID(),
    workflowTaskFinishEventId: completed.at(task)?.eventId ?? null,
    resetReapplyExcludeTypes: [...excludes],
  });
}

export const resets: readonly Script[] = [
  {
    name: 'a closed run that is reset to a turn',
    run: async (kit) => {
      const steps = byTurn(call('look'), call('look'), 'Done.');
      const run = await kit.ask(steps, { tools: [look] });
      const end = await endOf(run);
      const plan = await run.reset({ to: 2, reason: 'again' });
      return [end, plan !== undefined, await endOf(run)];
    },
  },
  {
    name: 'a waiting run that is reset to its first turn',
    run: async (kit) => {
      const run = await kit.ask(byTurn(askUser('Which?'), 'Done.'), asking);
      await inputsOf(run);
      await run.reset({ to: 1 });
      await inputsOf(run);
      await run.resume('this');
      return await endOf(run);
    },
  },
  {
    name: 'an answered run that is reset to before its answer',
    run: async (kit) => {
      const run = await kit.ask(byTurn(askUser('Which?'), 'Done.'), asking);
      await inputsOf(run);
      await run.resume('this');
      const end = await endOf(run);
      await run.reset({ to: 1 });
      await inputsOf(run);
      await run.resume('that');
      return [end, await endOf(run)];
    },
  },
  {
    name: 'steps that are reset to the second one',
    run: async (kit) => {
      const steps = [agent('plan'), agent('draft')];
      const root = sequential({ id: 'pipeline', steps });
      const run = await kit.begin(root, { plan: byTurn('Planned.'), draft: byTurn('Drafted.') });
      const end = await endOf(run);
      await run.reset({ to: 'draft' });
      return [end, await endOf(run)];
    },
  },
  {
    name: 'a reset by the server that tells signals again',
    run: async (kit) => {
      const run = await kit.ask(byTurn(askUser('Which?'), 'Done.'), asking);
      await inputsOf(run);
      await kit.handle(run).signal('resume', { answer: 'this', inputId: 'q1.0' });
      const end = await endOf(run);
      await reset(kit, run, { task: -2 });
      return [end, await endOf(run)];
    },
  },
  {
    name: 'a reset by the server that leaves signals out',
    run: async (kit) => {
      const run = await kit.ask(byTurn(askUser('Which?'), 'Done.'), asking);
      await inputsOf(run);
      await kit.handle(run).signal('resume', { answer: 'this', inputId: 'q1.0' });
      await endOf(run);
      await reset(kit, run, { task: -3, excludes: [1, 2] });
      await inputsOf(run);
      await run.resume('that');
      return await endOf(run);
    },
  },
  {
    name: 'a reset by the server that tells an update again',
    run: async (kit) => {
      const run = await kit.ask(byTurn(askUser('Which?'), 'Done.'), asking);
      await inputsOf(run);
      const args: [object] = [{ answer: 'this', inputId: 'q1.0' }];
      await kit.handle(run).executeUpdate('resume', { args });
      const end = await endOf(run);
      await reset(kit, run, { task: 1 });
      await inputsOf(run);
      await run.resume('that');
      return [end, await endOf(run)];
    },
  },
  {
    name: 'a reset to the beginning',
    run: async (kit) => {
      const run = await kit.ask(byTurn(call('look'), 'Done.'), { tools: [look] });
      const end = await endOf(run);
      await reset(kit, run, { task: 0 });
      return [end, await endOf(run)];
    },
  },
  {
    name: 'a reset while a sub-agent asks, which keeps it',
    compare: 'unordered',
    run: async (kit) => {
      const digger = agent('digger', asking);
      const tools = [subAgent(digger, { name: 'dig', description: 'Digs' })];
      const scripts = {
        manager: byTurn(call('dig', { input: 'it' }), 'Done.'),
        digger: byTurn(askUser('Where?'), 'Dug.'),
      };
      const run = await kit.begin(agent('manager', { tools }), scripts);
      const before = await inputsOf(run);
      await reset(kit, run, { task: -1 });
      await eventually('it is heard', async () => (await run.pending()).length === 1);
      const after = await inputsOf(run);
      await run.resume('here');
      return [before.length === after.length, await endOf(run)];
    },
  },
];
