// What a page does with the unmodified client of the AI SDK, without a page: it chats through a proxy that cuts its streams at random bytes,
// and resumes them. Usage: live-browser.mts '<JSON of BrowserSettings>'. It sends `Seen` and then a `BrowserReport`; it folds the chunks that
// it is sent into a message, and sends that.
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
import { CuttingProxy } from './live-proxy.mts';

export type BrowserSettings = {
  readonly backends: readonly string[];
  readonly name: string;
  readonly seed: number;
  /** Of each part of the conversation: until it waits for the first time, and so on. */
  readonly cuts: readonly number[];
};

/** The page shows words of this attempt at this turn, such as `h1.1`, for the first time. */
export type Seen = { readonly seen: string };

/** What the page shows when the run waits, and what a reload shows then. */
export type Pause = {
  readonly shown: UIMessage | undefined;
  readonly reloaded: UIMessage | undefined;
};

export type BrowserReport = {
  readonly pauses: readonly Pause[];
  /** The two answers, each as the page shows it when its turn has ended. */
  readonly answers: readonly (UIMessage | undefined)[];
  /** Texts that a person must never see. */
  readonly wrongs: readonly string[];
  readonly cutsMade: number;
  readonly resumes: number;
  /** How often the page changed. */
  readonly changes: number;
};

const settings = JSON.parse(process.argv[2] ?? '{}') as BrowserSettings;
process.once('disconnect', () => process.exit());

const user = 'ann';
const proxy = new CuttingProxy(settings.backends, settings.seed);
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
const wrongs = new Set<string>();
const seen = new Set<string>();
let [changes, resumes] = [0, 0];
chat['~registerMessagesCallback'](() => {
  changes += 1;
  look(chat.lastMessage);
});

/** Each turn shows the words of one attempt, from the first one on, without a gap. */
function look(message: UIMessage | undefined): void {
  if (message?.role !== 'assistant') return;
  const text = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const turns = new Map<string, { attempt: string; words: number }>();
  for (const [, turn = '', attempt = '', word] of text.matchAll(/([hct]\d+)\.(\d+)\.(\d+)→ /g)) {
    const before = turns.get(turn) ?? { attempt, words: 0 };
    if (before.attempt !== attempt || before.words !== Number(word)) wrongs.add(text);
    turns.set(turn, { attempt, words: before.words + 1 });
    if (before.words === 9) tellSeen(`${turn}.${attempt}`);
  }
}

function tellSeen(attempt: string): void {
  if (seen.has(attempt)) return;
  seen.add(attempt);
  process.send?.({ seen: attempt } satisfies Seen);
}

/** Until the run waits, or has ended. Whenever the connection breaks, and until it was cut often enough, the page resumes its stream. */
async function settled(): Promise<void> {
  for (;;) {
    while (chat.status !== 'ready' && chat.status !== 'error') await sleep(5);
    if (chat.status === 'error' && !isCut(chat.error))
      throw new Error('failed', { cause: chat.error });
    if (chat.status === 'ready' && proxy.cutsLeft === 0) return;
    resumes += 1;
    if (resumes > 200) throw new Error(`resumed in vain: ${shown()}`);
    const hadEnded = chat.status === 'ready';
    await chat.resumeStream();
    if (hadEnded && isOver()) return;
  }
}

function isCut(error: unknown): boolean {
  return error instanceof TypeError && /terminated|fetch failed/.test(error.message);
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

async function pause(): Promise<Pause> {
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
const pauses: Pause[] = [];
const answers: (UIMessage | undefined)[] = [];
for (const [number, step] of steps.entries()) {
  proxy.cutsLeft = settings.cuts[number] ?? 0;
  await step();
  await settled();
  proxy.cutsLeft = 0;
  if (number < 3) pauses.push(await pause());
  else answers.push(chat.lastMessage);
}
const { cutsMade } = proxy;
process.send?.({
  pauses,
  answers,
  wrongs: [...wrongs],
  cutsMade,
  resumes,
  changes,
} satisfies BrowserReport);

const { validate } = asSchema(uiMessageChunkSchema());
const [chunks] = (await once(process, 'message')) as [UIMessageChunk[]];
for (const chunk of chunks) {
  const checked = await validate?.(chunk);
  if (checked?.success !== true) throw new Error(`not a chunk: ${JSON.stringify(chunk)}`);
}
process.send?.({ folded: await fold(ReadableStream.from(chunks)) });
proxy.close();
process.disconnect();
