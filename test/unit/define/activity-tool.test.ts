// Pure: no server.
import { z } from 'zod';
import { activityTool, defineAgent } from '../../../src';
import { agentConfig } from '../../../src/core/loop-config';
import { createRegistry } from '../../../src/define/registry';
import { citySchema, refusalOf, toolContext } from './builders';

const minimal = {
  name: 'charge_card',
  description: 'Charges the customer',
  inputSchema: citySchema,
  activity: 'ChargeCard',
};

describe('activityTool', () => {
  it('is a tool whose data names the activity', () => {
    const tool = activityTool({
      ...minimal,
      taskQueue: 'payments',
      heartbeatTimeout: '30s',
      timeout: '10 minutes',
      effect: 'once',
      onError: 'fail',
      needsApproval: true,
    });
    expect(tool).toMatchObject({ kind: 'tool', name: 'charge_card', override: false });
    expect(tool.spec).toEqual({
      name: 'charge_card',
      description: 'Charges the customer',
      inputSchema: citySchema,
      effect: 'once',
      onError: 'fail',
      needsApproval: true,
      timeoutMs: 600_000,
      activity: { type: 'ChargeCard', taskQueue: 'payments', heartbeatTimeoutMs: 30_000 },
    });
  });

  it('tells the run which activity to schedule', () => {
    const agent = defineAgent({ id: 'a', model: 'p/m', tools: [activityTool(minimal)] });
    const definition = createRegistry({ runners: [agent] }).definition('a');
    expect(agentConfig(definition, 'a').tools).toEqual([
      { name: 'charge_card', activity: { type: 'ChargeCard' } },
    ]);
  });

  it('checks arguments as the schema says', async () => {
    const tool = activityTool({ ...minimal, inputSchema: z.object({ cents: z.int() }) });
    expect(await tool.validateArguments({ cents: 5 })).toEqual({ ok: true, value: { cents: 5 } });
    expect(await tool.validateArguments({ cents: 'five' })).toMatchObject({ ok: false });
  });

  it('cannot be run outside of a run', () => {
    const tool = activityTool(minimal);
    expect(() => tool.execute({ city: 'Paris' }, toolContext)).toThrow(/only a run can call it/);
  });

  it.each([
    {
      name: 'a missing activity',
      options: { activity: undefined },
      problem: /activity is required/,
    },
    { name: 'an empty task queue', options: { taskQueue: ' ' }, problem: /taskQueue must be/ },
    { name: 'code', options: { execute: () => 1 }, problem: /execute is not known/ },
    { name: 'session keys', options: { session: ['a'] }, problem: /session is not known/ },
    { name: 'calls inline', options: { inline: true }, problem: /inline is not known/ },
    { name: 'attempts of a once', options: { effect: 'once', retry: {} }, problem: /contradicts/ },
    { name: 'a bad duration', options: { heartbeatTimeout: 'soon' }, problem: /heartbeatTimeout/ },
  ])('refuses $name', ({ options, problem }) => {
    expect(refusalOf(() => activityTool({ ...minimal, ...options } as never))).toMatch(problem);
  });
});
