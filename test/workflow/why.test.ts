// Why a run does not move, as its client says it. Each run is held up in another way.
import { randomUUID } from 'node:crypto';
import { subAgent } from '../../src';
import { connect } from '../../src/client';
import { ProviderError } from '../../src/protocol/errors';
import { signalNames } from '../../src/protocol/names';
import { retryingMemoKey } from '../../src/protocol/retrying';
import { devServerAddress } from '../servers';
import { aTool, askUser, callOf, TestAgents } from './builders';
import { eventually } from './eventually';
import { type Harness, openHarness } from './harness';

const agents = new TestAgents();
const refused = { error: new ProviderError('unavailable', 'fetch failed: ECONNREFUSED') };
const down = Array.from({ length: 40 }, () => refused);

agents.agent('unreachable', down);
agents.agent('recovering', [refused, refused, 'Here again.']);
agents.agent('expired', [{ error: new ProviderError('auth', 'the key is not valid') }]);
agents.agent('asking', [askUser('Which city?'), 'Thanks.'], { askUser: 'tool' });
agents.agent('noted', [askUser('Which city?')], { askUser: 'tool' });
agents.agent('talking', ['One.', 'Two.']);
const throwing = aTool('lookup', () => {
  throw new Error('the table is locked');
});
agents.agent('throwing', [callOf('lookup', { key: 'a secret' })], { tools: [throwing] });
const careful = aTool('refund', () => 'paid', { needsApproval: true });
agents.agent('approving', [callOf('refund', { order: 7 }), 'Paid.'], { tools: [careful] });
const mail = aTool('send_mail', () => 'sent', { needsApproval: true });
agents.agent('mailing', [callOf('send_mail'), 'Sent.'], { tools: [mail] });
const { agent: below } = agents.agent('below', down);
const callBelow = callOf('below', { input: 'Go.' });
agents.agent('calling', [callBelow, callBelow], {
  tools: [subAgent(below, { name: 'below', description: 'Goes on' })],
});

/** The run as a list shows it. */
async function found<Listed extends { readonly workflowId: string }>(
  runs: AsyncIterable<Listed>,
  workflowId: string,
): Promise<Listed | undefined> {
  for await (const run of runs) if (run.workflowId === workflowId) return run;
  return undefined;
}

