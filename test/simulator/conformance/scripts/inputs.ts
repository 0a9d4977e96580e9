// Questions and approvals: answered by update and by signal, refused, sent twice, late.

import {
  agent,
  asking,
  askUser,
  call,
  calls,
  ended,
  endOf,
  eventually,
  inputsOf,
  type Kit,
  modelsOf,
  type Script,
  tool,
} from '../kit';

const echo = askingEcho();
const refund = tool('refund', ({ amount }) => `refunded ${Number(amount)}`, {
  needsApproval: true,
});

function askingEcho() {
  return ({ messages }: { readonly messages: readonly { readonly parts: unknown }[] }): string =>
    JSON.stringify(messages.at(-1)?.parts);
}

async function asked(kit: Kit): Promise<Awaited<ReturnType<Kit['ask']>>> {
  const run = await kit.ask([askUser('Which?'), echo], asking);
  await inputsOf(run);
  return run;
}

export const inputs: readonly Script[] = [
  {
    name: 'an answer by update',
    compare: 'all',
    run: async (kit) => {
      const run = await asked(kit);
      await run.resume('this');
      return await endOf(run);
    },
  },
  {
    name: 'an answer by signal',
    run: async (kit) => {
      const run = await asked(kit);
      await kit.handle(run).signal('resume', 'this');
      return await endOf(run);
    },
  },
  {
    name: 'signals that are refused',
    run: async (kit) => {
      const run = await asked(kit);
      const handle = kit.handle(run);
      for (const bad of [42, null, { answer: '' }]) await handle.signal('resume', bad);
      await eventually('the refusals', async () => (await run.state()).rejected.length === 3);
      await handle.signal('nobody-listens', 'x');
      await run.resume('this');
      return await endOf(run);
    },
  },
  {
    name: 'updates that the validator refuses',
    run: async (kit) => {
      const run = await asked(kit);
      const handle = kit.handle(run);
      const update = (name: string, input: unknown): Promise<unknown> =>
        handle.executeUpdate(name, { args: [input] });
      const refused = [
        await ended(update('resume', { answer: '' })),
        await ended(update('resume', { answer: 'this', inputId: 'nothing' })),
        await ended(update('approve', { inputId: 'q1.0' })),
        await ended(run.resume('this', { inputId: 'nothing' })),
      ];
      await run.resume('this');
      return [refused, await endOf(run)];
    },
  },
  {
    name: 'an update that no code knows',
    run: async (kit) => {
      const run = await asked(kit);
      const handle = kit.handle(run);
      const { error } = (await ended(handle.executeUpdate('nobody-listens'))) as { error: string };
      await run.resume('this');
      return [error, await endOf(run)];
    },
  },
  {
    name: 'the same update id twice',
    run: async (kit) => {
      const run = await asked(kit);
      const handle = kit.handle(run);
      const args: [object] = [{ answer: 'this', inputId: 'q1.0' }];
      const options = { args, updateId: 'one' };
      const first = await ended(handle.executeUpdate('resume', options));
      const end = await endOf(run);
      return [first, end, await ended(handle.executeUpdate('resume', options))];
    },
  },
  {
    name: 'a refused update id that comes again',
    run: async (kit) => {
      const run = await asked(kit);
      const handle = kit.handle(run);
      const send = (answer: string): Promise<unknown> =>
        handle.executeUpdate('resume', {
          args: [{ answer, inputId: 'q1.0' }],
          updateId: 'one',
        });
      return [await ended(send('')), await ended(send('this')), await endOf(run)];
    },
  },
  {
    name: 'an update by its handle',
    run: async (kit) => {
      const run = await asked(kit);
      const handle = kit.handle(run);
      const update = await handle.startUpdate('outcome', {
        args: [{ afterPause: 1 }],
        updateId: 'two',
        waitForStage: 'ACCEPTED',
      });
      await run.resume('this');
      const found = handle.getUpdateHandle('two');
      const results = [await ended(update.result()), await ended(found.result())];
      const known = results.map((result) => Object.keys(result as object));
      const { error } = (await ended(handle.getUpdateHandle('three').result())) as {
        error: string;
      };
      return [known, error, await endOf(run)];
    },
  },
  {
    name: 'the same answer twice, and another one',
    run: async (kit) => {
      const run = await kit.ask([askUser('First?'), askUser('Second?'), 'Done.'], asking);
      const [first = ''] = await inputsOf(run);
      await run.resume('one', { inputId: first });
      await eventually('the second question', async () => !(await inputsOf(run)).includes(first));
      const again = [
        await ended(run.resume('one', { inputId: first })),
        await ended(run.resume('other', { inputId: first })),
      ];
      await run.resume('two');
      return [again, await endOf(run), await ended(run.resume('three'))];
    },
  },
  {
    name: 'two open inputs, the second one first',
    run: async (kit) => {
      const tools = [refund, tool('pay', () => 'paid', { needsApproval: true })];
      const run = await kit.ask([calls('refund', 'pay'), echo], { tools });
      const [first = '', second = ''] = await inputsOf(run, 2);
      const ambiguous = await ended(run.resume('which?'));
      await run.approve(second);
      await eventually('the second call', async () =>
        (await run.log()).some(({ kind }) => kind === 'tool-result'),
      );
      await run.approve(first);
      return [ambiguous, await endOf(run)];
    },
  },
  {
    name: 'a question that nobody answers',
    run: async (kit) =>
      await endOf(await kit.begin(timed('fail'), { agent: [askUser('Which?'), echo] })),
  },
  {
    name: 'a question that gets its answer from its definition',
    run: async (kit) =>
      await endOf(await kit.begin(timed({ answer: 'any' }), { agent: [askUser('Which?'), echo] })),
  },
  {
    name: 'an answer before the time is over',
    run: async (kit) => {
      const waiting = agent('agent', { ...asking, inputTimeout: '1h' });
      const run = await kit.begin(waiting, { agent: [askUser('Which?'), echo] });
      await inputsOf(run);
      await run.resume('this');
      return await endOf(run);
    },
  },
  {
    name: 'an approval',
    run: async (kit) => {
      const run = await kit.ask([call('refund', { amount: 5 }), echo], { tools: [refund] });
      const [inputId = ''] = await inputsOf(run);
      const reply = await run.approve(inputId, { by: { id: 'ada' } });
      return [reply, await endOf(run)];
    },
  },
  {
    name: 'an approval of other arguments',
    run: async (kit) => {
      const run = await kit.ask([call('refund', { amount: 5 }), echo], { tools: [refund] });
      const [inputId = ''] = await inputsOf(run);
      await run.approve(inputId, { args: { amount: 3 } });
      return await endOf(run);
    },
  },
  {
    name: 'a rejection',
    run: async (kit) => {
      const run = await kit.ask([call('refund', { amount: 5 }), echo], { tools: [refund] });
      const [inputId = ''] = await inputsOf(run);
      await run.reject(inputId, 'too much');
      return await endOf(run);
    },
  },
  {
    name: 'an approval that code asks for',
    run: async (kit) => {
      const needsApproval = ({ amount }: { readonly amount?: unknown }): boolean =>
        Number(amount) > 3;
      const tools = [tool('refund', () => 'refunded', { needsApproval })];
      const steps = [call('refund', { amount: 1 }), call('refund', { amount: 5 }), echo];
      const run = await kit.ask(steps, { tools });
      const [inputId = ''] = await inputsOf(run);
      await run.approve(inputId);
      return await endOf(run);
    },
  },
  {
    name: 'a signal with the start',
    compare: 'ends',
    run: async (kit) => {
      await kit.deploy({ runners: [agent('agent')], providers: modelsOf({ agent: ['Done.'] }) });
      await kit.longhaul.client.workflow.signalWithStart('agentWorkflow', {
        workflowId: kit.id('run'),
        taskQueue: kit.longhaul.taskQueue,
        args: [{ runner: 'agent', input: 'Go.' }],
        signal: 'cancelRun',
        signalArgs: [{ reason: 'before it began' }],
      });
      return await endOf(kit.longhaul.run(kit.id('run')));
    },
  },
  {
    name: 'a signal with the start of a run that is open',
    run: async (kit) => {
      const run = await asked(kit);
      await kit.longhaul.client.workflow.signalWithStart('agentWorkflow', {
        workflowId: run.workflowId,
        taskQueue: kit.longhaul.taskQueue,
        args: [{ runner: 'agent', input: 'Go.' }],
        signal: 'resume',
        signalArgs: ['this'],
      });
      return await endOf(run);
    },
  },
  {
    name: 'a signal before the first task',
    startsUnserved: true,
    run: async (kit) => {
      const run = await kit.start('agent');
      await kit.handle(run).signal('resume', 'early');
      const asker = agent('agent', asking);
      await kit.deploy({
        runners: [asker],
        providers: modelsOf({ agent: [askUser('Which?'), echo] }),
      });
      await inputsOf(run);
      await run.resume('this');
      return await endOf(run);
    },
  },
  {
    name: 'an update before the first task',
    startsUnserved: true,
    run: async (kit) => {
      const run = await kit.start('agent');
      const input = { answer: 'early', inputId: 'q1.0' };
      const update = ended(kit.handle(run).executeUpdate('resume', { args: [input] }));
      const asker = agent('agent', asking);
      const steps = [askUser('Which?'), echo];
      await kit.deploy({ runners: [asker], providers: modelsOf({ agent: steps }) });
      const refused = await update;
      await inputsOf(run);
      await run.resume('this');
      return [refused, await endOf(run)];
    },
  },
  {
    name: 'an update with the start',
    run: async (kit) => {
      const { workflow } = kit.longhaul.client;
      const asker = agent('agent', asking);
      const steps = [askUser('Which?'), echo];
      await kit.deploy({ runners: [asker], providers: modelsOf({ agent: steps }) });
      const { WithStartWorkflowOperation } = await import('@temporalio/client');
      const start = (): InstanceType<typeof WithStartWorkflowOperation> =>
        new WithStartWorkflowOperation('agentWorkflow', {
          workflowId: kit.id('run'),
          taskQueue: kit.longhaul.taskQueue,
          args: [{ runner: 'agent', input: 'Go.' }],
          workflowIdConflictPolicy: 'USE_EXISTING',
        });
      const send = (): Promise<unknown> =>
        workflow.executeUpdateWithStart('outcome', {
          args: [{}],
          startWorkflowOperation: start(),
        });
      const outcomes = [await ended(send()), await ended(send())];
      const run = kit.longhaul.run(kit.id('run'));
      await run.resume('this');
      return [outcomes.map((outcome) => Object.keys(outcome as object)), await endOf(run)];
    },
  },
];

function timed(onInputTimeout: 'fail' | { readonly answer: string }) {
  return agent('agent', { ...asking, inputTimeout: 500, onInputTimeout });
}
