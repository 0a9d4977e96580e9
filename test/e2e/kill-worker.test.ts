// Workers in processes of their own, on the built package, killed with SIGKILL at every point that matters; and a killed server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunHandle } from '../../src/client';
import { startDevServer } from '../../src/server/dev/dev-server';
import { devServerAddress } from '../servers';
import { fetchHistory } from '../workflow/history';
import { boundaries, killAtEveryBoundary } from './kill-worker-bookings';
import { killInChat } from './kill-worker-chat';
import { inlineMoments, killFromInside, killInInlineTurns } from './kill-worker-inline';
import { KillSetup } from './kill-worker-setup';
import { killWithTokens } from './kill-worker-tokens';
import { killBelowTree } from './kill-worker-tree';
import {
  startRun,
  recordOf,
  answerAndRecord,
  textOfResults,
  type RunRecord,
} from './kill-worker-record';

const print = (line: string): boolean => process.stdout.write(`${line}\n`);
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const outcomeUnknown = {
  type: 'text',
  text: 'OutcomeUnknown: the call was cut off and may or may not have taken effect. Check before repeating it.',
};

const setup = new KillSetup();
const { gate } = setup;

const names = [
  'slow model',
  'idempotent tool',
  'once tool',
  'question',
  'killed server',
  'every step',
] as const;
type Name = (typeof names)[number];

/** What every script comes to when nothing happens. */
async function runUndisturbed(): Promise<Record<Name, RunRecord>> {
  const { longhaul, startWorker } = await setup.cluster(devServerAddress());
  const worker = await startWorker();
  const records = await Promise.all(
    names.map(
      async (name) => [name, await answerAndRecord(await startRun(longhaul, name))] as const,
    ),
  );
  await worker.kill();
  return Object.fromEntries(records) as Record<Name, RunRecord>;
}

/** One worker serves four runs: in a model call, in two tools, and waiting. It is killed, and another one takes over. */
async function killInTheMiddle() {
  const { longhaul, startWorker } = await setup.cluster(devServerAddress());
  const firstWorker = await startWorker();
  const steps = [
    ['slow model', 'model 2'],
    ['idempotent tool', 'charge'],
    ['once tool', 'send_mail'],
  ] as const;
  const runs = new Map<string, RunHandle>();
  const begun = Date.now();
  for (const [name, step] of steps) {
    gate.hold(name, step);
    runs.set(name, await startRun(longhaul, name));
  }
  const waiting = await startRun(longhaul, 'question');
  await Promise.all([waiting.outcome(), ...steps.map(([name, step]) => setup.held(name, step))]);
  const killedAt = Date.now();
  await firstWorker.kill();
  await startWorker();
  const records = await Promise.all(steps.map(([name]) => recordOf(runs.get(name) as RunHandle)));
  const attempts = steps.map(([name, step]) =>
    gate.arrivals(name, step).filter(({ at }) => at >= begun),
  );
  return {
    killedPid: firstWorker.pid,
    killedAt,
    records,
    attempts,
    answered: await answerAndRecord(waiting),
  };
}

/** Every activity's first attempt does its work, then the worker is gone before it could say so. */
async function killAfterEveryStep() {
  const { longhaul, startWorker } = await setup.cluster(devServerAddress());
  const begun = Date.now();
  const run = await startRun(longhaul, 'every step');
  let isOver = false;
  const record = recordOf(run).finally(() => (isOver = true));
  let deaths = 0;
  while (!isOver) {
    const worker = await startWorker({ diesAfterEveryStep: true });
    await Promise.race([worker.exited, record]);
    deaths += isOver ? 0 : 1;
  }
  const charges = gate.arrivals('every step', 'charge').filter(({ at }) => at >= begun);
  return { record: await record, deaths, charges };
}

/**
 * A result of 5 MB goes into a result store, and the run continues as new. Its worker is killed before the model searches the result,
 * and another one goes on.
 */
async function killBeforeRead() {
  const results = mkdtempSync(join(tmpdir(), 'longhaul-killed-reader-'));
  setup.onClose(async () => rmSync(results, { recursive: true }));
  const { longhaul, startWorker } = await setup.cluster(devServerAddress());
  const firstWorker = await startWorker({ results });
  gate.hold('report', 'model 6');
  const run = await startRun(longhaul, 'report');
  await setup.held('report', 'model 6');
  const [started] = await fetchHistory(longhaul, run.workflowId);
  await firstWorker.kill();
  await startWorker({ results });
  const { finalResponse } = await run.result();
  return {
    text: finalResponse.text,
    continuedFrom: started?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId,
    killedPid: firstWorker.pid,
    fetchedBy: gate.arrivals('report', 'fetch_report').map(({ pid }) => pid),
    searchedBy: gate.arrivals('report', 'model 7').map(({ pid }) => pid),
  };
}

