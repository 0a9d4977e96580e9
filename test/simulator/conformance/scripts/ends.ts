// How runs end from outside, and how they go on as new.

import { defineTool } from 'longhaul';
import {
  agent,
  asking,
  askUser,
  call,
  ended,
  endOf,
  eventually,
  Gate,
  inputsOf,
  type Kit,
  modelsOf,
  pause,
  type Script,
  tool,
} from '../kit';

/** A tool that hangs until its call is aborted. */
function hanging(gate: Gate) {
  return tool('hang', (_args, { signal }) => gate.wait(signal));
}

async function statusOf(kit: Kit, run: { readonly workflowId: string }): Promise<string> {
  return (await kit.handle(run).describe()).status.name;
}

export const ends: readonly Script[] = [
  {
    name: 'a run that is cancelled while it waits',
    compare: 'ends',
    run: async (kit) => {
      const run = await kit.ask([askUser('Which?'), 'Done.'], asking);
      await inputsOf(run);
      await run.cancel('changed my mind', { by: { id: 'ada' } });
      const end = await endOf(run);
      return [end, await statusOf(kit, run), await ended(run.resume('this', { inputId: 'q1.0' }))];
    },
  },
  {
    name: 'a run that is cancelled by the server while it waits',
    run: async (kit) => {
      const run = await kit.ask([askUser('Which?'), 'Done.'], asking);
      await inputsOf(run);
      await kit.handle(run).cancel();
      return [await endOf(run), await statusOf(kit, run)];
    },
  },
  {
    name: 'a run that is cancelled while a tool runs',
    compare: 'ends',
    run: async (kit) => {
      const gate = new Gate();
      const run = await kit.ask([call('hang'), 'Done.'], { tools: [hanging(gate)] });
      await gate.arrival();
      await run.cancel('enough');
      return [await endOf(run), await statusOf(kit, run)];
    },
  },
  {
    name: 'a run that the server cancels while a tool runs',
    run: async (kit) => {
      const gate = new Gate();
      const run = await kit.ask([call('hang'), 'Done.'], { tools: [hanging(gate)] });
      await gate.arrival();
      await kit.handle(run).cancel();
      return [await endOf(run), await statusOf(kit, run)];
    },
  },
  {
    name: 'a run that is cancelled while the model answers',
    run: async (kit) => {
      const gate = new Gate();
      const run = await kit.ask([() => gate.wait()]);
      await gate.arrival();
      await kit.handle(run).cancel();
      const end = await endOf(run);
      gate.open();
      return [end, await statusOf(kit, run)];
    },
  },
  {
    name: 'a run that is cancelled twice',
    run: async (kit) => {
      const run = await kit.ask([askUser('Which?'), 'Done.'], asking);
      await inputsOf(run);
      await Promise.all([kit.handle(run).cancel(), kit.handle(run).cancel()]);
      const end = await endOf(run);
      return [end, await ended(kit.handle(run).cancel()), await ended(run.cancel())];
    },
  },
  {
    name: 'a run that is cancelled before it begins',
    startsUnserved: true,
    run: async (kit) => {
      const run = await kit.start('agent');
      await kit.handle(run).cancel();
      await kit.deploy({ runners: [agent('agent')], providers: modelsOf({ agent: ['Done.'] }) });
      return [await endOf(run), await statusOf(kit, run)];
    },
  },
  {
    name: 'a run that is terminated before it begins',
    startsUnserved: true,
    run: async (kit) => {
      const run = await kit.start('agent');
      await kit.handle(run).terminate('never mind');
      return [await endOf(run), await statusOf(kit, run)];
    },
  },
  {
    name: 'a run that is terminated while it waits',
    run: async (kit) => {
      const run = await kit.ask([askUser('Which?'), 'Done.'], asking);
      await inputsOf(run);
      await kit.handle(run).terminate('enough');
      return [
        await endOf(run),
        await statusOf(kit, run),
        await ended(run.resume('this', { inputId: 'q1.0' })),
        await ended(kit.handle(run).signal('resume', 'this')),
        await ended(kit.handle(run).terminate('again')),
      ];
    },
  },
  {
    name: 'a run that is terminated while a tool runs',
    run: async (kit) => {
      const gate = new Gate();
      const run = await kit.ask([call('hang'), 'Done.'], { tools: [hanging(gate)] });
      await gate.arrival();
      await kit.handle(run).terminate('enough');
      const end = await endOf(run);
      gate.open();
      return [end, await statusOf(kit, run)];
    },
  },
  {
    name: 'an outcome that is waited for while the run is terminated',
    compare: 'ends',
    run: async (kit) => {
      const gate = new Gate();
      const run = await kit.ask([call('hang'), 'Done.'], { tools: [hanging(gate)] });
      await gate.arrival();
      const outcome = ended(run.outcome());
      await pause(300);
      await kit.handle(run).terminate('enough');
      const end = await outcome;
      gate.open();
      return end;
    },
  },
  {
    name: 'a run that goes on as new between its turns',
    run: async (kit) => {
      const look = defineTool({
        name: 'look',
        description: 'Looks',
        inputSchema: { type: 'object', properties: {} },
        maxResultBytes: 262_144,
        execute: () => 'The quick brown fox. '.repeat(10_000),
      });
      const turns = Array.from({ length: 20 }, () => call('look'));
      const run = await kit.ask([...turns, 'Done.'], { tools: [look], maxIterations: 100 });
      return await endOf(run);
    },
  },
  {
    name: 'a message to a run that works',
    run: async (kit) => {
      const gate = new Gate();
      const tools = [tool('look', () => gate.wait())];
      const run = await kit.ask([call('look'), 'Done.'], { tools });
      await gate.arrival();
      const replies = [
        await run.send('First.', { messageId: 'm-1' }),
        await run.send('First.', { messageId: 'm-1' }),
      ];
      gate.open();
      return [replies, await endOf(run), await ended(run.send('Late.'))];
    },
  },
  {
    name: 'a message that cuts the model call',
    compare: 'ends',
    run: async (kit) => {
      const gate = new Gate();
      const run = await kit.ask([() => gate.wait(), 'Done.']);
      await gate.arrival();
      await run.send('Stop.', { when: 'now', messageId: 'm-1' });
      const end = await ended(run.result().then(({ finalResponse }) => finalResponse.text));
      gate.open();
      return end;
    },
  },
  {
    name: 'a run that moves to another definition',
    run: async (kit) => {
      const before = agent('agent', { ...asking, instructions: 'old' });
      const steps = [askUser('Which?'), 'Done.'];
      const providers = modelsOf({ agent: steps });
      await kit.deploy({ runners: [before], providers });
      const run = await kit.start('agent');
      await inputsOf(run);
      await kit.deploy({
        runners: [agent('agent', { ...asking, instructions: 'new' })],
        providers,
      });
      const { from, to } = await run.migrate('agent', { by: { id: 'ada' } });
      await inputsOf(run);
      await run.resume('this');
      return [from === to, await endOf(run)];
    },
  },
  {
    name: 'a run that may not move to another definition',
    run: async (kit) => {
      const refund = tool('refund', () => 'refunded', { needsApproval: true });
      const providers = modelsOf({ agent: [call('refund'), 'Done.'] });
      await kit.deploy({ runners: [agent('agent', { tools: [refund] })], providers });
      const run = await kit.start('agent');
      const [inputId = ''] = await inputsOf(run);
      await kit.deploy({ runners: [agent('agent')], providers, tools: [refund] });
      const moved = await ended(run.migrate('agent'));
      await run.approve(inputId);
      return [moved, await endOf(run)];
    },
  },
  {
    name: 'the names that people read of a run and of its calls',
    run: async (kit) => {
      const run = await kit.ask([call('look'), 'Done.'], { tools: [tool('look', () => 'seen')] });
      await endOf(run);
      const { events } = await kit.handle(run).fetchHistory();
      const summaries = (events ?? []).flatMap(({ userMetadata }) =>
        Buffer.from(userMetadata?.summary?.data ?? []).toString(),
      );
      const description = await kit.handle(run).describe();
      return [summaries.filter(Boolean), await description.staticSummary()];
    },
  },
  {
    name: 'a run that is deleted',
    run: async (kit) => {
      await endOf(await kit.ask(['Done.']));
      const gone = await kit.startRaw({}, `${kit.key}-gone`);
      await gone.result();
      const { client } = kit.longhaul;
      await client.workflowService.deleteWorkflowExecution({
        namespace: client.options.namespace,
        workflowExecution: { workflowId: gone.workflowId },
      });
      await eventually('it is gone', () =>
        gone.describe().then(
          () => false,
          () => true,
        ),
      );
      return await ended(kit.longhaul.run(gone.workflowId).state());
    },
  },
];
