// Agents with tools of MCP servers, on the dev server: the servers run as programs of their own.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent, mcpTools, subAgent, type AgentOptions, type McpServer } from '../../src';
import type { RunHandle } from '../../src/client';
import type { Definition } from '../../src/protocol/spec';
import {
  scriptedModel,
  type ScriptedModel,
  type ScriptedStep,
} from '../../src/testing/scripted-model';
import { everything, files, odd } from '../contract/mcp-servers';
import { callOf } from './builders';
import { openHarness, type Harness, type RunningWorker } from './harness';
import { activitySummaries, fetchHistory } from './history';

const schema = { type: 'object', properties: { n: { type: 'integer' } } };

/** A list as the odd server takes it. */
function listing(...tools: readonly { name: string; annotations?: object }[]): string {
  return JSON.stringify([tools.map((tool) => ({ inputSchema: schema, ...tool }))]);
}

const sayWhatYouSaw: ScriptedStep = ({ messages }) => JSON.stringify(messages.at(-1));

describe('mcpTools', () => {
  let harness: Harness;
  let folder: string;
  let ledger: string;
  beforeEach(async () => {
    harness = await openHarness();
    folder = await mkdtemp(join(tmpdir(), 'longhaul-mcp-'));
    ledger = join(folder, 'ledger');
  });
  afterEach(async () => {
    await harness.close();
    await rm(folder, { recursive: true });
  });

  type Started = { run: RunHandle; model: ScriptedModel; worker: RunningWorker };

  async function start(
    server: McpServer,
    steps: readonly ScriptedStep[],
    options: Partial<AgentOptions> = {},
  ): Promise<Started> {
    const model = scriptedModel(steps);
    const agent = defineAgent({ id: 'user', model: 'scripted/one', tools: [server], ...options });
    const worker = await harness.worker({ runners: [agent], providers: { scripted: model } });
    return { run: await harness.longhaul.start('user', 'Go.'), model, worker };
  }

  async function answer({ run }: Started): Promise<string> {
    return (await run.result()).finalResponse.text;
  }

  async function lines(of: string): Promise<number> {
    return (await readFile(ledger, 'utf8')).split('\n').filter((line) => line === of).length;
  }

  it('offers the tools of a server under its name, lists them once, and runs them', async () => {
    await writeFile(join(folder, 'note.txt'), 'remember the milk');
    const server = files(folder, { include: ['read_text_file', 'list_directory'] });
    const started = await start(server, [
      callOf('files__list_directory', { path: folder }),
      callOf('files__read_text_file', { path: join(folder, 'note.txt') }),
      sayWhatYouSaw,
    ]);
    expect(await answer(started)).toContain('remember the milk');
    const { run, model } = started;
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual([
      'files__read_text_file',
      'files__list_directory',
    ]);
    const summaries = activitySummaries(await fetchHistory(harness.longhaul, run.workflowId));
    expect(summaries.filter((text) => text === 'list the tools of MCP servers')).toHaveLength(1);
  });

  it('gives a picture to the model as a picture', async () => {
    const started = await start(everything({ include: ['get-tiny-image'] }), [
      callOf('everything__get-tiny-image'),
      sayWhatYouSaw,
    ]);
    expect(await answer(started)).toMatch(/"type":"media","mediaType":"image\/png"/);
  });

  it('makes a call again when the server died under it', async () => {
    const annotations = { idempotentHint: true };
    const ODD_TOOLS = listing({ name: 'crash-first', annotations });
    const started = await start(odd({ ODD_TOOLS, ODD_LEDGER: ledger }), [
      callOf('odd__crash-first'),
      sayWhatYouSaw,
    ]);
    expect(await answer(started)).toContain('survived on attempt 2');
    expect(await lines('list')).toBe(1);
  });

  it('does not make a call again that nobody called harmless', async () => {
    const ODD_TOOLS = listing({ name: 'crash-first' });
    const started = await start(odd({ ODD_TOOLS, ODD_LEDGER: ledger }), [
      callOf('odd__crash-first'),
      sayWhatYouSaw,
    ]);
    expect(await answer(started)).toMatch(/"isError":true.*OutcomeUnknown.*'odd' is not available/);
    expect(await lines('crash-first')).toBe(1);
  });

  it('gives the server the key of the call', async () => {
    const started = await start(odd({ ODD_TOOLS: listing({ name: 'meta' }) }), [
      callOf('odd__meta'),
      sayWhatYouSaw,
    ]);
    expect(await answer(started)).toMatch(/longhaul\/idempotencyKey\W+[0-9a-f]{64}/);
  });

  it('gives what the server refuses to the model, and does not ask again', async () => {
    const ODD_TOOLS = listing({ name: 'refuse' });
    const started = await start(odd({ ODD_TOOLS, ODD_LEDGER: ledger }), [
      callOf('odd__refuse'),
      sayWhatYouSaw,
    ]);
    expect(await answer(started)).toMatch(/"isError":true.*no such thing/);
    expect(await lines('refuse')).toBe(1);
  });

  it('checks arguments before the server sees them', async () => {
    const ODD_TOOLS = listing({ name: 'silent' });
    const started = await start(odd({ ODD_TOOLS, ODD_LEDGER: ledger }), [
      callOf('odd__silent', { n: 'one' }),
      sayWhatYouSaw,
    ]);
    expect(await answer(started)).toMatch(/do not match its schema.*n: must be integer|n:/);
    expect(await lines('silent')).toBe(0);
  });

  it('keeps to the list of its start when the server changes while the run waits', async () => {
    const steps = [
      callOf('ask_user', { question: 'Go on?' }),
      callOf('odd__silent'),
      sayWhatYouSaw,
    ];
    const before = odd({ ODD_TOOLS: listing({ name: 'silent' }), ODD_LEDGER: ledger });
    const { run, model, worker } = await start(before, steps, { askUser: 'tool' });
    await run.outcome();
    await worker.stop();
    const after = odd({ ODD_TOOLS: listing({ name: 'other' }), ODD_LEDGER: ledger });
    const changed = defineAgent({ id: 'user', model: 'scripted/one', tools: [after] });
    await harness.worker({ runners: [changed], providers: { scripted: model } });
    await run.resume('yes');
    expect((await run.result()).finalResponse.text).toContain('"value":null');
    const offered = model.requests.map(({ tools }) => tools.map(({ name }) => name));
    expect(offered).toEqual(Array(3).fill(['odd__silent', 'ask_user']));
    expect(await lines('list')).toBe(1);
  });

  it('asks a person before a call that may destroy something, if told to', async () => {
    const ODD_TOOLS = listing(
      { name: 'silent', annotations: { readOnlyHint: true } },
      { name: 'crash', annotations: { destructiveHint: true } },
    );
    const { run } = await start(odd({ ODD_TOOLS }, { approveDestructive: true }), [
      callOf('odd__silent'),
      callOf('odd__crash'),
      sayWhatYouSaw,
    ]);
    const outcome = await run.outcome();
    if (outcome.kind !== 'needs-input') throw new Error('does not ask');
    expect(outcome.pending).toMatchObject([{ kind: 'approval', call: { name: 'odd__crash' } }]);
    await run.reject(outcome.inputId, 'too risky');
    expect((await run.result()).finalResponse.text).toContain('too risky');
  });

  it('ends the programs it started with the worker', async () => {
    const started = await start(odd({ ODD_TOOLS: listing({ name: 'pid' }) }), [
      callOf('odd__pid'),
      sayWhatYouSaw,
    ]);
    const pid = Number(/"text":"(\d+)"/.exec(await answer(started))?.[1]);
    expect(process.kill(pid, 0)).toBe(true);
    await started.worker.stop();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('serves agents that are called as tools, from the list of the root run', async () => {
    const server = odd({ ODD_TOOLS: listing({ name: 'pid' }), ODD_LEDGER: ledger });
    const helper = defineAgent({ id: 'helper', model: 'scripted/one', tools: [server] });
    const steps = [
      callOf('help', { input: 'Which?' }),
      callOf('odd__pid'),
      'It is 42.',
      sayWhatYouSaw,
    ];
    const tools = [subAgent(helper, { name: 'help', description: 'Helps' })];
    const started = await start(server, steps, { tools });
    expect(await answer(started)).toContain('It is 42.');
    expect(await lines('list')).toBe(1);
    expect(await lines('pid')).toBe(1);
  });

  it('serves agents that are only data, from the servers of the worker', async () => {
    const model = scriptedModel(['Done.']);
    const server = odd({ ODD_TOOLS: listing({ name: 'pid' }) });
    await harness.worker({ mcpServers: [server], providers: { scripted: model } });
    const run = await harness.longhaul.startSpec(
      {
        kind: 'agent',
        id: 'data',
        model: { provider: 'scripted', model: 'one' },
        mcpServers: ['odd'],
      },
      'Go.',
    );
    await run.result();
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['odd__pid']);
    const pinned = await harness.longhaul.client.workflow
      .getHandle(run.workflowId)
      .query<{ definition: Definition }>('definition');
    expect(pinned.definition.runners['data']).toEqual({
      kind: 'agent',
      id: 'data',
      model: { provider: 'scripted', model: 'one' },
      tools: ['odd__pid'],
    });
  });

  it.each([
    {
      fault: 'is a program that does not exist',
      server: () => mcpTools({ name: 'gone', stdio: { command: 'no-such-program' } }),
      code: 'ToolError',
      message: /MCP server 'gone' is not available: .*ENOENT/,
    },
    {
      fault: 'lists more than a definition may hold',
      server: () => {
        const tools = Array.from({ length: 10 }, (_, index) => ({
          name: `tool-${index}`,
        }));
        return odd({ ODD_TOOLS: listing(...tools), ODD_WORDY: '60000' });
      },
      code: 'SpecError',
      message: /tools of MCP server 'odd' take 5\d\d KiB: choose some of them with include/,
    },
    {
      fault: 'lacks a tool that was chosen',
      server: () => odd({ ODD_TOOLS: listing({ name: 'silent' }) }, { include: ['silemt'] }),
      code: 'SpecError',
      message: /'odd' has no tool 'silemt'.*silent/,
    },
  ])('fails a run clearly when the server $fault', async ({ server, code, message }) => {
    const { run } = await start(server(), ['Done.']);
    await expect(run.result()).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
  });
});
