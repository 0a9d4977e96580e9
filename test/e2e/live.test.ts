// The unmodified client of the AI SDK chats through two backends on one PostgreSQL. The worker is killed with SIGKILL in mid-text, and the
// connection is cut at 20 random bytes. LONGHAUL_LIVE_SEEDS: other seeds than 1, such as 2,3,4.
import { RunStreams } from '../../src/client/stream/run-streams';
import { MessageEncoder } from '../../src/http/ai-sdk/message-encoder';
import { eventually } from '../workflow/eventually';
import { fetchHistory, type HistoryEvents } from '../workflow/history';
import type { BrowserReport } from './live-browser.mts';
import { firstMessage, LiveSetup } from './live-setup';

const cuts = [7, 6, 5, 2];
const seeds = (process.env['LONGHAUL_LIVE_SEEDS'] ?? '1').split(',').map(Number);
const setup = new LiveSetup();

/** The worker dies when the page shows words of an attempt that will say nothing more. */
async function chat(seed: number) {
  const name = `streamed-${seed}`;
  setup.model.hang(name, 'h1');
  const browser = setup.startBrowser({ name, seed, cuts });
  const reported = firstMessage(browser, ({ answers }) => answers !== undefined);
  await Promise.race([firstMessage(browser, ({ seen }) => seen === 'h1.1'), reported]);
  await setup.killWorker();
  await setup.startWorker();
  const report = (await reported) as unknown as BrowserReport;
  const workflowId = report.answers[0]?.id ?? '';
  const folded = firstMessage(browser);
  browser.send(await chunksOf(workflowId));
  return { report, workflowId, ...(await folded) };
}

/** What the log of a turn says, to somebody who has seen nothing of it. */
async function chunksOf(workflowId: string): Promise<readonly object[]> {
  const streams = new RunStreams(setup.longhaul.client);
  const encoder = new MessageEncoder(workflowId);
  const chunks: object[] = [encoder.start()];
  for await (const event of streams.open(workflowId, { tree: true }))
    chunks.push(...encoder.push(event));
  streams.close();
  return chunks;
}

type Answer = { readonly [name: string]: unknown };

/** The same conversation, by requests alone. */
async function chatWithoutStreams(name: string): Promise<string> {
  const ask = async (method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${setup.backends[0]}${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-user': 'ann' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text === '' ? {} : (JSON.parse(text) as Answer);
  };
  const messages = `/host/chat-${name}/messages`;
  const sent = await ask('POST', messages, { input: `Plan ${name}`, messageId: 'm'.repeat(16) });
  const workflowId = String(sent['workflowId']);
  const run = `/runs/${encodeURIComponent(workflowId)}`;
  // The AI SDK's client answers a chat, which is a thread.
  const thread = `/runs/${encodeURIComponent(workflowId.replace(/\.turn-.*/, ''))}`;
  let last: string | undefined;
  for (const [path, answer] of [
    [`${run}/inputs/:input/approve`, () => ({ args: { amount: 7 } })],
    [`${thread}/inputs/:input/answer`, () => ({ answer: 'blue' })],
    [`${thread}/inputs/:input/approve`, (seen: string) => ({ seen })],
  ] as const) {
    let open = { inputId: last, digest: '' };
    await eventually(`${name} to wait`, async () => {
      const { pending } = (await ask('GET', run)) as { pending: (typeof open)[] };
      open = pending[0] ?? open;
      return open.inputId !== last;
    });
    last = open.inputId ?? '';
    await ask('POST', path.replace(':input', encodeURIComponent(last)), answer(open.digest));
  }
  await setup.longhaul.run(workflowId).result();
  return workflowId;
}

/**
 * The events of a turn and of the run below it, each with the bytes of its payloads. A worker that dies adds workflow tasks and attempts;
 * events of others come in any order.
 */
async function historyOf(workflowId: string) {
  const events = await fetchHistory(setup.longhaul, workflowId);
  const children = events.flatMap(
    ({ childWorkflowExecutionStartedEventAttributes: child }) =>
      child?.workflowExecution?.workflowId ?? [],
  );
  const below: HistoryEvents[] = [];
  for (const child of children) below.push(await fetchHistory(setup.longhaul, child));
  return [events, ...below].map((all) =>
    all
      .flatMap((event) => {
        const [name = ''] = Object.keys(event).filter((key) => key.endsWith('EventAttributes'));
        if (/^(?:workflowTask|activityTaskStarted)/.test(name)) return [];
        return [`${name}: ${payloadBytes(event)}`];
      })
      .sort(),
  );
}

function payloadBytes(value: unknown): number {
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((bytes: number, each) => bytes + payloadBytes(each), 0);
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

beforeAll(() => setup.open());
afterAll(() => setup.close());

describe.each(seeds)('a chat whose worker dies and whose connection breaks, seed %i', (seed) => {
  let done: Awaited<ReturnType<typeof chat>>;
  beforeAll(async () => {
    done = await chat(seed);
  });

  it('is cut 20 times, and loses an attempt of the model', () => {
    const { report } = done;
    expect(report.cutsMade).toBe(20);
    expect(report.resumes).toBeGreaterThanOrEqual(20);
    expect(setup.model.asked(`streamed-${seed}`, 'h1')).toBe(2);
    process.stdout.write(`${report.resumes} resumes, ${report.changes} changes of the page\n`);
  });

  it('never shows words of a lost attempt beside those of the next one, a word twice, or a gap', () => {
    expect(done.report.wrongs).toEqual([]);
  });

  it('shows at each pause what a reload shows', () => {
    const { pauses } = done.report;
    expect(pauses).toHaveLength(3);
    for (const { shown, reloaded } of pauses) expect(plain(shown)).toEqual(plain(reloaded));
  });

  it('ends with the message that the log alone comes to', () => {
    const { report, folded } = done as typeof done & { folded: unknown };
    expect(plain(report.answers[0])).toEqual(plain(folded));
    expect(JSON.stringify(folded)).toContain('h4.1.39→');
    expect(JSON.stringify(report.answers[1])).toContain('t0.1.19→');
  });

  it('shows the edited arguments, the answer and the result of the run below', () => {
    const parts = done.report.answers[0]?.parts ?? [];
    const outputs = parts.flatMap((part) => ('output' in part ? [part.output] : []));
    expect(outputs).toEqual([
      { word: 'oak', length: 3 },
      { charged: 7 },
      'blue',
      expect.stringContaining('c1.1.9→'),
      { booked: '12A' },
    ]);
  });

  it('has the history of a chat that nobody streamed', async () => {
    const unstreamed = await chatWithoutStreams(`requests-${seed}`);
    expect(await historyOf(done.workflowId)).toEqual(await historyOf(unstreamed));
  });

  it('makes no backend fail', () => {
    expect(setup.errors).toEqual([]);
  });
});
