// Tools: activities that fail, are tried again, run out of time, or get their results from elsewhere.

import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { activityTool, defineTool, type JsonObject, type Tool } from 'longhaul';
import { SqliteResults } from 'longhaul/stores';
import type { ScriptedStep } from 'longhaul/testing';
import {
  agent,
  call,
  calls as callsOf,
  ended,
  endOf,
  eventually,
  Gate,
  inputsOf,
  type Kit,
  type Script,
  tool,
} from '../kit';

const quickly = { maximumAttempts: 2, initialInterval: 10 };

/** The model says what it got. */
const echo: ScriptedStep = ({ messages }) => JSON.stringify(messages.at(-1)?.parts);

const isFirst = (): boolean => Context.current().info.attempt === 1;

type OfActivity = Partial<Parameters<typeof activityTool>[0]>;

/** A tool that is an activity of the user's own. */
function charge(options: OfActivity = {}): Tool {
  return activityTool({
    name: 'charge',
    description: 'Charges',
    inputSchema: { type: 'object', properties: {} },
    activity: 'charge',
    retry: quickly,
    ...options,
  } as never);
}

async function charged(
  kit: Kit,
  run: (args: JsonObject) => unknown,
  options: OfActivity = {},
): Promise<unknown> {
  const payer = agent('agent', { tools: [charge(options)] });
  const scripts = { agent: [call('charge', { cents: 5 }), echo] };
  return await endOf(await kit.begin(payer, scripts, { code: { charge: run } }));
}

