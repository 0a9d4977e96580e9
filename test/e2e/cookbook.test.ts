// The recipes of examples/cookbook, each with a worker of its own on the dev server of this Jest run. The one about faults is a test itself.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import * as approvalByTwo from '../../examples/cookbook/approval-by-two.mts';
import * as budgetThatAsks from '../../examples/cookbook/budget-that-asks.mts';
import * as graph from '../../examples/cookbook/graph.mts';
import * as nightly from '../../examples/cookbook/nightly.mts';
import * as typedResult from '../../examples/cookbook/typed-result.mts';
import * as webhook from '../../examples/cookbook/webhook.mts';
import { fetchHistory, measureHistory } from '../../src/testing';
import type { CreateWorkerOptions } from '../../src/worker';
import { startPostgres, type PostgresServer } from '../contract/postgres';
import { describeWithTimeSkipping } from '../servers';
import { eventually } from '../workflow/eventually';
import { openHarness, type Harness } from '../workflow/harness';
import { expectNothingLeft, runExample, type Ended } from './example-process';
import { runWorkflowsInThread } from './in-thread';

describe('the cookbook', () => {
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-cookbook-'));
  let harness: Harness;
  let demo: Promise<Ended>;
  beforeAll(() => {
    runWorkflowsInThread();
    // The one that bundles its own workflows, with the built package; meanwhile the others run.
    demo = runExample('run.mts', { folder, args: ['cookbook', 'existing-worker'] });
  });
  beforeEach(async () => {
    harness = await openHarness(undefined, 'cookbook');
  });
  afterEach(() => harness.close());
  afterAll(() => rmSync(folder, { recursive: true }));

  it('approval by two: pays once, and not before a second person approves', async () => {
    const { longhaul } = harness;
    await harness.worker(approvalByTwo.default);
    const { run, ...told } = await approvalByTwo.main(longhaul);
    expect(told).toEqual({
      question: 'May refund run? Pay 480 euros of order 1042 back.',
      refused: expect.stringMatching(/^NotPermitted: .*'mia' asked for this run/) as string,
      missing: 1,
      answer: 'The 480 euros are on their way.',
    });
    expect(approvalByTwo.paid).toEqual([
      {
        order: '1042',
        euros: 480,
        idempotencyKey: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      },
    ]);
    const verdicts = (await longhaul.run(run).audit()).filter(({ kind }) => kind === 'verdict');
    expect(verdicts.map(({ by }) => by?.id)).toEqual(['ada', 'bob']);
  });

  it("webhook: takes a result, once, from who has the call's token", async () => {
    await harness.worker(webhook.default);
    expect(await webhook.main(harness.longhaul)).toEqual({
      statuses: [400, 204, 204],
      answer: 'Your export is ready.',
    });
  });

  it('nightly: the schedule starts runs', async () => {
    const { longhaul, taskQueue } = harness;
    await harness.worker(nightly.default);
    const { next, run, answer } = await nightly.main(longhaul);
    const scheduleId = `nightly-${taskQueue}`;
    await longhaul.client.schedule.getHandle(scheduleId).delete();
    expect(run).toMatch(new RegExp(`^${scheduleId}-\\d{4}-\\d\\d-\\d\\dT`));
    expect(answer).toBe('Three orders wait for a reply.');
    const time = next?.toLocaleTimeString('de-DE', { timeZone: 'Europe/Berlin' });
    expect(time).toBe('02:30:00');
    expect(await longhaul.run(run).state()).toMatchObject({
      runner: 'reporter',
      status: 'completed',
    });
  });

  describe('conversation in PostgreSQL', () => {
    let server: PostgresServer;
    let database: Client;
    beforeAll(async () => {
      server = await startPostgres();
      database = new Client({ connectionString: server.url });
      await database.connect();
    });
    afterAll(async () => {
      await database.end();
      await server.stop();
    });

    it('has a row for each turn', async () => {
      process.env['DATABASE_URL'] = server.url;
      const recipe = await import('../../examples/cookbook/conversation-in-postgres.mts');
      await harness.worker(recipe.default);
      const { answers, turns } = await recipe.main(harness.longhaul);
      expect(answers).toEqual(['Hello, Ada.', 'You are Ada.']);
      const said = [
        { user: 'I am Ada.', assistant: 'Hello, Ada.' },
        { user: 'Who am I?', assistant: 'You are Ada.' },
      ];
      expect(turns).toMatchObject(said);
      const read = async () => {
        const { rows } = await database.query<{ value: object }>(
          `select value from agents.longhaul_memory_turns
           where app_name = $1 and user_id = 'ada' and session_id = 'chat-1' order by created_at`,
          [harness.taskQueue],
        );
        return rows.map(({ value }) => value);
      };
      await eventually('two rows', async () => (await read()).length === 2);
      expect(await read()).toMatchObject(said);
      await recipe.default.stores.close();
    });
  });

  it('typed result: the answer matches the schema at the second try', async () => {
    await harness.worker(typedResult.default);
    expect(await typedResult.main(harness.longhaul)).toEqual({
      queue: 'billing',
      isForToday: true,
    });
  });

  it('budget that asks: goes on with what a person adds', async () => {
    await harness.worker(budgetThatAsks.default);
    expect(await budgetThatAsks.main(harness.longhaul)).toEqual({
      question: expect.stringMatching(/800 tokens/) as string,
      answer: 'Northwind is cheaper, by 80 euros.',
      tokens: 1_015,
      costUsd: expect.closeTo(0.001435) as number,
    });
  });

  it('large files: the model finds its line, and history has references only', async () => {
    process.env['RESULTS_FOLDER'] = folder;
    const recipe = await import('../../examples/cookbook/large-files.mts');
    const options: CreateWorkerOptions = recipe.default;
    await harness.worker(options);
    const { results } = recipe.default;
    const longhaul = await harness.connect({ results });
    const { run, ...told } = await recipe.main(longhaul);
    expect(told).toEqual({ answer: '12345 ERROR', same: true });
    expect(measureHistory(await fetchHistory(longhaul, run)).bytes).toBeLessThan(40_000);
    await longhaul.close();
  });

  it('graph: the last task gets what the others found', async () => {
    await harness.worker(graph.default);
    expect(await graph.main(harness.longhaul)).toEqual({
      answer: 'Do it.',
      tasks: [
        ['decision/benefits', 'completed'],
        ['decision/cost', 'completed'],
        ['decision/advice', 'completed'],
      ],
    });
  });

  it('existing worker: an agent between the workflow and the activities of its owner', async () => {
    const { output, status, group } = await demo;
    expect({ status, output }).toMatchObject({ status: 0 });
    expect(output).toContain('"letter": "sent: Please pay 340 euros."');
    await expectNothingLeft(group);
  });

  describeWithTimeSkipping('a test with faults', () => {
    jest.requireActual('../../examples/cookbook/faults.test.mts');
  });
});