describe('why a run does not move', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await openHarness();
    const { runners, providers } = agents;
    await harness.deploy({ runners, providers });
  });
  afterAll(async () => await harness.close());

  const started = async (agent: string) => await harness.longhaul.start(agent, 'Go.');

  /** The answer, once it has what the check asks for. */
  const whyOf = async (
    run: Awaited<ReturnType<typeof started>>,
    check: (why: Awaited<ReturnType<typeof run.why>>) => boolean,
  ) => {
    let why = await run.why();
    await eventually('the run is held up', async () => check((why = await run.why())));
    return why;
  };

  it('names a model that it cannot reach, and the attempt', async () => {
    const run = await started('unreachable');
    const why = await whyOf(run, ({ retrying = [] }) => (retrying[0]?.attempt ?? 0) > 2);
    expect(why.retrying).toEqual([
      {
        what: 'model unreachable/one',
        workflowId: run.workflowId,
        attempt: expect.any(Number) as number,
        code: 'ProviderError',
        kind: 'unavailable',
        lastError: expect.stringContaining('ECONNREFUSED') as string,
        since: expect.stringMatching(/^20.*Z$/) as string,
        ...(why.retrying?.[0]?.nextAt && { nextAt: expect.stringMatching(/^20.*Z$/) as string }),
      },
    ]);
    expect(why.reason).toMatch(/^It retries model unreachable\/one, attempt \d+ .*ECONNREFUSED/);
    expect(why.todo).toContain("provider's URL");
    expect((await run.state()).retrying?.[0]).toMatchObject({ what: 'model unreachable/one' });
    await run.cancel();
  });

  it('names a tool that throws again and again, without its arguments', async () => {
    const run = await started('throwing');
    const why = await whyOf(run, ({ retrying = [] }) => retrying.length > 0);
    expect(why.retrying).toMatchObject([
      { what: 'tool lookup', lastError: expect.stringContaining('the table is locked') as string },
    ]);
    expect(JSON.stringify(why)).not.toContain('a secret');
    expect(why.todo).toContain("Mend the tool's code");
    await run.cancel();
  });

  it('names a tool that no worker has, how often it was tried, and since when', async () => {
    const stuck = await openHarness();
    try {
      const { runners, providers } = agents;
      await stuck.deploy({ runners, providers });
      const run = await stuck.longhaul.start('mailing', 'Go.');
      expect(await run.outcome()).toMatchObject({ kind: 'needs-input', inputId: 'a1.0' });
      const others = runners.filter(({ id }) => id !== 'mailing');
      await stuck.deploy({ runners: others, providers });
      await run.approve('a1.0');
      const why = await whyOf(run, ({ retrying = [] }) => (retrying[0]?.attempt ?? 0) > 3);
      expect(why.retrying).toMatchObject([
        { what: 'tool send_mail', code: 'NotRegisteredHere', workflowId: run.workflowId },
      ]);
      expect(why.reason).toMatch(
        /^It retries tool send_mail, attempt \d+ .* \(the first was .* ago\): this worker has no/,
      );
      expect(why.todo).toContain("Start a worker that has tool 'send_mail'");
      await run.cancel();
    } finally {
      await stuck.close();
    }
  });

  it('says what a run below retries', async () => {
    const run = await started('calling');
    const why = await whyOf(run, ({ retrying = [] }) => retrying.length > 0);
    expect(why.reason).toMatch(/^It retries model below\/one of run '.+', attempt/);
    expect((await run.state()).retrying?.[0]?.workflowId).not.toBe(run.workflowId);
    await run.cancel();
  });

  it('says in memo, list and details what is retried, and takes it back when the call ends', async () => {
    const run = await started('recovering');
    const { client } = harness.longhaul;
    const handle = client.workflow.getHandle(run.workflowId);
    const memoOf = async () => (await handle.describe()).memo?.[retryingMemoKey];
    await eventually('the memo says it', async () => (await memoOf()) !== undefined);
    const said = {
      what: 'model recovering/one',
      failures: 2,
      lastError: expect.stringContaining('ECONNREFUSED') as string,
      since: expect.stringMatching(/^20.*Z$/) as string,
    };
    expect(await memoOf()).toEqual(said);
    const { currentDetails } = await handle.query<{ currentDetails: string }>(
      '__temporal_workflow_metadata',
    );
    expect(currentDetails).toContain('Retries model recovering/one, which has failed 2 times');
    await eventually('the list says it', async () => {
      const listed = await found(harness.longhaul.runs(), run.workflowId);
      return listed?.retrying?.what === said.what;
    });
    await run.result();
    expect(await memoOf()).toBeUndefined();
    const { events } = await handle.fetchHistory();
    const signals = (events ?? []).filter((each) => each.workflowExecutionSignaledEventAttributes);
    expect(signals).toHaveLength(1);
  });

  it('lists what runs below and turns retry with the run and the thread that people know', async () => {
    const run = await started('calling');
    const thread = harness.longhaul.thread({ agent: 'unreachable', sessionId: randomUUID() });
    await thread.send('Go.');
    await eventually('both lists say it', async () => {
      const listed = await found(harness.longhaul.runs(), run.workflowId);
      const threads = harness.longhaul.threads();
      for await (const { threadId, retrying } of threads)
        if (threadId === thread.threadId)
          return listed?.retrying?.what === 'model below/one' && retrying !== undefined;
      return false;
    });
    await Promise.all([run.cancel(), thread.clear()]);
  });

  it('ignores notes that are forged, repeated or about calls that have ended', async () => {
    const run = await started('noted');
    expect(await run.outcome()).toMatchObject({ kind: 'needs-input' });
    const handle = harness.longhaul.client.workflow.getHandle(run.workflowId);
    const note = { activityId: '1', attempt: 2, lastError: 'forged' };
    const forged = [note, note, { ...note, activityId: '99' }, { ...note, attempt: 3 }, 'x', null];
    for (const each of forged) await handle.signal(signalNames.retrying, each);
    expect(await run.state()).toMatchObject({ status: 'needs-input', rejected: [] });
    expect((await handle.describe()).memo?.[retryingMemoKey]).toBeUndefined();
    await run.cancel();
  });

  it('says for whom it waits, and the command that answers', async () => {
    const asking = await started('asking');
    expect(await whyOf(asking, ({ waitsFor }) => waitsFor?.kind === 'person')).toMatchObject({
      status: 'needs-input',
      reason: expect.stringContaining('for a person: Which city? (input ') as string,
      todo: expect.stringContaining(`longhaul answer ${asking.workflowId} 'your answer'`) as string,
    });
    const approving = await started('approving');
    expect(await whyOf(approving, ({ waitsFor }) => waitsFor?.kind === 'person')).toMatchObject({
      waitsFor: { input: 'approval' },
      todo: expect.stringContaining(`longhaul answer ${approving.workflowId} --approve `) as string,
    });
    await Promise.all([asking.cancel(), approving.cancel()]);
  });

  it('says how a run ended', async () => {
    const failed = await started('expired');
    await expect(failed.result()).rejects.toMatchObject({ code: 'ProviderError' });
    expect(await failed.why()).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^It has failed: ProviderError: .*key is not valid/) as string,
      todo: expect.stringContaining(
        `See it with \`longhaul show ${failed.workflowId}\`.`,
      ) as string,
    });
    expect(await failed.state()).toMatchObject({ error: { code: 'ProviderError' } });
    const done = await started('talking');
    await done.result();
    expect(await done.why()).toMatchObject({ reason: 'It has completed: text response.' });
    expect(await done.state()).toMatchObject({ result: { finalResponse: { text: 'One.' } } });
    const cancelled = await started('asking');
    await cancelled.cancel('not needed');
    await expect(cancelled.result()).rejects.toMatchObject({ code: 'RunCancelled' });
    expect((await cancelled.why()).reason).toBe('It was cancelled: not needed.');
  });

  it('says that no worker knows the agent', async () => {
    const run = await started('unknown-agent');
    const why = await whyOf(run, ({ retrying = [] }) => retrying.length > 0);
    expect(why.reason).toContain('unknown-agent');
    expect(why.todo).toContain("Check the agent's id");
    await run.cancel();
  });

  it('says that a conversation waits for a message', async () => {
    const thread = harness.longhaul.thread({
      agent: 'talking',
      userId: 'ada',
      sessionId: randomUUID(),
    });
    await (await thread.send('Hello.')).result();
    let { reason } = await thread.why();
    await eventually('the thread is idle', async () => {
      ({ reason } = await thread.why());
      return reason === 'It waits for the next message.';
    });
  });

  it('says that no worker polls the task queue, and refuses an unknown run', async () => {
    const taskQueue = `nobody-${randomUUID()}`;
    const elsewhere = await connect({ address: devServerAddress(), taskQueue });
    const run = await elsewhere.start('talking', 'Go.');
    expect(await run.why()).toMatchObject({
      waitsFor: { kind: 'worker', taskQueue, workers: 'none' },
      reason: expect.stringContaining(`none polls task queue '${taskQueue}'`) as string,
      todo: expect.stringContaining(`longhaul worker --task-queue ${taskQueue}`) as string,
    });
    expect(await run.state()).toMatchObject({ waitsFor: { kind: 'worker', workers: 'none' } });
    await run.cancel();
    expect((await run.why()).reason).toMatch(/^It is being cancelled\. It has waited/);
    await expect(elsewhere.run('nobody').why()).rejects.toMatchObject({ code: 'RunNotFound' });
    await elsewhere.close();
  });
});
