// Runs of one agent: starts, model calls, budgets, and what others see of a run.

import { ProviderError } from 'longhaul';
import {
  agent,
  askUser,
  call,
  ended,
  endOf,
  inputsOf,
  modelsOf,
  pause,
  type Script,
  tool,
  note,
} from '../kit';

export const turns: readonly Script[] = [
  {
    name: 'a turn',
    compare: 'all',
    run: async (kit) => await endOf(await kit.ask(['Done.'])),
  },
  {
    name: 'a turn of a spec that travels',
    compare: 'all',
    run: async (kit) => {
      const traveller = agent('agent', { instructions: 'Be brief.' });
      await kit.deploy({ providers: modelsOf({ agent: ['Done.'] }) });
      const options = { workflowId: kit.id('run'), session: { kept: true } };
      return await endOf(await kit.longhaul.startSpec(traveller, 'Go.', options));
    },
  },
  {
    name: 'a spec that is refused',
    run: async (kit) => {
      await kit.deploy({ inlineSpecs: false });
      const options = { workflowId: kit.id('run') };
      return await endOf(await kit.longhaul.startSpec(agent('agent'), 'Go.', options));
    },
  },
  {
    name: 'a model call that is tried again',
    run: async (kit) => {
      const error = new ProviderError('unavailable', 'later', { retryAfterMs: 50 });
      return await endOf(await kit.ask([{ error }, 'Done.']));
    },
  },
  {
    name: 'a model call that fails for good',
    run: async (kit) =>
      await endOf(await kit.ask([{ error: new ProviderError('rejected', 'never') }])),
  },
  {
    name: 'a budget that is reached',
    run: async (kit) => {
      const look = tool('look', () => 'seen');
      const options = { tools: [look], budget: { maxTokens: 20, onExceeded: 'fail' as const } };
      return await endOf(await kit.ask([call('look'), call('look'), 'Done.'], options));
    },
  },
  {
    name: 'a budget that is raised',
    run: async (kit) => {
      const options = {
        tools: [tool('look', () => 'seen')],
        budget: { maxTokens: 20, onExceeded: 'ask' as const },
      };
      const run = await kit.ask([call('look'), call('look'), 'Done.'], options);
      const [inputId = ''] = await inputsOf(run);
      await run.resume(1_000, { inputId });
      return await endOf(run);
    },
  },
  {
    name: 'too many rounds',
    run: async (kit) => {
      const options = { tools: [tool('look', () => 'seen')], maxIterations: 1 };
      return await endOf(await kit.ask([call('look'), call('look'), 'Done.'], options));
    },
  },
  {
    name: 'an agent that no worker has',
    compare: 'ends',
    run: async (kit) => {
      await kit.deploy({ runners: [agent('other')], providers: modelsOf({ other: [] }) });
      return await endOf(await kit.start('agent'));
    },
  },
  {
    name: 'a start with the id of an open run',
    run: async (kit) => {
      const run = await kit.ask([askUser('Which?'), 'Done.'], { askUser: 'tool' });
      await inputsOf(run);
      const again = await ended(kit.start('agent'));
      await run.resume('this');
      return [again, await endOf(run)];
    },
  },
  {
    name: 'starts with the ids of closed runs',
    run: async (kit) => {
      const error = new ProviderError('rejected', 'never');
      const run = await kit.ask([{ error }, 'Done.']);
      const first = await endOf(run);
      const second = await endOf(await kit.start('agent'));
      return [first, second, await ended(kit.start('agent'))];
    },
  },
  {
    name: 'the same start request twice',
    run: async (kit) => {
      const { client } = kit.longhaul;
      await kit.deploy({ runners: [agent('agent')], providers: modelsOf({ agent: ['Done.'] }) });
      const start = {
        workflowId: kit.id('run'),
        taskQueue: kit.longhaul.taskQueue,
        args: [{ runner: 'agent', input: 'Go.' }],
        workflowIdConflictPolicy: 'USE_EXISTING' as const,
      };
      const handles = [
        await client.workflow.start('agentWorkflow', start),
        await client.workflow.start('agentWorkflow', start),
      ];
      const [one, other] = handles.map(({ firstExecutionRunId }) => firstExecutionRunId);
      return [one === other, await endOf(kit.longhaul.run(start.workflowId))];
    },
  },
  {
    name: 'a start that ends the run before it',
    run: async (kit) => {
      const run = await kit.ask([askUser('Which?'), 'Done.'], { askUser: 'tool' });
      await inputsOf(run);
      const before = await kit.handle(run).describe();
      await kit.startRaw({ workflowIdConflictPolicy: 'TERMINATE_EXISTING' }, run.workflowId);
      const { client } = kit.longhaul;
      const old = client.workflow.getHandle(run.workflowId, before.runId);
      return [(await old.describe()).status.name, await endOf(run)];
    },
  },
  {
    name: 'a start that is delayed',
    run: async (kit) => {
      await kit.deploy({ runners: [agent('agent')], providers: modelsOf({ agent: ['Done.'] }) });
      await kit.startRaw({ startDelay: 500 });
      return await endOf(kit.longhaul.run(kit.id('run')));
    },
  },
  {
    name: 'a run that is out of time',
    startsUnserved: true,
    run: async (kit) => {
      const handle = await kit.startRaw({ workflowExecutionTimeout: 500 });
      const end = await ended(handle.result());
      return [end, (await handle.describe()).status.name];
    },
  },
  {
    name: 'a run with a limit, which activities have, too',
    run: async (kit) => {
      await kit.deploy({ runners: [agent('agent')], providers: modelsOf({ agent: ['Done.'] }) });
      await kit.startRaw({ workflowRunTimeout: '10 minutes' });
      return await endOf(kit.longhaul.run(kit.id('run')));
    },
  },
  {
    name: 'what others see of a run',
    run: async (kit) => {
      const asker = agent('agent', { askUser: 'tool' });
      const steps = [askUser('Which?'), 'Done.'];
      const key = { userId: 'ada', sessionId: kit.key };
      const run = await kit.begin(asker, { agent: steps }, { key });
      await inputsOf(run);
      const seen = async (): Promise<unknown> => {
        const { memo, status, type, searchAttributes, raw } = await kit.handle(run).describe();
        const { status: state, turn, pauseSeq } = await run.state();
        return {
          ...{ status: status.name, type, state, turn, pauseSeq },
          memo: shownMemo(memo),
          attributes: shownAttributes(searchAttributes),
          pending: [raw.pendingActivities?.length ?? 0, raw.pendingChildren?.length ?? 0],
        };
      };
      const open = await seen();
      await run.resume('this');
      return [open, await endOf(run), await seen()];
    },
  },
  {
    name: 'queries to an open run and to a closed one',
    run: async (kit) => {
      const run = await kit.ask([askUser('Which?'), 'Done.'], { askUser: 'tool' });
      await inputsOf(run);
      const handle = kit.handle(run);
      const asked = async (): Promise<unknown> => [
        await ended(handle.query('pending').then((found) => (found as object[]).length)),
        await ended(handle.query('usage')),
        await unknownQuery(handle.query('unknown')),
      ];
      const open = await asked();
      await run.resume('this');
      await run.result();
      return [open, await asked()];
    },
  },
  {
    name: 'what there is not',
    run: async (kit) => {
      const run = kit.longhaul.run(`${kit.key}-nothing`);
      const handle = kit.handle(run);
      return [
        await ended(run.state()),
        await ended(run.outcome()),
        await ended(run.cancel()),
        await ended(handle.describe()),
        await ended(handle.signal('resume', 'x')),
        await ended(handle.query('state')),
        await ended(handle.terminate()),
        await ended(handle.cancel()),
        await ended(handle.executeUpdate('resume')),
      ];
    },
  },
  {
    name: 'a session that tools change',
    run: async (kit) => {
      const steps = [call('note'), call('note'), 'Done.'];
      const noting = agent('agent', { tools: [note] });
      return await endOf(await kit.begin(noting, { agent: steps }, { session: { notes: 3 } }));
    },
  },
  {
    name: 'events of a run, while it goes on',
    run: async (kit) => {
      const run = await kit.ask([askUser('Which?'), 'Done.'], { askUser: 'tool' });
      const kinds: string[] = [];
      for await (const { entry } of run.events()) {
        kinds.push(entry.kind);
        if (kinds.length === 2) await inputsOf(run).then(() => run.resume('this'));
      }
      await pause(100);
      return [kinds, await endOf(run)];
    },
  },
];

function shownMemo(memo: unknown): unknown {
  const { longhaul } = (memo ?? {}) as { longhaul?: Record<string, unknown> };
  const { status, agent: runner, pending } = longhaul ?? {};
  const asked = (pending as { question: string }[] | undefined)?.map(({ question }) => question);
  return { status, runner, asked, names: Object.keys(longhaul ?? {}).toSorted() };
}

/** Temporal's own one is about versions of workers. The key is a hash. */
function shownAttributes(attributes: Readonly<Record<string, unknown>>): unknown {
  const { LonghaulAgent: ofAgent, LonghaulStatus: ofStatus } = attributes;
  return [ofAgent, ofStatus, 'LonghaulKey' in attributes];
}

/** The list of what there is depends on the SDK alone. */
async function unknownQuery(query: Promise<unknown>): Promise<unknown> {
  const { error, message } = (await ended(query)) as { error: string; message: string };
  return { error, message: message.slice(0, 60) };
}
