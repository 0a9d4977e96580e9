// What runs tell telemetry: which spans there are, and that each is below one that was told.

import { defineAgent, parallel, defineTool, subAgent } from '../../src';
import { readTraceparent } from '../../src/protocol/trace';
import { scriptedModel } from '../../src/testing';
import { type CallEnd, type CallStart, type Telemetry, unwatched } from '../../src/telemetry';
import { connect, type Longhaul, type RunHandle } from '../../src/client';
import { devServerAddress } from '../servers';
import { callOf } from './builders';
import { openHarness, type Harness } from './harness';

type Told = { readonly name: string; readonly span: string; readonly above: string };

/** Keeps what it is told. */
class Recorder implements Telemetry {
  readonly told: Told[] = [];
  readonly ends: CallEnd[] = [];
  caller: string | undefined;

  carrier(): { traceparent: string } | undefined {
    return this.caller === undefined ? undefined : { traceparent: this.caller };
  }

  begin({ span, above, call, run }: CallStart): typeof unwatched {
    const name = call.kind === 'model' ? `chat ${run.agentId}` : `tool ${call.name}`;
    this.told.push({ name, span, above });
    return { ...unwatched, end: (end) => void this.ends.push(end) };
  }

  lost(): void {
    throw new Error('no worker is lost here');
  }

  segment({ span, above, runner, number, status }: Parameters<Telemetry['segment']>[0]): void {
    this.told.push({ name: `${runner} ${number} ${status}`, span, above });
  }

  logRead(): void {}

  /** Each span as a line, under the one above it. Fails if that one was not told, or if a span was told twice. */
  tree(top = '0'.repeat(16)): string[] {
    const spans = this.told.map(({ span }) => span);
    expect(new Set(spans).size).toBe(spans.length);
    const above = ({ above: text }: Told): string => readTraceparent(text)?.spanId ?? '';
    expect(this.told.filter((each) => ![top, ...spans].includes(above(each)))).toEqual([]);
    const below = (span: string, depth: number): string[] =>
      this.told
        .filter((each) => above(each) === span)
        .flatMap((each) => [`${'  '.repeat(depth)}${each.name}`, ...below(each.span, depth + 1)]);
    return below(top, 0);
  }

  get traces(): string[] {
    return [...new Set(this.told.map(({ above }) => readTraceparent(above)?.traceId ?? ''))];
  }
}

const transfer = defineTool({
  name: 'transfer',
  description: 'Transfers money',
  inputSchema: { type: 'object', properties: {} },
  needsApproval: true,
  execute: () => 'done',
});
const payer = defineAgent({ id: 'payer', model: 'payer/one', tools: [transfer] });
const manager = defineAgent({
  id: 'manager',
  model: 'manager/one',
  tools: [subAgent(payer, { name: 'pay', description: 'Pays' })],
});
const speaker = defineAgent({ id: 'speaker', model: 'speaker/one' });
const pair = parallel({ id: 'pair', branches: [speaker, payer] });

function providers() {
  return {
    manager: scriptedModel([callOf('pay', { input: 'Ann' }), 'Settled.']),
    payer: scriptedModel([callOf('transfer', {}), 'Paid.']),
    speaker: scriptedModel(['Hello.', 'Hello again.']),
  };
}

describe('what runs tell telemetry', () => {
  let harness: Harness;
  let recorder: Recorder;
  let client: Longhaul | undefined;

  beforeEach(async () => {
    harness = await openHarness();
    recorder = new Recorder();
    const runners = [manager, pair, speaker];
    await harness.worker({ runners, providers: providers(), telemetry: recorder });
  });

  afterEach(async () => {
    await client?.close();
    await harness.close();
  });

  /** A client that sends the trace of its caller. */
  async function traced(): Promise<Longhaul> {
    const { taskQueue } = harness;
    return (client = await connect({
      address: devServerAddress(),
      taskQueue,
      telemetry: recorder,
    }));
  }

  test('each part of a run between two pauses, with the calls in it', async () => {
    const run = await harness.longhaul.start(manager, 'Pay Ann.');
    await answered(run);
    expect(recorder.tree().toSorted()).toEqual(
      [
        'manager 1 needs-input',
        '  chat manager',
        '  payer 1 needs-input',
        '    chat payer',
        '    payer 2 completed',
        '      tool transfer',
        '      chat payer',
        '  manager 2 completed',
        '    chat manager',
      ].toSorted(),
    );
    expect(recorder.traces).toHaveLength(1);
  });

  test("an orchestration is above its branches, and the caller's span above all", async () => {
    recorder.caller = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
    const longhaul = await traced();
    await answered(await longhaul.start(pair, 'Go.'));
    expect(recorder.tree('cd'.repeat(8)).toSorted()).toEqual(
      [
        'pair 1 needs-input',
        '  speaker 1 completed',
        '    chat speaker',
        '  payer 1 needs-input',
        '    chat payer',
        '    payer 2 completed',
        '      tool transfer',
        '      chat payer',
        '  pair 2 completed',
      ].toSorted(),
    );
    expect(recorder.traces).toEqual(['ab'.repeat(16)]);
  });

  test('each turn of a thread is in the trace of its sender', async () => {
    const longhaul = await traced();
    const thread = longhaul.thread({ agent: 'speaker', sessionId: harness.taskQueue });
    const senders = ['aa', 'bb'].map((byte) => byte.repeat(16));
    for (const sender of senders) {
      recorder.caller = `00-${sender}-${'cd'.repeat(8)}-01`;
      await (await thread.send('Hello?')).result();
    }
    expect(recorder.tree('cd'.repeat(8))).toHaveLength(4);
    expect(recorder.traces).toEqual(senders);
  });
});

/** Approves what the run asks, and waits for its end. */
async function answered(run: RunHandle): Promise<void> {
  await run.outcome();
  const [input] = await run.pending();
  if (input === undefined) throw new Error('nothing is open');
  await run.approve(input.inputId);
  await run.result();
}
