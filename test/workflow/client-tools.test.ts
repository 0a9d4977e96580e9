// Tools that a client brings for one run.

import { randomUUID } from 'node:crypto';
import { defineAgent, sequential, subAgent, type Runner } from '../../src';
import type { ClientToolOptions, RunHandle } from '../../src/client/index';
import { workflowTypes } from '../../src/protocol/names';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';
import { aTool, callOf } from './builders';
import { openHarness, type Harness } from './harness';
import { continueAsNew } from './history';

const pickSeat = (key: string): ClientToolOptions => ({
  name: 'pick_seat',
  description: `Lets the passenger pick a ${key}`,
  inputSchema: {
    type: 'object',
    properties: { [key]: { type: 'number' } },
    required: [key],
    additionalProperties: false,
  },
  resultSchema: { type: 'object', properties: { seat: { type: 'string' } }, required: ['seat'] },
});

/** A tool that agents of the worker have. */
const ownSeat = aTool('pick_seat', () => 'never');

describe('tools of a client', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  async function deploy(steps: readonly ScriptedStep[], ...runners: Runner[]): Promise<void> {
    const agent = defineAgent({
      id: 'agent',
      model: 'scripted/one',
      tools: [aTool('lookup', () => 'found')],
    });
    const other = defineAgent({ id: 'other', model: 'scripted/one', tools: [ownSeat] });
    const providers = { scripted: scriptedModel(steps) };
    await harness.deploy({ runners: [agent, other, ...runners], providers });
  }

  const start = (clientTools: readonly ClientToolOptions[], runner = 'agent'): Promise<RunHandle> =>
    harness.longhaul.start(runner, 'Go.', { clientTools });

  /** Calls the tool as the request describes it, then says what came. */
  const step: ScriptedStep = (request) => {
    const [seat] = /12A|7F/.exec(JSON.stringify(request.messages.at(-1))) ?? [];
    if (seat !== undefined) return `Got ${seat}.`;
    const tool = request.tools.find(({ name }) => name === 'pick_seat');
    return callOf('pick_seat', {
      [tool?.description.includes('row') === true ? 'row' : 'deck']: 12,
    });
  };

  it('belong to their run: two runs at once have different ones of one name', async () => {
    await deploy([step, step, step, step]);
    const runs = await Promise.all([start([pickSeat('row')]), start([pickSeat('deck')])]);
    const outcomes = await Promise.all(runs.map((run) => run.outcome()));
    expect(outcomes).toMatchObject([
      { inputId: 't1.0', call: { args: { row: 12 } }, schema: { required: ['seat'] } },
      { inputId: 't1.0', call: { args: { deck: 12 } } },
    ]);
    const [one, two] = runs;
    await expect(one.complete('t1.0', { row: 12 })).rejects.toMatchObject({
      code: 'InvalidAnswer',
      message: "input 't1.0' asks for another shape: the value seat is required",
    });
    await one.complete('t1.0', { seat: '12A' });
    await two.complete('t1.0', { seat: '7F' });
    expect((await one.result()).finalResponse.text).toBe('Got 12A.');
    expect((await two.result()).finalResponse.text).toBe('Got 7F.');
  });

  it('come with a message to a thread, for its turn only', async () => {
    const offered: string[][] = [];
    const seen: ScriptedStep = (request, ...rest) => {
      offered.push(request.tools.map(({ name }) => name));
      return typeof step === 'function' ? step(request, ...rest) : step;
    };
    await deploy([
      seen,
      step,
      (request) => (offered.push(request.tools.map(({ name }) => name)), 'Bye.'),
    ]);
    const thread = harness.longhaul.thread({ agent: 'agent', sessionId: randomUUID() });
    const turn = await thread.send('Go.', { clientTools: [pickSeat('row')] });
    const outcome = await turn.outcome();
    expect(outcome).toMatchObject({ kind: 'needs-input', call: { args: { row: 12 } } });
    const [input] = await turn.pending();
    await turn.complete(input?.inputId ?? '', { seat: '12A' });
    expect((await turn.result()).finalResponse.text).toBe('Got 12A.');
    await (await thread.send('Thanks.')).result();
    expect(offered).toEqual([['lookup', 'pick_seat'], ['lookup']]);
  });

  it('stay pinned over a reset and continue-as-new, and their open input is answered', async () => {
    await deploy([step, step]);
    const run = await start([pickSeat('row')]);
    await run.outcome();
    await run.complete('t1.0', { seat: '7F' });
    await run.result();
    // The workers have other tools by now, and the agent has one of that name.
    const agent = defineAgent({ id: 'agent', model: 'scripted/one', tools: [ownSeat] });
    const model = scriptedModel([step, step]);
    await harness.deploy({ runners: [agent], providers: { scripted: model } });
    await run.reset({ to: 1 });
    expect(await run.outcome()).toMatchObject({ inputId: 't1.0', call: { args: { row: 12 } } });
    await continueAsNew(harness.longhaul, run);
    await expect(run.complete('t1.0', { row: 12 })).rejects.toMatchObject({
      code: 'InvalidAnswer',
    });
    await run.complete('t1.0', { seat: '12A' });
    expect((await run.result()).finalResponse.text).toBe('Got 12A.');
    const names = model.requests.map(({ tools }) => tools.map(({ name }) => name).sort());
    expect(names).toEqual([
      ['lookup', 'pick_seat'],
      ['lookup', 'pick_seat'],
    ]);
    const definitions = (await run.audit()).map(({ definition }) => definition);
    expect(new Set(definitions).size).toBe(1);
  });

  it('take only arguments that match, whatever other agents have under the name', async () => {
    await deploy([callOf('pick_seat', { row: 'x' }), callOf('pick_seat', { row: 3 }), 'Done.']);
    const run = await start([pickSeat('row')]);
    expect(await run.outcome()).toMatchObject({ inputId: 't2.0', call: { args: { row: 3 } } });
    await run.fail('t2.0', 'sold out');
    expect((await run.result()).finalResponse.text).toBe('Done.');
    expect(JSON.stringify(await run.transcript())).toContain('do not match its schema');
  });

  it.each<[string, string, readonly ClientToolOptions[], string]>([
    [
      'of the agent',
      'agent',
      [{ ...pickSeat('row'), name: 'lookup' }],
      "client tool 'lookup' has the name of a tool of the workers: rename it",
    ],
    [
      'of a sub-agent',
      'boss',
      [{ ...pickSeat('row'), name: 'helper' }],
      "client tool 'helper' has the name of a sub-agent: rename it",
    ],
    [
      'of a tool below',
      'boss',
      [pickSeat('row')],
      "client tool 'pick_seat' has the name of a tool of the workers: rename it",
    ],
    [
      'of ask_user',
      'agent',
      [{ ...pickSeat('row'), name: 'ask_user' }],
      "client tool 'ask_user' has the name of the tool that asks the user: rename it",
    ],
    [
      'of read_result',
      'agent',
      [{ ...pickSeat('row'), name: 'read_result' }],
      "client tool 'read_result' has the name of the tool for stored results: rename it",
    ],
  ])('may not have the name %s', async (_name, runner, tools, message) => {
    const below = defineAgent({
      id: 'below',
      model: 'scripted/one',
      tools: [ownSeat],
    });
    const boss = defineAgent({
      id: 'boss',
      model: 'scripted/one',
      tools: [subAgent(below, { name: 'helper', description: 'Helps' })],
    });
    await deploy([], boss);
    const run = await start(tools, runner);
    await expect(run.result()).rejects.toMatchObject({
      code: 'InvalidInput',
      message: expect.stringContaining(message) as string,
    });
  });

  it('are refused for an orchestration, and by a run that anybody started with wrong ones', async () => {
    await deploy([], sequential({ id: 'steps', steps: ['agent'] }));
    const refused = { code: 'InvalidInput' };
    await expect((await start([pickSeat('row')], 'steps')).result()).rejects.toMatchObject(refused);
    const { client, taskQueue } = harness.longhaul;
    const many = Array.from({ length: 17 }, (_, at) => ({
      name: `t${at}`,
      description: 'x',
      inputSchema: { type: 'object' },
    }));
    for (const clientTools of [many, [{ name: 'a' }], { a: 1 }]) {
      const workflowId = `forged-${crypto.randomUUID()}`;
      const args = [{ runner: 'agent', input: 'Go.', clientTools }];
      await client.workflow.start(workflowTypes.agent, { workflowId, taskQueue, args });
      await expect(harness.longhaul.run(workflowId).result()).rejects.toMatchObject(refused);
    }
  });

  it('come beside a spec that travels with its start, too', async () => {
    await deploy([step, step]);
    const spec = defineAgent({ id: 'sent', model: 'scripted/one' });
    const run = await harness.longhaul.startSpec(spec, 'Go.', { clientTools: [pickSeat('row')] });
    expect(await run.outcome()).toMatchObject({ call: { args: { row: 12 } } });
    await run.complete('t1.0', { seat: '7F' });
    expect((await run.result()).finalResponse.text).toBe('Got 7F.');
  });

  it('are refused by the client before a run starts', async () => {
    const tools = Array.from({ length: 17 }, (_, at) => ({ ...pickSeat('row'), name: `t${at}` }));
    await expect(start(tools)).rejects.toMatchObject({ code: 'InvalidInput' });
    const looping = { ...pickSeat('row'), resultSchema: { $ref: '#' } };
    await expect(start([looping])).rejects.toMatchObject({ code: 'SpecError' });
    const executing = { ...pickSeat('row'), execute: () => 1 };
    await expect(start([executing])).rejects.toMatchObject({ code: 'InvalidInput' });
  });
});
