// Runs that outgrow a small window, over the wire of each API: a strict double refuses what the API refuses.

import { defineAgent, defineTool, type Agent } from '../../src';
import type { AgentOptions } from '../../src/define/agent';
import { type Dialect, dialects, models } from '../../bench/strict-rules.mts';
import { StrictProvider } from '../../bench/strict-provider.mts';
import { openHarness, type Harness } from './harness';

const window = 5_000;
const rounds = 24;

const readPage = defineTool({
  name: 'read_page',
  description: 'Reads a page.',
  inputSchema: { type: 'object', properties: { page: { type: 'integer' } } },
  execute: ({ page }: { page?: number }) =>
    `Page ${page}. ${'It says little. '.repeat(20 + (((page ?? 0) * 7) % 80))}`,
});

function reader(dialect: Dialect, context: NonNullable<AgentOptions['context']>): Agent {
  return defineAgent({
    id: 'reader',
    model: `double/${models[dialect]}`,
    tools: [readPage],
    maxIterations: rounds + 1,
    settings: { reasoning: { effort: 'low' } },
    context,
  });
}

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

describe.each(dialects)('a run over %s that outgrows its window', (dialect) => {
  let double: StrictProvider;
  beforeEach(async () => {
    double = await StrictProvider.start({ window, rounds });
  });
  afterEach(() => double.stop());

  async function finish(context: NonNullable<AgentOptions['context']>) {
    await harness.deploy({
      runners: [reader(dialect, context)],
      providers: { double: double.config(dialect) },
    });
    const run = await harness.longhaul.start('reader', 'Read every page.');
    const { finalResponse } = await run.result();
    expect(finalResponse.text).toBe('All read.');
    const results = (await run.transcript()).filter(({ role }) => role === 'tool');
    expect(results).toHaveLength(rounds);
    return double.requests;
  }

  it('ends, and no request is refused', async () => {
    const requests = await finish({ window, keepTurns: 3 });
    expect(requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
    expect(requests.filter(({ kind }) => kind === 'turn')).toHaveLength(rounds + 1);
    expect(requests.filter(({ kind }) => kind === 'summary')).not.toHaveLength(0);
    // Between two compactions a prompt only grows at its end.
    const kept = requests.filter(({ shared, bytes }) => shared > bytes / 2);
    expect(kept.length).toBeGreaterThan(rounds / 2);
  });

  it("makes the prompt smaller when the API says that it is too long, in the API's own words", async () => {
    const requests = await finish({ keepTurns: 3 });
    const refusals = requests.flatMap(({ refusal }) => refusal ?? []);
    expect(refusals).not.toHaveLength(0);
    expect([...new Set(refusals)]).toEqual(['too long']);
  });
});
