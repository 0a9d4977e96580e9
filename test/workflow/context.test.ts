// Runs that outgrow the context of their model, against a model that refuses what is too long.

import { setTimeout as pause } from 'node:timers/promises';
import { defineAgent, defineTool, subAgent, type Agent } from '../../src';
import type { AgentOptions } from '../../src/define/agent';
import type { LogEntry } from '../../src/protocol/log';
import { ProviderError } from '../../src/protocol/errors';
import { linesOf } from './conversation';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { lookUp, narrowModel, textOf, type NarrowModel } from './narrow-model';

const introduction = 'Summary of the conversation so far:\n';

/** Results of so many bytes; each says which call it answers. */
function looking(bytes: number, effect: 'read' | 'idempotent' = 'read') {
  return defineTool({
    name: 'look_up',
    description: 'Looks something up',
    inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
    effect,
    execute: ({ id }: { id?: string }) => `${id}: ${'word '.repeat(bytes / 5)}`,
  });
}

function anAgent(bytes: number, options: Partial<AgentOptions> = {}): Agent {
  return defineAgent({
    id: 'reader',
    model: 'narrow/reader',
    maxIterations: 500,
    tools: [looking(bytes)],
    ...options,
  });
}

const rounds =
  (count: number) =>
  (call: number): ReturnType<typeof lookUp> | undefined =>
    call <= count ? lookUp(`c${call}`) : undefined;

const compactions = (log: readonly LogEntry[]): string[] =>
  log.flatMap((entry) => {
    if (entry.kind === 'summary') return ['summary'];
    return entry.kind === 'decision' ? [entry.decision.kind] : [];
  });

