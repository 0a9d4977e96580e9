// What a page does with the unmodified client of AG-UI, without a page: it chats through a proxy that cuts its streams at random bytes, and
// runs again. Usage: live-ag-ui.mts '<JSON of PageSettings>'. It sends `Seen`, a `PageReport`, and a `Folded`.
import { once } from 'node:events';
import { HttpAgent, type Interrupt, type Message, type ResumeEntry } from '@ag-ui/client';
import { EventSchema } from '@ag-ui/core/schemas';
import {
  eventsOf,
  type Folded,
  type FoldRequest,
  isCut,
  PageEye,
  type PageReport,
  type PageSettings,
  Resumes,
} from './live-page.mts';
import { CuttingProxy } from './live-proxy.mts';

const settings = JSON.parse(process.argv[2] ?? '{}') as PageSettings;
process.once('disconnect', () => process.exit());
// The client leaves a rejection that nobody handles when its connection breaks.
process.on('unhandledRejection', (error) => {
  if (!isCut(error)) throw error;
});

const headers = { 'x-user': 'ann' };
const proxy = new CuttingProxy(settings, 'POST');
await proxy.open();
const eye = new PageEye();
const resumes = new Resumes();

function open(initialMessages: Message[]): HttpAgent {
  const url = `${proxy.url}/host/agui`;
  return new HttpAgent({ url, headers, threadId: `chat-${settings.name}`, initialMessages });
}

/** A page with these messages. */
function load(initialMessages: Message[]): HttpAgent {
  const agent = open(initialMessages);
  agent.subscribe({
    onMessagesChanged: ({ messages }) => {
      const said = messages.filter(({ role }) => role === 'assistant');
      eye.look(said.map(({ content }) => (typeof content === 'string' ? content : '')).join(''));
    },
  });
  return agent;
}

let agent = load([]);

type Options = { readonly resume?: ResumeEntry[] };

/** Runs, until the run waits or has ended and was cut often enough. After a cut, the page runs again, or somebody loads it again. */
async function settled(options: Options): Promise<void> {
  const before = structuredClone(agent.messages);
  while (!(await isRun(options)) || proxy.cutsLeft > 0) {
    resumes.count(agent.messages);
    if (waitsForMore(options) || resumes.made % 3 === 0) agent = load(before);
  }
}

/** The client does not run again without answers to all that is open. */
function waitsForMore({ resume = [] }: Options): boolean {
  return !agent.pendingInterrupts.every(({ id }) =>
    resume.some(({ interruptId }) => interruptId === id),
  );
}

/** False if the connection broke. */
async function isRun(options: Options): Promise<boolean> {
  let failure: Error | undefined;
  await agent.runAgent(options, {
    onRunFailed: ({ error }) => {
      failure = error;
      // Its types have no word for it, but without it the client prints each error.
      return { stopPropagation: true } as object;
    },
  });
  if (failure !== undefined && !isCut(failure)) throw failure;
  return failure === undefined;
}

const shownBy = ({ messages, pendingInterrupts }: HttpAgent): object => ({
  messages,
  pendingInterrupts,
});

async function pause(): Promise<PageReport['pauses'][number]> {
  const other = open(agent.messages.slice(0, 1));
  await other.runAgent();
  return { shown: shownBy(agent), reloaded: shownBy(other) };
}

async function said(content: string): Promise<void> {
  agent.addMessage({ id: content.padEnd(16, '-').slice(0, 16), role: 'user', content });
  await settled({});
}

async function answered(payload: unknown, metadata?: Interrupt['metadata']): Promise<void> {
  const resume = agent.pendingInterrupts.map(({ id }): ResumeEntry => ({
    interruptId: id,
    status: 'resolved',
    payload,
    ...(metadata && { metadata }),
  }));
  if (resume.length !== 1) throw new Error(`nothing waits: ${JSON.stringify(agent.messages)}`);
  await settled({ resume });
}

const steps: readonly (() => Promise<void>)[] = [
  () => said(`Plan ${settings.name}`),
  () => answered({ approved: true, editedArgs: { amount: 7 } }),
  () => answered('blue'),
  () => {
    const { digest } = agent.pendingInterrupts[0]?.metadata ?? {};
    return answered({ approved: true }, { digest });
  },
  () => said(`Thanks ${settings.name}`),
];
const pauses: PageReport['pauses'][number][] = [];
const answers: Message[][] = [];
for (const [number, step] of steps.entries()) {
  proxy.cutsLeft = settings.cuts[number] ?? 0;
  await step();
  proxy.cutsLeft = 0;
  if (number < 3) pauses.push(await pause());
  else answers.push(structuredClone(agent.messages));
}
const events = eventsOf(proxy);
check(events);
process.send?.({
  pauses,
  answers,
  wrongs: [...eye.wrongs],
  events: events.length,
  cutsMade: proxy.cutsMade,
  resumes: resumes.made,
  changes: eye.changes,
} satisfies PageReport);

const [written] = (await once(process, 'message')) as [FoldRequest];
check(written);
const frames = written.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const folding = new HttpAgent({
  url: proxy.url,
  initialMessages: answers[0]?.slice(0, 1) ?? [],
  fetch: () =>
    Promise.resolve(new Response(frames, { headers: { 'content-type': 'text/event-stream' } })),
});
await folding.runAgent();
process.send?.({ folded: folding.messages } satisfies Folded);
proxy.close();
process.disconnect();

function check(events: readonly unknown[]): void {
  for (const event of events) EventSchema.parse(event);
}