export const calls: readonly Script[] = [
  {
    name: 'a tool call',
    compare: 'all',
    run: async (kit) =>
      await endOf(await kit.ask([call('look'), echo], { tools: [tool('look', () => 'seen')] })),
  },
  {
    name: 'calls at the same time that end in another order',
    run: async (kit) => {
      const [first, second] = [new Gate(), new Gate()];
      const tools = [tool('one', () => first.wait()), tool('two', () => second.wait())];
      const run = await kit.ask([callsOf('one', 'two'), echo], { tools });
      await Promise.all([first.arrival(), second.arrival()]);
      second.open();
      await eventually('the end of the second', async () => (await run.state()).logLength > 2);
      first.open();
      return await endOf(run);
    },
  },
  {
    name: 'ten calls at the same time',
    compare: 'unordered',
    run: async (kit) => {
      const names = Array.from({ length: 10 }, (_, index) => `look${index}`);
      const tools = names.map((name) => tool(name, () => name));
      return await endOf(await kit.ask([callsOf(...names), echo], { tools }));
    },
  },
  {
    name: 'calls one after the other',
    run: async (kit) => {
      const tools = ['one', 'two', 'three'].map((name) => tool(name, () => name));
      const options = { tools, toolConcurrency: 1 };
      return await endOf(await kit.ask([callsOf('one', 'two', 'three'), echo], options));
    },
  },
  {
    name: 'a call that is tried again',
    run: async (kit) => {
      const flaky = (): string => {
        if (isFirst()) throw new Error('not yet');
        return 'seen';
      };
      const tools = [tool('look', flaky, { retry: quickly })];
      return await endOf(await kit.ask([call('look'), echo], { tools }));
    },
  },
  {
    name: 'a call that fails as often as it may',
    run: async (kit) => {
      const failing = (): never => {
        throw new Error('broken');
      };
      const tools = [tool('look', failing, { retry: quickly })];
      return await endOf(await kit.ask([call('look'), echo], { tools }));
    },
  },
  {
    name: 'a call that fails the run',
    run: async (kit) => {
      const failing = (): never => {
        throw new Error('broken');
      };
      const options = { retry: { maximumAttempts: 1 }, onError: 'fail' as const };
      const tools = [tool('look', failing, options)];
      return await endOf(await kit.ask([call('look'), echo], { tools }));
    },
  },
  {
    name: 'a call that runs out of time twice',
    run: async (kit) => {
      const tools = [tool('look', () => new Gate().wait(), { retry: quickly, timeout: 300 })];
      return await endOf(await kit.ask([call('look'), echo], { tools }));
    },
  },
  {
    name: 'a call with an effect that must not happen twice',
    run: async (kit) => {
      const tools = [tool('look', () => new Gate().wait(), { effect: 'once', timeout: 300 })];
      return await endOf(await kit.ask([call('look'), echo], { tools }));
    },
  },
  {
    name: 'a call of a tool that there is not',
    run: async (kit) => await endOf(await kit.ask([call('nothing'), echo])),
  },
  {
    name: 'a read in the activity of the model',
    run: async (kit) => {
      const options = {
        tools: [tool('look', () => 'seen', { effect: 'read' })],
        inlineReads: true,
      };
      return await endOf(await kit.ask([call('look'), call('look'), echo], options));
    },
  },
  {
    name: 'a read that is too slow for the activity of the model',
    run: async (kit) => {
      const slow = (): Promise<string> =>
        Context.current().info.activityType === 'callModel'
          ? new Gate().wait()
          : Promise.resolve('seen');
      const options = {
        tools: [tool('look', slow, { effect: 'read' })],
        inlineReads: true,
        inlineTimeout: 200,
      };
      return await endOf(await kit.ask([call('look'), echo], options));
    },
  },
  {
    name: 'an activity of the user',
    run: async (kit) => await charged(kit, ({ cents }) => ({ charged: cents ?? null })),
  },
  {
    name: 'an activity that is tried again',
    run: async (kit) =>
      await charged(kit, () => {
        if (isFirst()) throw ApplicationFailure.create({ message: 'later', type: 'Busy' });
        return 'charged';
      }),
  },
  {
    name: 'an activity that says when to try again',
    run: async (kit) =>
      await charged(kit, () => {
        if (!isFirst()) return 'charged';
        throw ApplicationFailure.create({ message: 'later', nextRetryDelay: 200 });
      }),
  },
  {
    name: 'an activity that fails for good',
    run: async (kit) =>
      await charged(kit, () => {
        throw ApplicationFailure.nonRetryable('gone', 'Gone');
      }),
  },
  {
    name: 'an activity that fails as often as it may',
    run: async (kit) =>
      await charged(kit, () => {
        throw ApplicationFailure.create({
          message: 'declined',
          type: 'Declined',
          cause: new Error('no money'),
        });
      }),
  },
  {
    name: 'an activity that runs out of time',
    run: async (kit) =>
      await charged(kit, () => Context.current().sleep('1 minute'), { timeout: 300 }),
  },
  {
    name: 'an activity that runs out of time once',
    run: async (kit) =>
      await charged(kit, () => (isFirst() ? Context.current().sleep('1 minute') : 'charged'), {
        timeout: 1_000,
      }),
  },
  {
    name: 'an activity that does not heartbeat in time',
    run: async (kit) =>
      await charged(kit, () => Context.current().sleep('1 minute'), { heartbeatTimeout: 300 }),
  },
  {
    name: 'an activity that goes on from its last heartbeat',
    run: async (kit) =>
      await charged(kit, () => {
        const context = Context.current();
        if (!isFirst()) return { from: context.info.heartbeatDetails };
        context.heartbeat({ page: 7 });
        throw new Error('it broke off');
      }),
  },
  {
    name: 'a result that is too large for the history',
    run: async (kit) => {
      const results = new SqliteResults({ path: ':memory:' });
      const tools = [tool('look', () => 'a long line\n'.repeat(20_000))];
      const scripts = { agent: [call('look'), 'Done.'] };
      const run = await kit.begin(agent('agent', { tools }), scripts, { worker: { results } });
      return await endOf(run);
    },
  },
  {
    name: 'a result from the client',
    run: async (kit) => {
      const run = await kit.ask([call('pick'), echo], { tools: [ofClient()] });
      const [inputId = ''] = await inputsOf(run);
      const refused = await ended(run.resume('3A'));
      await run.complete(inputId, { seat: '3A' });
      return [refused, await endOf(run)];
    },
  },
  {
    name: 'a failure from the client',
    run: async (kit) => {
      const run = await kit.ask([call('pick'), echo], { tools: [ofClient()] });
      const [inputId = ''] = await inputsOf(run);
      await run.fail(inputId, 'The seats are gone.');
      return await endOf(run);
    },
  },
  {
    name: 'a result from the client that does not come',
    run: async (kit) =>
      await endOf(
        await kit.ask([call('pick'), echo], { tools: [ofClient({ resultTimeout: 500 })] }),
      ),
  },
  {
    name: 'a result by its token',
    run: async (kit) => {
      const tokens: string[] = [];
      const run = await kit.ask([call('export'), echo], { tools: [later(tokens)] });
      await inputsOf(run);
      const [token = ''] = tokens;
      const { longhaul } = kit;
      const given = [
        await ended(longhaul.completeByToken(token, { done: true })),
        await ended(longhaul.completeByToken(token, { done: true })),
        await ended(longhaul.completeByToken(`${token}x`, { done: true })),
      ];
      return [given, await endOf(run)];
    },
  },
  {
    name: 'a failure by its token',
    run: async (kit) => {
      const tokens: string[] = [];
      const run = await kit.ask([call('export'), echo], { tools: [later(tokens)] });
      await inputsOf(run);
      await kit.longhaul.failByToken(tokens[0] ?? '', 'The disk is full.');
      return await endOf(run);
    },
  },
  {
    name: 'a result by its token before the call has ended',
    run: async (kit) => {
      const tokens: string[] = [];
      const gate = new Gate();
      const run = await kit.ask([call('export'), echo], { tools: [later(tokens, gate)] });
      await gate.arrival();
      const early = await ended(kit.longhaul.completeByToken(tokens[0] ?? '', 'early'));
      gate.open();
      await inputsOf(run);
      await kit.longhaul.completeByToken(tokens[0] ?? '', 'early');
      return [early, await endOf(run)];
    },
  },
];

function ofClient(options: { readonly resultTimeout?: number } = {}): Tool {
  return defineTool({
    name: 'pick',
    description: 'Picks',
    inputSchema: { type: 'object', properties: {} },
    result: 'client',
    ...options,
  });
}

/** Somebody who has the token gives the result. */
function later(tokens: string[], gate?: Gate): Tool {
  return defineTool({
    name: 'export',
    description: 'Exports',
    inputSchema: { type: 'object', properties: {} },
    result: 'later',
    execute: async (_args, { resultToken }) => {
      tokens.push(resultToken);
      await gate?.wait();
    },
  });
}
