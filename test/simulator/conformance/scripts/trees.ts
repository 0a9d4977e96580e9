// Runs that start others: sub-agents and orchestrations, and what becomes of children when their callers end.

import { graph, parallel, sequential, subAgent, type Agent } from 'longhaul';
import type { ScriptedStep } from 'longhaul/testing';
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
  type Script,
  tool,
  note,
} from '../kit';

const echo: ScriptedStep = ({ messages }) => JSON.stringify(messages.at(-1)?.parts);

/** An agent that calls another one. */
function manager(callee: Agent, options: { readonly onError?: 'fail' } = {}): Agent {
  const dig = subAgent(callee, { name: 'dig', description: 'Digs', ...options });
  return agent('manager', { tools: [dig] });
}

const dig = call('dig', { input: 'Whales' });

/** How the runs of a tree ended. */
async function statuses(kit: Kit, root: { readonly workflowId: string }): Promise<unknown> {
  const { children } = await kit.longhaul.run(root.workflowId, { withoutWorker: true }).tree();
  return children.map(({ status }) => status);
}

const failing = tool(
  'break',
  () => {
    throw new Error('broken');
  },
  { onError: 'fail', retry: { maximumAttempts: 1 } },
);

export const trees: readonly Script[] = [
  {
    name: 'a sub-agent',
    run: async (kit) => {
      const scripts = { manager: [dig, echo], digger: ['Dug.'] };
      return await endOf(await kit.begin(manager(agent('digger')), scripts));
    },
  },
  {
    name: 'a sub-agent that fails',
    run: async (kit) => {
      const digger = agent('digger', { tools: [failing] });
      const scripts = { manager: [dig, echo], digger: [call('break')] };
      return await endOf(await kit.begin(manager(digger), scripts));
    },
  },
  {
    name: 'a sub-agent that fails its caller',
    run: async (kit) => {
      const digger = agent('digger', { tools: [failing] });
      const scripts = { manager: [dig, echo], digger: [call('break')] };
      return await endOf(await kit.begin(manager(digger, { onError: 'fail' }), scripts));
    },
  },
  {
    name: 'a sub-agent that asks',
    compare: 'unordered',
    run: async (kit) => {
      const scripts = { manager: [dig, echo], digger: [askUser('Where?'), 'Dug.'] };
      const run = await kit.begin(manager(agent('digger', asking)), scripts);
      await inputsOf(run);
      await run.resume('here');
      return await endOf(run);
    },
  },
  {
    name: 'a sub-agent that asks, two levels down',
    compare: 'unordered',
    run: async (kit) => {
      const digger = agent('digger', asking);
      const tools = [subAgent(digger, { name: 'delve', description: 'Delves' })];
      const middle = agent('middle', { tools });
      const scripts = {
        manager: [dig, echo],
        middle: [call('delve', { input: 'deep' }), echo],
        digger: [askUser('Where?'), 'Dug.'],
      };
      const run = await kit.begin(manager(middle), scripts);
      await inputsOf(run);
      await run.resume('here');
      return await endOf(run);
    },
  },
  {
    name: 'two sub-agents that ask, the second one is answered first',
    compare: 'unordered',
    run: async (kit) => {
      const tools = ['one', 'two'].map((id) =>
        subAgent(agent(id, asking), { name: id, description: `Asks for ${id}` }),
      );
      const both: ScriptedStep = {
        toolCalls: ['one', 'two'].map((name) => ({ name, args: { input: name } })),
      };
      const ask = [askUser('Where?'), 'Done.'];
      const scripts = { top: [both, echo], one: ask, two: ask };
      const run = await kit.begin(agent('top', { tools }), scripts);
      await inputsOf(run, 2);
      const pending = await run.pending();
      for (const path of ['top/two', 'top/one']) {
        const inputId = pending.find((input) => input.path === path)?.inputId ?? '';
        await run.resume('here', { inputId });
        await eventually('the answer', async () =>
          (await run.pending()).every((input) => input.inputId !== inputId),
        );
      }
      return await endOf(run);
    },
  },
  {
    name: 'a caller that is cancelled while its sub-agent asks',
    compare: 'unordered',
    run: async (kit) => {
      const scripts = { manager: [dig, echo], digger: [askUser('Where?'), 'Dug.'] };
      const run = await kit.begin(manager(agent('digger', asking)), scripts);
      await inputsOf(run);
      await run.cancel('enough');
      const end = await endOf(run);
      await eventually('its end', async () => String(await statuses(kit, run)) !== 'needs-input');
      return [end, await statuses(kit, run)];
    },
  },
  {
    name: 'a caller that is cancelled after its sub-agent has continued as new',
    compare: 'ends',
    run: async (kit) => {
      const scripts = { manager: [dig, echo], digger: [askUser('Where?'), 'Dug.'] };
      const run = await kit.begin(manager(agent('digger', asking)), scripts);
      await inputsOf(run);
      const { children } = await run.tree();
      const digger = kit.handle({ workflowId: children[0]?.workflowId ?? '' });
      const { runId } = await digger.describe();
      const tooLong = { answer: 'x'.repeat(1_000_000) };
      for (let sent = 0; sent < 4; sent += 1) await digger.signal('resume', tooLong);
      await eventually('the next execution', async () => {
        await digger.signal('resume', {});
        return (await digger.describe()).runId !== runId;
      });
      await run.cancel('enough');
      return [await endOf(run), await statuses(kit, run)];
    },
  },
  {
    name: 'a caller that the server cancels while its sub-agent works',
    compare: 'ends',
    run: async (kit) => {
      const gate = new Gate();
      const digger = agent('digger', {
        tools: [tool('hang', (_a, { signal }) => gate.wait(signal))],
      });
      const scripts = { manager: [dig, echo], digger: [call('hang'), 'Dug.'] };
      const run = await kit.begin(manager(digger), scripts);
      await gate.arrival();
      await kit.handle(run).cancel();
      const end = await endOf(run);
      gate.open();
      return end;
    },
  },
  {
    name: 'a sub-agent that is cancelled by itself',
    run: async (kit) => {
      const scripts = { manager: [dig, echo], digger: [askUser('Where?'), 'Dug.'] };
      const run = await kit.begin(manager(agent('digger', asking)), scripts);
      await inputsOf(run);
      const { children } = await run.tree();
      await kit.handle({ workflowId: children[0]?.workflowId ?? '' }).cancel();
      return await endOf(run);
    },
  },
  {
    name: 'a sub-agent that is terminated',
    run: async (kit) => {
      const scripts = { manager: [dig, echo], digger: [askUser('Where?'), 'Dug.'] };
      const run = await kit.begin(manager(agent('digger', asking)), scripts);
      await inputsOf(run);
      const { children } = await run.tree();
      await kit.handle({ workflowId: children[0]?.workflowId ?? '' }).terminate('enough');
      return await endOf(run);
    },
  },
  {
    name: 'a caller that is terminated while its sub-agent asks',
    run: async (kit) => {
      const scripts = { manager: [dig, echo], digger: [askUser('Where?'), 'Dug.'] };
      const run = await kit.begin(manager(agent('digger', asking)), scripts);
      await inputsOf(run);
      const { children } = await run.tree();
      await kit.handle(run).terminate('enough');
      const child = kit.handle({ workflowId: children[0]?.workflowId ?? '' });
      await eventually('its end', async () => (await child.describe()).status.name !== 'RUNNING');
      return [await endOf(run), (await child.describe()).status.name];
    },
  },
  {
    name: 'a session that goes down and up',
    run: async (kit) => {
      const digger = agent('digger', { tools: [note] });
      const scripts = { manager: [dig, echo], digger: [call('note'), 'Dug.'] };
      return await endOf(await kit.begin(manager(digger), scripts, { session: { notes: 1 } }));
    },
  },
  {
    name: 'steps',
    run: async (kit) => {
      const steps = ['plan', 'draft', 'polish'].map((id) => agent(id));
      const root = sequential({ id: 'pipeline', steps, passOutput: true });
      const scripts = { plan: ['Planned.'], draft: ['Drafted.'], polish: [echo] };
      return await endOf(await kit.begin(root, scripts));
    },
  },
  {
    name: 'a step that fails',
    run: async (kit) => {
      const steps = [agent('plan', { tools: [failing] }), agent('draft')];
      const root = sequential({ id: 'pipeline', steps });
      const scripts = { plan: [call('break')], draft: ['Drafted.'] };
      return await endOf(await kit.begin(root, scripts));
    },
  },
  {
    name: 'a step that asks',
    compare: 'unordered',
    run: async (kit) => {
      const steps = [agent('plan', asking), agent('draft')];
      const root = sequential({ id: 'pipeline', steps, passOutput: true });
      const scripts = { plan: [askUser('Which?'), 'Planned.'], draft: [echo] };
      const run = await kit.begin(root, scripts);
      await inputsOf(run);
      await run.resume('this');
      return await endOf(run);
    },
  },
  {
    name: 'branches',
    compare: 'unordered',
    run: async (kit) => {
      const branches = ['one', 'two', 'three'].map((id) => agent(id));
      const root = parallel({ id: 'all', branches });
      const scripts = { one: ['One.'], two: ['Two.'], three: ['Three.'] };
      return await endOf(await kit.begin(root, scripts));
    },
  },
  {
    name: 'branches one after the other',
    run: async (kit) => {
      const branches = ['one', 'two', 'three'].map((id) => agent(id));
      const root = parallel({ id: 'all', branches, concurrency: 1 });
      const scripts = { one: ['One.'], two: ['Two.'], three: ['Three.'] };
      return await endOf(await kit.begin(root, scripts));
    },
  },
  {
    name: 'a branch that fails',
    compare: 'unordered',
    run: async (kit) => {
      const gate = new Gate();
      const broken = tool(
        'break',
        async () => {
          await gate.wait();
          throw new Error('broken');
        },
        { onError: 'fail', retry: { maximumAttempts: 1 } },
      );
      const branches = [agent('one', { tools: [broken] }), agent('two')];
      const root = parallel({ id: 'all', branches });
      const run = await kit.begin(root, { one: [call('break')], two: ['Two.'] });
      await gate.arrival();
      await eventually('the other branch', async () =>
        (await run.tree()).children.some(({ status }) => status === 'completed'),
      );
      gate.open();
      return await endOf(run);
    },
  },
  {
    name: 'a graph',
    compare: 'unordered',
    run: async (kit) => {
      const root = graph({
        id: 'research',
        tasks: [
          { id: 'first', runner: agent('one') },
          { id: 'second', runner: agent('two') },
          {
            id: 'sum',
            runner: agent('sum'),
            dependencies: ['first', 'second'],
            prompt: '${first.output} and ${second.output}',
          },
        ],
      });
      const scripts = { one: ['One.'], two: ['Two.'], sum: [echo] };
      return await endOf(await kit.begin(root, scripts));
    },
  },
  {
    name: 'a task of a graph that is tried again',
    run: async (kit) => {
      let count = 0;
      const flaky = tool(
        'break',
        () => {
          count += 1;
          if (count === 1) throw new Error('not yet');
          return 'fine';
        },
        { onError: 'fail', retry: { maximumAttempts: 1 } },
      );
      const tasks = [{ id: 'first', runner: agent('one', { tools: [flaky] }), maxRetries: 1 }];
      const root = graph({ id: 'research', tasks });
      return await endOf(await kit.begin(root, { one: [call('break'), call('break'), 'One.'] }));
    },
  },
  {
    name: 'an orchestration as a sub-agent',
    run: async (kit) => {
      const steps = [agent('plan'), agent('draft')];
      const inner = sequential({ id: 'inner', steps });
      const tools = [subAgent(inner, { name: 'dig', description: 'Digs' })];
      const scripts = { manager: [dig, echo], plan: ['Planned.'], draft: ['Drafted.'] };
      return await endOf(await kit.begin(agent('manager', { tools }), scripts));
    },
  },
  {
    name: 'a sub-agent and a tool in one turn',
    compare: 'unordered',
    run: async (kit) => {
      const tools = [
        subAgent(agent('digger'), { name: 'dig', description: 'Digs' }),
        tool('look', () => 'seen'),
      ];
      const both: ScriptedStep = {
        toolCalls: [
          { name: 'dig', args: { input: 'it' } },
          { name: 'look', args: {} },
        ],
      };
      const scripts = { manager: [both, echo], digger: ['Dug.'] };
      return await endOf(await kit.begin(agent('manager', { tools }), scripts));
    },
  },
  {
    name: 'runs that the list shows',
    run: async (kit) => {
      const key = { userId: kit.key };
      const run = await kit.begin(agent('agent'), { agent: ['Done.'] }, { key });
      const end = await endOf(run);
      const listed: unknown[] = [];
      await eventually('the list', async () => {
        listed.length = 0;
        for await (const { status, agent: runner } of kit.longhaul.runs({ key, agent: 'agent' }))
          listed.push([status, runner]);
        return String(listed) === 'completed,agent';
      });
      return [end, listed, await ended(kit.longhaul.orphans({ key }))];
    },
  },
];