describe('a run that outgrows its context', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  async function start(agent: Agent, model: NarrowModel, options = {}) {
    await harness.deploy({ runners: [agent], providers: { narrow: model } });
    return await harness.longhaul.start('reader', 'Read all.', options);
  }

  it('ends, never sends too much, and has all that happened', async () => {
    const window = 8_000;
    const model = narrowModel({ window, answers: rounds(40) });
    const run = await start(anAgent(2_000, { context: { window } }), model);
    const { usage, finalResponse } = await run.result();
    expect(finalResponse.text).toBe('done');
    expect(model.refused).toBe(0);
    expect(model.summaries.length).toBeGreaterThan(0);
    for (const { messages } of model.turns) expect(textOf(messages[0])).toBe('Read all.');
    const [asked] = model.summaries;
    expect(asked).toMatchObject({ tools: [], toolChoice: 'none', messages: [{ role: 'user' }] });
    const older = textOf(asked?.messages[0]);
    expect(older).toContain('user: Read all.\n\nassistant called look_up: {"id":"c1"}\n\n');
    expect(older).toMatch(
      /look_up returned: c1: word .*\n\[cut: the first \d+ of \d+ bytes are shown/,
    );
    expect(older).not.toContain('I must look that up');
    const log = await run.log();
    expect([...new Set(compactions(log))].sort()).toEqual(['clear-results', 'summary']);
    const last = linesOf(model.turns.at(-1)?.messages ?? []);
    expect(last[1]).toBe(`${introduction}They looked up.`);
    const told = linesOf(await run.transcript());
    for (let call = 1; call <= 40; call += 1) {
      const result = told.find((line) => line.startsWith(`← look_up c${call}: `));
      expect(result?.length).toBeGreaterThan(2_000);
    }
    const counted = log.reduce(
      (sum, entry) => sum + (entry.kind === 'model-turn' ? (entry.usage.totalTokens ?? 0) : 0),
      0,
    );
    expect(usage.totalTokens).toBeGreaterThan(counted);
  });

  it('compacts once where the provider says that a prompt is too long, whatever the window', async () => {
    const model = narrowModel({ window: 6_000, answers: rounds(12) });
    const run = await start(anAgent(2_500, { context: {} }), model);
    expect((await run.result()).finalResponse.text).toBe('done');
    expect(model.refused).toBeGreaterThan(0);
    expect(compactions(await run.log())).not.toEqual([]);
  });

  it.each([
    ['read', 'call the tool again if you need it'],
    ['idempotent', 'the call has been made: do not make it again'],
  ] as const)(
    'gets results one by one where all at once are too long: %s',
    async (effect, says) => {
      const model = narrowModel({
        window: 6_000,
        answers: (call) => {
          if (call === 1) return lookUp('a', 'b', 'c', 'd');
          return call < 6 ? lookUp(`one${call}`) : undefined;
        },
      });
      const tools = [looking(8_000, effect)];
      const run = await start(anAgent(8_000, { tools, context: { window: 6_000 } }), model);
      expect((await run.result()).finalResponse.text).toBe('done');
      const shown = linesOf(model.turns[1]?.messages ?? []);
      expect(shown.at(-1)).toContain(`bytes cleared to save room; ${says}`);
    },
  );

  it('fails typed where the provider refuses the shorter prompt, too', async () => {
    const model = narrowModel({ window: 200, answers: rounds(1) });
    const run = await start(anAgent(20_000, { context: { window: 200_000 } }), model);
    await expect(run.result()).rejects.toMatchObject({
      code: 'ProviderError',
      details: { kind: 'context_length' },
    });
    expect(model.refused).toBe(2);
  });

  it('fails typed at once where there is nothing to leave out, and without a context', async () => {
    for (const context of [{ window: 1_000 }, undefined]) {
      const model = narrowModel({ window: 160, answers: rounds(1) });
      const agent = anAgent(5, context ? { context } : {});
      await harness.deploy({ runners: [agent], providers: { narrow: model } });
      const run = await harness.longhaul.start('reader', 'x'.repeat(5_000));
      await expect(run.result()).rejects.toMatchObject({ details: { kind: 'context_length' } });
      expect(model.refused).toBe(1);
    }
  });

  it('goes on where summaries fail, and asks for another some turns later', async () => {
    const window = 8_000;
    const model = narrowModel({
      window,
      answers: rounds(20),
      summary: () => {
        throw new ProviderError('rejected', 'not today');
      },
    });
    const run = await start(
      anAgent(1_000, { context: { window, compactAt: 0.2, keepTurns: 2 } }),
      model,
    );
    expect((await run.result()).finalResponse.text).toBe('done');
    expect(model.summaries.length).toBeGreaterThan(1);
    expect(model.summaries.length).toBeLessThan(12);
    expect(compactions(await run.log())).not.toContain('summary');
  });

  it('cuts a summary that is longer than what it replaces', async () => {
    const window = 8_000;
    const model = narrowModel({
      window,
      answers: rounds(30),
      summary: () => 'long '.repeat(50_000),
    });
    const context = { window, clearResults: false, keepTurns: 2 } as const;
    const run = await start(anAgent(2_000, { context }), model);
    expect((await run.result()).finalResponse.text).toBe('done');
    expect(model.refused).toBe(0);
    const log = await run.log();
    const texts = log.flatMap((entry) => (entry.kind === 'summary' ? [entry.text.length] : []));
    expect(texts.length).toBeGreaterThan(0);
    expect(Math.max(...texts)).toBeLessThan(8_000);
  });

  it('asks for more budget after a summary that used it up, before it calls the model again', async () => {
    const window = 8_000;
    const model = narrowModel({ window, answers: rounds(12) });
    const context = { window, clearResults: false, keepTurns: 2 } as const;
    const agent = anAgent(2_500, { context });
    const free = await start(agent, model);
    await free.result();
    const isSummary = (entry: LogEntry): boolean => entry.kind === 'summary';
    const log = await free.log();
    const before = log.slice(0, log.findIndex(isSummary));
    const spent = before.reduce(
      (sum, entry) => sum + (entry.kind === 'model-turn' ? (entry.usage.totalTokens ?? 0) : 0),
      0,
    );
    const again = narrowModel({ window, answers: rounds(12) });
    const run = await start(agent, again, { budget: { maxTokens: spent + 1 } });
    const outcome = await run.outcome();
    expect(outcome).toMatchObject({ kind: 'needs-input', pending: [{ kind: 'budget' }] });
    const paused = await run.log();
    expect(paused.at(-1)?.kind).toBe('summary');
    await run.resume(1_000_000);
    expect((await run.result()).finalResponse.text).toBe('done');
  });

  it('is cancelled while a summary is being written', async () => {
    const window = 8_000;
    const model = narrowModel({
      window,
      answers: rounds(30),
      summary: async (_request, signal) => {
        await pause(3_600_000, undefined, { signal });
        return 'never';
      },
    });
    const context = { window, clearResults: false } as const;
    const run = await start(anAgent(2_500, { context }), model);
    await eventually('a summary is being written', () => model.summaries.length > 0);
    await run.cancel('enough');
    await expect(run.result()).rejects.toMatchObject({ code: 'RunCancelled' });
  });

  it('is a run below another one', async () => {
    const window = 8_000;
    const model = narrowModel({
      window,
      answers: (call, { model: name }) => {
        if (name === 'reader') return rounds(15)(call);
        const ask = { type: 'tool_call', callId: 'a', name: 'reader', args: { input: 'Read.' } };
        return call === 1 ? [ask as ReturnType<typeof lookUp>[number]] : undefined;
      },
    });
    const reader = anAgent(2_500, { context: { window, clearResults: false } });
    const manager = defineAgent({
      id: 'manager',
      model: 'narrow/manager',
      tools: [subAgent(reader, { name: 'reader', description: 'Reads' })],
    });
    await harness.deploy({ runners: [manager], providers: { narrow: model } });
    const run = await harness.longhaul.start('manager', 'Go.');
    expect((await run.result()).finalResponse.text).toBe('done');
    expect(model.summaries.length).toBeGreaterThan(0);
    expect(model.refused).toBe(0);
  });

  it('continues as new in the middle, and plans as before', async () => {
    const window = 400_000;
    const ids = Array.from({ length: 10 }, (_each, at) => `c${at}`);
    const model = narrowModel({
      window,
      answers: (call) => (call <= 8 ? lookUp(...ids) : undefined),
    });
    const context = { window, clearResults: { olderThan: 1 } };
    const run = await start(anAgent(60_000, { context }), model);
    const first = (await run.state()).runId;
    expect((await run.result()).finalResponse.text).toBe('done');
    expect((await run.state()).runId).not.toBe(first);
    expect(model.refused).toBe(0);
    expect(compactions(await run.log()).length).toBeGreaterThan(2);
    expect((await run.transcript()).length).toBe(1 + 2 * 8 + 1);
  });

  it('gives a thread a summary in place of what it remembered', async () => {
    const window = 4_000;
    const said = 'word '.repeat(400);
    const model = narrowModel({
      window,
      answers: () => [{ type: 'text', text: said }],
      summary: () => 'They talked.',
    });
    const agent = defineAgent({
      id: 'talker',
      model: 'narrow/talker',
      memory: { kind: 'full' },
      context: { window, keepTurns: 2 },
    });
    await harness.deploy({ runners: [agent], providers: { narrow: model } });
    const thread = harness.longhaul.thread({ agent: 'talker', sessionId: harness.taskQueue });
    for (let turn = 1; turn <= 14; turn += 1) await (await thread.send(`turn ${turn}`)).result();
    expect(model.refused).toBe(0);
    expect(model.summaries.length).toBeGreaterThan(0);
    expect(model.summaries.length).toBeLessThan(7);
    expect(linesOf(model.turns.at(-1)?.messages ?? [])[0]).toBe(`${introduction}They talked.`);
    expect(await thread.turns()).toHaveLength(14);
  });
});
