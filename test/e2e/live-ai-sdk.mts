// What a page does with the unmodified client of the AI SDK, without a page: it chats through a proxy that cuts its streams at random bytes,
// and resumes them. Usage: live-ai-sdk.mts '<JSON of PageSettings>'. It sends `Seen`, a `PageReport`, and a `Folded`.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Chat } from '@ai-sdk/react';
import {
  asSchema,
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  readUIMessageStream,
  uiMessageChunkSchema,
  type UIMessage,
  type UIMessageChunk,
} from 'ai';
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

const user = 'ann';
const proxy = new CuttingProxy(settings, 'GET');
await proxy.open();
const transport = new DefaultChatTransport({
  api: `${proxy.url}/host`,
  headers: { 'x-user': user },
});
const chat = new Chat<UIMessage>({
  id: `chat-${settings.name}`,
  transport,
  sendAutomaticallyWhen: (given) =>
    lastAssistantMessageIsCompleteWithApprovalResponses(given) ||
    lastAssistantMessageIsCompleteWithToolCalls(given),
});
const eye = new PageEye();
const resumes = new Resumes();
chat['~registerMessagesCallback'](() => {
  const { role, parts = [] } = chat.lastMessage ?? {};
  if (role !== 'assistant') return;
  eye.look(parts.map((part) => (part.type === 'text' ? part.text : '')).join(''));
});

/** Until the run waits, or has ended. Whenever the connection breaks, and until it was cut often enough, the page resumes its stream. */
async function settled(): Promise<void> {
  for (;;) {
    while (chat.status !== 'ready' && chat.status !== 'error') await sleep(5);
    if (chat.status === 'error' && !isCut(chat.error))
      throw new Error('failed', { cause: chat.error });
    if (chat.status === 'ready' && proxy.cutsLeft === 0) return;
    resumes.count(chat.messages);
    const hadEnded = chat.status === 'ready';
    await chat.resumeStream();
    if (hadEnded && isOver()) return;
  }
}

function isOver(): boolean {
  return openPart() === undefined && chat.status === 'ready';
}

/** The tool part that waits for the person: in the last step, because a call of an agent waits, too, while that agent does. */
function openPart() {
  const parts = chat.lastMessage?.parts.filter(isToolUIPart) ?? [];
  const open = ['approval-requested', 'input-available'];
  return parts.findLast(({ state }) => open.includes(state));
}

async function pause(): Promise<PageReport['pauses'][number]> {
  const chunks = await transport.reconnectToStream({ chatId: chat.id });
  if (chunks === null) throw new Error('a run that waits has no stream');
  return { shown: chat.lastMessage, reloaded: await fold(chunks) };
}

async function fold(stream: ReadableStream<UIMessageChunk>): Promise<UIMessage | undefined> {
  let message: UIMessage | undefined;
  for await (message of readUIMessageStream({ stream }));
  return message;
}

/** The client sends the answer by itself, once it is complete. */
async function sent(answer: () => void | PromiseLike<void>): Promise<void> {
  const begun = new Promise<void>((resolve) => {
    const stop = chat['~registerStatusCallback'](() => {
      stop();
      resolve();
    });
  });
  await answer();
  await begun;
}

function shown(): string {
  return `${chat.status}: ${JSON.stringify(chat.messages)}`;
}

function approvalOf(part: ReturnType<typeof openPart>): string {
  if (part?.state === 'approval-requested') return part.approval.id;
  throw new Error(`no approval, but ${shown()}`);
}

/** The protocol of the client has no arguments in an approval, so they go to a route of their own. */
async function approveEdited(args: object): Promise<void> {
  const run = encodeURIComponent(chat.lastMessage?.id ?? '');
  const input = encodeURIComponent(approvalOf(openPart()));
  const response = await fetch(`${proxy.url}/runs/${run}/inputs/${input}/approve`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-user': user },
    body: JSON.stringify({ args }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  await chat.resumeStream();
}

const steps: readonly (() => Promise<void>)[] = [
  () => chat.sendMessage({ text: `Plan ${settings.name}` }),
  () => approveEdited({ amount: 7 }),
  () => {
    const { toolCallId } = openPart() ?? {};
    if (toolCallId === undefined) throw new Error(`no question, but ${shown()}`);
    return sent(() => chat.addToolOutput({ tool: 'ask_user', toolCallId, output: 'blue' }));
  },
  () => {
    const id = approvalOf(openPart());
    return sent(async () => chat.addToolApprovalResponse({ id, approved: true }));
  },
  () => chat.sendMessage({ text: `Thanks ${settings.name}` }),
];
const pauses: PageReport['pauses'][number][] = [];
const answers: (UIMessage | undefined)[] = [];
for (const [number, step] of steps.entries()) {
  proxy.cutsLeft = settings.cuts[number] ?? 0;
  await step();
  await settled();
  proxy.cutsLeft = 0;
  if (number < 3) pauses.push(await pause());
  else answers.push(chat.lastMessage);
}
const events = eventsOf(proxy);
await check(events);
process.send?.({
  pauses,
  answers,
  wrongs: [...eye.wrongs],
  events: events.length,
  cutsMade: proxy.cutsMade,
  resumes: resumes.made,
  changes: eye.changes,
} satisfies PageReport);

const [chunks] = (await once(process, 'message')) as [FoldRequest];
await check(chunks);
const folded = await fold(ReadableStream.from(chunks as readonly UIMessageChunk[]));
process.send?.({ folded } satisfies Folded);
proxy.close();
process.disconnect();

async function check(chunks: readonly unknown[]): Promise<void> {
  const { validate } = asSchema(uiMessageChunkSchema());
  for (const chunk of chunks) {
    const checked = await validate?.(chunk);
    if (checked?.success !== true) throw new Error(`not a chunk: ${JSON.stringify(chunk)}`);
  }
}