/** A server of its own is killed while one run is in a model call and one waits, and started again with its file. */
async function killServer() {
  const scratch = mkdtempSync(join(tmpdir(), 'longhaul-killed-server-'));
  setup.onClose(async () => rmSync(scratch, { recursive: true }));
  const options = { dbFile: join(scratch, 'runs.db'), headless: true };
  const first = await startDevServer(options);
  setup.onClose(() => first.stop());
  const { longhaul, startWorker } = await setup.cluster(first.address);
  await startWorker();
  const waiting = await startRun(longhaul, 'question');
  await waiting.outcome();
  gate.hold('killed server', 'model 2');
  const running = await startRun(longhaul, 'killed server');
  await setup.held('killed server', 'model 2');
  process.kill(first.pid, 'SIGKILL');
  await first.exited;
  const second = await startDevServer({ ...options, port: first.port });
  setup.onClose(() => second.stop());
  gate.letGo('killed server', 'model 2');
  return { finished: await recordOf(running), answered: await answerAndRecord(waiting) };
}

describe('killed with SIGKILL', () => {
  let undisturbed: Record<Name, RunRecord>;
  let middle: ReturnType<typeof killInTheMiddle>;
  let everyStep: ReturnType<typeof killAfterEveryStep>;
  let server: ReturnType<typeof killServer>;
  let bookings: ReturnType<typeof killAtEveryBoundary>;
  let tree: ReturnType<typeof killBelowTree>;
  let tokens: ReturnType<typeof killWithTokens>;
  let reader: ReturnType<typeof killBeforeRead>;
  let inline: ReturnType<typeof killInInlineTurns>;
  let fromInside: ReturnType<typeof killFromInside>;
  let chats: Record<'diesBefore' | 'diesAfter', ReturnType<typeof killInChat>>;

  beforeAll(async () => {
    await setup.open();
    undisturbed = await runUndisturbed();
    [server, middle, everyStep] = [killServer(), killInTheMiddle(), killAfterEveryStep()];
    [bookings, tree] = [killAtEveryBoundary(setup), killBelowTree(setup)];
    [reader, tokens] = [killBeforeRead(), killWithTokens(setup)];
    [inline, fromInside] = [killInInlineTurns(setup), killFromInside(setup)];
    chats = {
      diesBefore: killInChat(setup, 'diesBefore'),
      diesAfter: killInChat(setup, 'diesAfter'),
    };
    for (const experiment of [
      server,
      middle,
      everyStep,
      bookings,
      tree,
      tokens,
      reader,
      inline,
      fromInside,
      ...Object.values(chats),
    ])
      experiment.catch(() => undefined);
  });
  afterAll(() => setup.close());

  it('the server goes on from its file, and so do the runs in a model call and in a wait', async () => {
    const { finished, answered } = await server;
    expect(finished).toEqual(undisturbed['killed server']);
    expect(answered).toEqual(undisturbed['question']);
  });

  it('a worker in a model call leaves it to another one, and the run comes to the same', async () => {
    const { killedPid, killedAt, records, attempts } = await middle;
    const [first, second, ...more] = attempts[0] ?? [];
    expect(records[0]).toEqual(undisturbed['slow model']);
    expect([first?.pid, more]).toEqual([killedPid, []]);
    print(`next attempt of the model call ${seconds((second?.at ?? 0) - killedAt)} after the kill`);
  });

  it('a worker in an idempotent tool leaves it to another one, with the same key', async () => {
    const { killedPid, killedAt, records, attempts } = await middle;
    const [first, second, ...more] = attempts[1] ?? [];
    expect(records[1]).toEqual(undisturbed['idempotent tool']);
    expect([first?.pid, second?.key, more]).toEqual([killedPid, first?.key, []]);
    expect(first?.key).toMatch(/^[0-9a-f]{64}$/);
    print(`next attempt of the tool ${seconds((second?.at ?? 0) - killedAt)} after the kill`);
  });

  it('a worker in a tool with effect `once` is the only one to run it, and the model is told', async () => {
    const { killedPid, records, attempts } = await middle;
    const record = records[2] as RunRecord;
    const same = undisturbed['once tool'];
    expect(attempts[2]?.map(({ pid }) => pid)).toEqual([killedPid]);
    expect(textOfResults(record, 'send_mail')).toContain('OutcomeUnknown');
    expect(textOfResults(record, 'look_up')).toBe(textOfResults(same, 'look_up'));
    expect(record.result).toMatchObject({
      finalResponse: { text: 'I cannot tell whether it was sent.' },
    });
  });

  it.each(boundaries)(
    'a worker in a call with effect `once`, $boundary, leaves it at that: at most one effect',
    async ({ boundary, isBooked }) => {
      const booking = (await bookings).get(boundary);
      expect(booking).toMatchObject({
        ledger: isBooked ? [`${booking?.name}: 9`] : [],
        callers: [booking?.killedPid],
        told: [{ callId: 'call_0_0', name: 'book', isError: true, content: [outcomeUnknown] }],
        result: {
          finalResponse: { text: 'I cannot tell whether it was booked.' },
          iterations: 1,
          completionReason: 'text response',
        },
      });
    },
  );

  it('a worker whose run waits changes nothing for that run', async () => {
    expect((await middle).answered).toEqual(undisturbed['question']);
  });

  it.each([
    { name: 'has not saved a turn yet', moment: 'diesBefore', savedBeforeKill: 0 },
    { name: 'saved a turn and has not said so', moment: 'diesAfter', savedBeforeKill: 1 },
  ] as const)('a worker that $name leaves it saved once, and the answer out', async (row) => {
    expect(await chats[row.moment]).toEqual({
      answers: ['Hello.', 'Hello again.'],
      savedBeforeKill: row.savedBeforeKill,
      saved: [
        ['chat', 'Hello.'],
        ['more', 'Hello again.'],
      ],
      attempts: 2,
    });
  });

  it('a worker and then a server leave three questions of a tree open, which are answered in any order', async () => {
    const [first, third] = ['tree/branches/branch-1', 'tree/branches/branch-3/inner/helper'];
    const texts = ['You chose oak.', 'You chose elm.', 'You chose fir.'];
    expect(await tree).toEqual({
      asked: [first, 'tree/branches/branch-2', third],
      afterWorker: [first, third],
      afterServer: [first, third],
      result: {
        finalResponse: { text: texts[2], content: [{ type: 'text', text: texts[2] }] },
        combinedText: JSON.stringify(texts),
        iterations: 0,
        completionReason: 'all branches completed',
        session: {},
        usage: {
          inputTokens: 60,
          outputTokens: 30,
          totalTokens: 90,
          cacheReadTokens: null,
          cacheWriteTokens: null,
          reasoningTokens: null,
        },
      },
    });
  });

  it('a worker leaves a result to come by its token, if the server has heard of that', async () => {
    expect(await tokens).toEqual({
      begunBy: ['killed', 'other', 'other'],
      areTokensNew: true,
      refused: 'TokenInvalid',
      waiting: ['t1.0', 't1.0'],
      again: 'AlreadyAnswered',
      texts: ['1 rows.', '2 rows.'],
    });
  });

  it('a worker leaves a result of 5 MB to another one, which finds what is in it after a continue-as-new', async () => {
    const { text, continuedFrom, killedPid, fetchedBy, searchedBy } = await reader;
    expect(text).toBe('It says: here is the needle-7f3a.');
    expect(continuedFrom).toBeTruthy();
    expect(fetchedBy).toEqual([killedPid]);
    expect(searchedBy).not.toContain(killedPid);
    expect(searchedBy).not.toHaveLength(0);
  });

  it.each(inlineMoments)(
    'a worker in an inline turn, $moment, leaves the same transcript, and the model is asked $asked times',
    async ({ moment, asked }) => {
      const { same, kills } = await inline;
      const kill = kills.get(moment);
      const [, ...transcript] = same.transcript;
      expect(kill?.record.transcript.slice(1)).toEqual(transcript);
      expect(kill).toMatchObject({ asked, mails: 1, record: { result: same.result } });
    },
  );

  it('a worker by a tool that runs inline dies of it once, and the tool gets an activity of its own', async () => {
    const { transcript, asked, ranBy } = await fromInside;
    expect([asked, ranBy]).toEqual([1, [true, false]]);
    expect(transcript.at(-1)).toMatchObject({ parts: [{ text: 'It is dead.' }] });
  });

  it('a worker that has done its work and has not said so yet leads to the same, at every step', async () => {
    const { record, deaths, charges } = await everyStep;
    expect(record).toEqual(undisturbed['every step']);
    expect(deaths).toBe(4);
    expect([charges.length, new Set(charges.map(({ key }) => key)).size]).toEqual([2, 1]);
  });
});
