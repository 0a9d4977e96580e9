// The unmodified clients of the AI SDK and of AG-UI chat through two backends on one PostgreSQL. The worker is killed with SIGKILL in
// mid-text, and the connection is cut at 20 random bytes. LONGHAUL_LIVE_SEEDS: other seeds than 1, such as 2,3,4.
import type { StreamEvent } from '../../src/client';
import { RunStreams } from '../../src/client/stream/run-streams';
import { RunEncoder } from '../../src/http/ag-ui/run-encoder';
import { MessageEncoder } from '../../src/http/ai-sdk/message-encoder';
import { type Answered, chatWithoutStreams, historyOf } from './live-history';
import type { Folded, PageReport } from './live-page.mts';
import { firstMessage, LiveSetup } from './live-setup';

type Encoder = {
  start(): object | readonly object[];
  push(event: StreamEvent): readonly object[];
};

type Client = {
  readonly client: string;
  readonly script: string;
  readonly encoder: (turn: string, report: PageReport) => Encoder;
  readonly answered: Answered;
  /** The results that an answer shows, in the order of the page. */
  readonly outputs: (answer: unknown) => readonly unknown[];
};

type UiMessage = { readonly parts: readonly { readonly output?: unknown }[] };
type AgUiMessage = { readonly id: string; readonly role: string; readonly content?: unknown };

const said = expect.stringContaining('c1.1.9→') as unknown;
const clients: readonly Client[] = [
  {
    client: 'ai-sdk',
    script: 'live-ai-sdk.mts',
    encoder: (turn) => new MessageEncoder(turn),
    answered: 'run',
    outputs: (answer) =>
      (answer as UiMessage).parts.flatMap((part) => ('output' in part ? [part.output] : [])),
  },
  {
    client: 'ag-ui',
    script: 'live-ag-ui.mts',
    encoder: (turn, { answers }) => {
      const messages = (answers[0] as readonly AgUiMessage[]).slice(0, 1);
      return new RunEncoder({ threadId: 'chat', runId: 'fold', turn, messages });
    },
    answered: 'thread',
    outputs: (answer) =>
      (answer as readonly AgUiMessage[]).flatMap(({ role, content }) =>
        role === 'tool' ? [content] : [],
      ),
  },
];

const cuts = [7, 6, 5, 2];
const seeds = (process.env['LONGHAUL_LIVE_SEEDS'] ?? '1').split(',').map(Number);
const setup = new LiveSetup();

/** The worker dies when the page shows words of an attempt that will say nothing more. */
async function chat({ client, script, encoder }: Client, seed: number) {
  const name = `streamed-${client}-${seed}`;
  setup.model.hang(name, 'h1');
  const browser = setup.startBrowser(script, { name, seed, cuts });
  const reported = firstMessage(browser, ({ answers }) => answers !== undefined);
  await Promise.race([firstMessage(browser, ({ seen }) => seen === 'h1.1'), reported]);
  await setup.killWorker();
  await setup.startWorker();
  const report = (await reported) as PageReport;
  const thread = setup.longhaul.thread({ agent: 'host', userId: 'ann', sessionId: `chat-${name}` });
  const [{ workflowId } = { workflowId: '' }] = await thread.turns();
  const folded = firstMessage(browser);
  browser.send(await eventsOf(workflowId, encoder(workflowId, report)));
  return { name, report, workflowId, folded: ((await folded) as Folded).folded };
}

/** What the log of a turn says, to somebody who has seen nothing of it. */
async function eventsOf(workflowId: string, encoder: Encoder): Promise<readonly object[]> {
  const streams = new RunStreams(setup.longhaul.client);
  const events: object[] = [encoder.start()].flat();
  for await (const event of streams.open(workflowId, { tree: true }))
    events.push(...encoder.push(event));
  streams.close();
  return events;
}

const cases = clients.flatMap((client) => seeds.map((seed) => ({ ...client, seed })));

beforeAll(() => setup.open());
afterAll(() => setup.close());

describe.each(cases)(
  'a chat of $client whose worker dies and whose connection breaks, seed $seed',
  ({ seed, ...client }) => {
    let done: Awaited<ReturnType<typeof chat>>;
    beforeAll(async () => {
      done = await chat(client, seed);
    });

    it('is cut 20 times, and loses an attempt of the model', () => {
      const { name, report } = done;
      const { cutsMade, resumes, changes, events } = report;
      expect(cutsMade).toBe(20);
      expect(resumes).toBeGreaterThanOrEqual(20);
      expect(setup.model.asked(name, 'h1')).toBe(2);
      process.stdout.write(
        `${resumes} resumes, ${changes} changes of the page, ${events} events\n`,
      );
    });

    it('never shows words of a lost attempt beside those of the next one, a word twice, or a gap', () => {
      expect(done.report.wrongs).toEqual([]);
    });

    it('shows at each pause what a reload shows', () => {
      const { pauses } = done.report;
      expect(pauses).toHaveLength(3);
      for (const { shown, reloaded } of pauses) expect(shown).toEqual(reloaded);
    });

    it('ends with the message that the log alone comes to', () => {
      const { report, folded } = done;
      expect(report.answers[0]).toEqual(folded);
      expect(JSON.stringify(folded)).toContain('h4.1.39→');
      expect(JSON.stringify(report.answers[1])).toContain('t0.1.19→');
    });

    it('shows the edited arguments, the answer and the result of the run below', () => {
      const outputs = client.outputs(done.report.answers[0]).map(valueOf);
      const oak = { word: 'oak', length: 3 };
      expect(outputs).toHaveLength(5);
      expect(outputs).toEqual(
        expect.arrayContaining([oak, { charged: 7 }, 'blue', said, { booked: '12A' }]),
      );
    });

    it('has the history of a chat that nobody streamed', async () => {
      // As long a name, because history has it.
      const name = `requests-${client.client}-${seed}`;
      const unstreamed = await chatWithoutStreams(setup, name, client.answered);
      const { longhaul } = setup;
      expect(await historyOf(longhaul, done.workflowId)).toEqual(
        await historyOf(longhaul, unstreamed),
      );
    });

    it('makes no backend fail', () => {
      expect(setup.errors).toEqual([]);
    });
  },
);

/** AG-UI has results as text. */
function valueOf(output: unknown): unknown {
  if (typeof output !== 'string' || !output.startsWith('{')) return output;
  return JSON.parse(output) as unknown;
}
