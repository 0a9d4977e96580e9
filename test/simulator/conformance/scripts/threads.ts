// Conversations: turns as child runs, messages by updates that start the thread.

import type { ScriptedStep } from 'longhaul/testing';
import type { LonghaulOptions } from 'longhaul/worker';
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
  type Script,
  tool,
} from '../kit';

/** Says what it was sent last. */
const echo: ScriptedStep = ({ messages }) => {
  const last = messages.findLast(({ role }) => role === 'user');
  return JSON.stringify(last?.parts);
};

type Thread = ReturnType<Kit['thread']>;

async function open(
  kit: Kit,
  steps: readonly ScriptedStep[],
  options: Parameters<typeof agent>[1] = {},
  worker: LonghaulOptions = {},
): Promise<Thread> {
  const runners = [agent('talker', options)];
  await kit.deploy({ runners, providers: modelsOf({ talker: steps }), ...worker });
  return kit.thread('talker');
}

/** The thread has heard of the end of its turns. */
async function quiet(thread: Thread, count: number): Promise<readonly string[]> {
  let found: readonly string[] = [];
  await eventually('the end of the turns', async () => {
    found = (await thread.turns()).map(({ status }) => status);
    return found.length === count && found.every((status) => !/running|queued|input/.test(status));
  });
  return found;
}

export const threads: readonly Script[] = [
  {
    name: 'a thread of two turns',
    run: async (kit) => {
      const thread = await open(kit, [echo, echo]);
      const ends: unknown[] = [];
      for (const text of ['one', 'two']) {
        ends.push(await endOf(await thread.send(text, { messageId: text })));
        await quiet(thread, ends.length);
      }
      return [ends, await thread.session()];
    },
  },
  {
    name: 'a message that comes twice',
    run: async (kit) => {
      const thread = await open(kit, [echo, echo]);
      const first = await thread.send('one', { messageId: 'm-1' });
      const end = await endOf(first);
      const again = await thread.send('other', { messageId: 'm-1' });
      return [end, first.workflowId === again.workflowId, await quiet(thread, 1)];
    },
  },
  {
    name: 'messages that wait, and one that is refused',
    run: async (kit) => {
      const gate = new Gate();
      const thread = await open(kit, [() => gate.wait(), echo, echo]);
      const first = await thread.send('one', { messageId: 'm-1' });
      await gate.arrival();
      const second = await thread.send('two', { messageId: 'm-2' });
      const refused = await ended(thread.send('three', { messageId: 'm-3', whenBusy: 'reject' }));
      gate.open();
      return [refused, await endOf(first), await endOf(second), await quiet(thread, 2)];
    },
  },
  {
    name: 'a message that steers the turn',
    run: async (kit) => {
      const gate = new Gate();
      const tools = [tool('look', () => gate.wait())];
      const thread = await open(kit, [call('look'), echo], { tools });
      const first = await thread.send('one', { messageId: 'm-1' });
      await gate.arrival();
      const second = await thread.send('two', { messageId: 'm-2', whenBusy: 'steer' });
      gate.open();
      return [first.workflowId === second.workflowId, await endOf(first), await quiet(thread, 1)];
    },
  },
  {
    name: 'a message that interrupts the turn',
    compare: 'unordered',
    run: async (kit) => {
      const gate = new Gate();
      const thread = await open(kit, [() => gate.wait(), echo]);
      const first = await thread.send('one', { messageId: 'm-1' });
      await gate.arrival();
      const second = await thread.send('two', { messageId: 'm-2', whenBusy: 'interrupt' });
      const ends = [await endOf(first), await endOf(second)];
      gate.open();
      return ends;
    },
  },
  {
    name: 'a turn that asks',
    compare: 'unordered',
    run: async (kit) => {
      const thread = await open(kit, [askUser('Which?'), 'Done.'], asking);
      const turn = await thread.send('one', { messageId: 'm-1' });
      await inputsOf(thread);
      await thread.resume('this');
      return [await endOf(turn), await quiet(thread, 1)];
    },
  },
  {
    name: 'a turn that is cancelled, and the next one',
    compare: 'unordered',
    run: async (kit) => {
      const thread = await open(kit, [askUser('Which?'), echo], asking);
      const turn = await thread.send('one', { messageId: 'm-1' });
      await inputsOf(thread);
      await turn.cancel('enough');
      const end = await endOf(turn);
      await quiet(thread, 1);
      const next = await thread.send('two', { messageId: 'm-2' });
      return [end, await endOf(next), await quiet(thread, 2)];
    },
  },
  {
    name: 'a turn that fails, and the next one',
    run: async (kit) => {
      const failing = tool(
        'break',
        () => {
          throw new Error('broken');
        },
        { onError: 'fail', retry: { maximumAttempts: 1 } },
      );
      const thread = await open(kit, [call('break'), echo], { tools: [failing] });
      const end = await endOf(await thread.send('one', { messageId: 'm-1' }));
      await quiet(thread, 1);
      const next = await thread.send('two', { messageId: 'm-2' });
      return [end, await endOf(next), await quiet(thread, 2)];
    },
  },
  {
    name: 'a thread that is cleared',
    run: async (kit) => {
      const thread = await open(kit, [echo, echo]);
      const end = await endOf(await thread.send('one', { messageId: 'm-1' }));
      await quiet(thread, 1);
      await thread.clear();
      const after = (await thread.turns()).length;
      return [end, after, await endOf(await thread.send('two', { messageId: 'm-2' }))];
    },
  },
  {
    name: 'a thread that is terminated while its turn asks',
    compare: 'unordered',
    run: async (kit) => {
      const thread = await open(kit, [askUser('Which?'), echo, echo], asking);
      const turn = await thread.send('one', { messageId: 'm-1' });
      await inputsOf(thread);
      await kit.handle({ workflowId: thread.threadId }).terminate('enough');
      const child = kit.handle(turn);
      await eventually('its end', async () => (await child.describe()).status.name !== 'RUNNING');
      const next = await thread.send('two', { messageId: 'm-2' });
      return [(await child.describe()).status.name, await endOf(next)];
    },
  },
];
