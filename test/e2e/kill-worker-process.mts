// A worker as a process of its own, run from a folder in which the built package is installed. Usage: kill-worker-process.mts '<JSON of WorkerSettings>'
import crypto from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { Context } from '@temporalio/activity';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { defineAgent, defineTool, parallel, sequential } from 'longhaul';
import { FileResults } from 'longhaul/stores';
import { SqliteStores } from 'longhaul/stores';
import { createWorker } from 'longhaul/worker';
import type { Message } from '../../src/protocol/message.ts';
import type { Question } from './kill-worker-gate.ts';

export type WorkerSettings = {
  readonly address: string;
  readonly taskQueue: string;
  /** Address of the gate, which stands for model provider and outside world. */
  readonly gate: string;
  /** The process kills itself when the first attempt of any step has done its work but has not said so yet. */
  readonly diesAfterEveryStep?: boolean;
  /** The same, of steps of this activity type alone. */
  readonly diesAfter?: string;
  /** It kills itself before the first attempt of a step of this activity type has done anything. */
  readonly diesBefore?: string;
  /** The file of its stores. */
  readonly stores?: string;
  /** The folder of its result store. */
  readonly results?: string;
};

const settings = JSON.parse(process.argv[2] ?? '{}') as WorkerSettings;
process.once('disconnect', () => process.exit());

Runtime.install({ logger: new DefaultLogger('ERROR') });

async function ask(question: Omit<Question, 'pid'>, signal?: AbortSignal): Promise<void> {
  const body = JSON.stringify({ ...question, pid: process.pid });
  await fetch(settings.gate, { method: 'POST', body, ...(signal && { signal }) });
}

type Call = { readonly name: string; readonly args: { [key: string]: string | number } };
type Said = string | readonly Call[];
type Turn = Said | ((last: string, messages: readonly Message[]) => Said);

const lookUp = (word: string): Call => ({ name: 'look_up', args: { word } });

const refIn = (messages: readonly Message[]): string =>
  /[0-9a-f]{64}/.exec(textOf(messages[2]))?.[0] ?? 'no ref';

const exporting: readonly Turn[] = [
  [{ name: 'export', args: {} }],
  (last) => `${/rows\D+(\d)/.exec(last)?.[1]} rows.`,
];

/** What the model says to each first message, turn by turn; a function is given the last message of the request, and all. */
const scripts: { readonly [run: string]: readonly Turn[] } = {
  'slow model': [[lookUp('oak')], [lookUp('elm'), lookUp('fir')], 'Three trees.'],
  'idempotent tool': [[{ name: 'charge', args: { amount: 5 } }, lookUp('oak')], 'Charged once.'],
  'once tool': [
    [{ name: 'send_mail', args: { to: 'ann' } }, lookUp('oak')],
    (last) => (last.includes('OutcomeUnknown') ? 'I cannot tell whether it was sent.' : 'Sent.'),
  ],
  question: [
    [{ name: 'ask_user', args: { question: 'Which tree?' } }],
    (last) => `You chose ${/oak|elm|fir/.exec(last)?.[0]}.`,
  ],
  'killed server': [[lookUp('oak')], [lookUp('elm')], 'Two trees.'],
  chat: ['Hello.', 'Hello again.'],
  report: [
    [{ name: 'fetch_report', args: {} }],
    // More than one history takes.
    ...Array.from({ length: 4 }, () =>
      Array.from({ length: 5 }, (): Call => ({ name: 'fill', args: {} })),
    ),
    (_last, messages) => [
      { name: 'find_in_result', args: { ref: refIn(messages), match: 'needle-\\w+' } },
    ],
    (last, messages) => {
      const from = Number(/"(\d+): /.exec(last)?.[1]);
      return [{ name: 'read_result', args: { ref: refIn(messages), from, lines: 1 } }];
    },
    (last) => `It says: ${/here is the needle-\w+/.exec(last)?.[0]}.`,
  ],
  'token passed on': exporting,
  'token lost': exporting,
  'inline killer': [[{ name: 'kill', args: {} }], 'It is dead.'],
  'every step': [[{ name: 'charge', args: { amount: 7 } }], 'Charged once.'],
};

const bookings: readonly Turn[] = [
  [{ name: 'book', args: { amount: 9 } }],
  (last) => (last.includes('OutcomeUnknown') ? 'I cannot tell whether it was booked.' : 'Booked.'),
];

const reads = (...pages: readonly number[]): readonly Call[] =>
  pages.map((page) => ({ name: 'read', args: { page } }));

/** Of the agent whose reads run inline. */
const readings: readonly Turn[] = [
  [...reads(1, 2), { name: 'send_mail', args: { to: 'ann' } }],
  reads(3),
  'Read it all.',
];

const textOf = (message: Message | undefined): string => JSON.stringify(message?.parts ?? []);

const gateModel = {
  name: 'gate',
  call: async (
    { messages }: { readonly messages: readonly Message[] },
    { signal }: { readonly signal: AbortSignal },
  ) => {
    const [first] = messages;
    const run = first?.parts[0]?.type === 'text' ? first.parts[0].text : '';
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    await ask({ run, step: `model ${turn + 1}` }, signal);
    const script = scripts[run] ?? (run.startsWith('booking') ? bookings : readings);
    const said = script?.[turn] ?? 'I have nothing to say.';
    const text = typeof said === 'function' ? said(textOf(messages.at(-1)), messages) : said;
    const content =
      typeof text === 'string'
        ? [{ type: 'text' as const, text }]
        : text.map((call, index) => ({
            type: 'tool_call' as const,
            callId: `call_${turn}_${index}`,
            ...call,
          }));
    return {
      content,
      usage: {
        inputTokens: 10,
        outputTokens: 5,
        totalTokens: 15,
        cacheReadTokens: null,
        cacheWriteTokens: null,
        reasoningTokens: null,
      },
      finishReason: typeof text === 'string' ? ('stop' as const) : ('tool_calls' as const),
      origin: { provider: 'gate', api: 'gate', model: 'one' },
    };
  },
};

/** Its effect is a line in the ledger. The short time limit is when the server gives up a call whose worker is gone. */
const book = defineTool({
  name: 'book',
  description: 'Books an amount',
  effect: 'once',
  timeout: '5s',
  inputSchema: { type: 'object', properties: { amount: { type: 'number' } } },
  execute: async ({ amount }, { context, signal }) => {
    const run = context['run'] as string;
    await ask({ run, step: 'book: in the middle' }, signal);
    appendFileSync(context['ledger'] as string, `${run}: ${Number(amount)}\n`);
    await ask({ run, step: 'book: after the effect' }, signal);
    return { booked: amount };
  },
});

/** Its result comes by the token, which the gate gets to know. */
const exports = defineTool({
  name: 'export',
  description: 'Exports everything',
  inputSchema: { type: 'object' },
  result: 'later',
  execute: async (_args, { resultToken, context, signal }) => {
    await ask({ run: context['run'] as string, step: 'export', key: resultToken }, signal);
  },
});

/** In the first attempt, the process writes the next secret into the file and dies, before the server has heard of it. */
function dieOfSecret(given: Given | undefined): void {
  const file = given?.tool === 'export' ? given.context?.secret : undefined;
  if (file === undefined || Context.current().info.attempt > 1) return;
  const { randomBytes } = crypto;
  crypto.randomBytes = (size: number) => {
    const secret = randomBytes(size);
    if (size !== 32) return secret;
    writeFileSync(file, secret.toString('base64url'));
    process.kill(process.pid, 'SIGKILL');
    return secret;
  };
}

/** The boundaries of a call of `book` that lie outside of its code, and the end of an inline turn. */
const aroundCalls = {
  execute: async (
    input: { readonly args: readonly unknown[] },
    next: (input: never) => Promise<unknown>,
  ): Promise<unknown> => {
    const [given] = input.args as readonly Given[];
    const run = given?.tool === 'book' ? given.context?.run : undefined;
    if (run !== undefined) await ask({ run, step: 'book: before its code' });
    dieOfSecret(given);
    const result = await next(input as never);
    if (run !== undefined) await ask({ run, step: 'book: before its completion' });
    const reading = given?.inline && given.turn === 1 ? given.context?.run : undefined;
    if (reading !== undefined) await ask({ run: reading, step: 'before its completion' });
    return result;
  },
};

const hay = 'the quick brown fox jumps over the lazy dog, and then again\n'.repeat(42_000);
const fetchReport = defineTool({
  name: 'fetch_report',
  description: 'Fetches a report of 5 MB',
  inputSchema: { type: 'object', properties: {} },
  execute: async (_args, { context, signal }) => {
    await ask({ run: context['run'] as string, step: 'fetch_report' }, signal);
    return `${hay}here is the needle-7f3a\n${hay}`;
  },
});
const fill = defineTool({
  name: 'fill',
  description: 'Fills the history',
  inputSchema: { type: 'object', properties: {} },
  maxResultBytes: 250_000,
  execute: () => 'x'.repeat(240_000),
});

const text = { type: 'string' } as const;
const sendMail = defineTool({
  name: 'send_mail',
  description: 'Sends a mail',
  effect: 'once',
  inputSchema: { type: 'object', properties: { to: text } },
  execute: async ({ to }, { idempotencyKey, context, signal }) => {
    await ask({ run: context['run'] as string, step: 'send_mail', key: idempotencyKey }, signal);
    return { sentTo: to };
  },
});
const helper = defineAgent({
  id: 'helper',
  model: 'gate/one',
  askUser: 'tool',
  tools: [
    book,
    exports,
    fetchReport,
    fill,
    defineTool({
      name: 'look_up',
      description: 'Looks a word up',
      effect: 'read',
      inputSchema: { type: 'object', properties: { word: text }, required: ['word'] },
      execute: ({ word }) => ({ word, length: String(word).length }),
    }),
    defineTool({
      name: 'charge',
      description: 'Charges an amount',
      inputSchema: { type: 'object', properties: { amount: { type: 'number' } } },
      execute: async ({ amount }, { idempotencyKey, context, signal }) => {
        await ask({ run: context['run'] as string, step: 'charge', key: idempotencyKey }, signal);
        return { charged: amount };
      },
    }),
    sendMail,
  ],
});

/** Its reads run inline, one after another. */
const reader = defineAgent({
  id: 'reader',
  model: 'gate/one',
  inlineReads: true,
  inlineTimeout: '1 minute',
  toolConcurrency: 1,
  tools: [
    sendMail,
    defineTool({
      name: 'read',
      description: 'Reads a page',
      effect: 'read',
      inputSchema: { type: 'object', properties: { page: { type: 'number' } } },
      execute: async ({ page }, { context, signal }) => {
        await ask({ run: context['run'] as string, step: `read ${Number(page)}` }, signal);
        return { page };
      },
    }),
    defineTool({
      name: 'kill',
      description: 'Kills the worker, unless it has an activity of its own',
      effect: 'read',
      inputSchema: { type: 'object' },
      execute: async (_args, { context }) => {
        await ask({ run: context['run'] as string, step: 'kill' });
        if (Context.current().info.activityType === 'callModel')
          process.kill(process.pid, 'SIGKILL');
        return 'killed';
      },
    }),
  ],
});

const chatty = defineAgent({
  id: 'chatty',
  model: 'gate/one',
  memory: { kind: 'full', store: 'default' },
});

/** Three who ask, one of them two levels below the others. */
const nested = sequential({ id: 'nested', steps: [sequential({ id: 'inner', steps: [helper] })] });
const branches = [helper, helper, nested];
const tree = sequential({ id: 'tree', steps: [parallel({ id: 'branches', branches })] });

type Given = {
  readonly tool?: string;
  readonly turn?: number;
  readonly inline?: object;
  readonly context?: { readonly run: string; readonly secret?: string };
};

const dieAtStep = {
  execute: async (input: unknown, next: (input: never) => Promise<unknown>): Promise<unknown> => {
    const { attempt, isLocal, activityType } = Context.current().info;
    const { diesBefore, diesAfter = diesBefore ?? activityType } = settings;
    const isMeant = attempt === 1 && isLocal !== true && diesAfter === activityType;
    if (isMeant && diesBefore !== undefined) process.kill(process.pid, 'SIGKILL');
    const result = await next(input as never);
    if (isMeant) process.kill(process.pid, 'SIGKILL');
    return result;
  },
};

const { diesAfterEveryStep = false, diesAfter = settings.diesBefore } = settings;
const willDie = diesAfterEveryStep || diesAfter !== undefined;
const worker = await createWorker({
  address: settings.address,
  taskQueue: settings.taskQueue,
  runners: [helper, reader, chatty, tree],
  providers: { gate: gateModel },
  ...(settings.stores !== undefined && { stores: new SqliteStores({ path: settings.stores }) }),
  ...(settings.results !== undefined && { results: new FileResults({ folder: settings.results }) }),
  workerOptions: {
    shutdownGraceTime: '1s',
    // Each thread takes half a second of CPU to start, and each of these workers dies young.
    workflowThreadPoolSize: 1,
    interceptors: {
      activity: [() => ({ inbound: willDie ? dieAtStep : aroundCalls })],
    },
  },
});
process.send?.('polling');
await worker.run();
process.exit();
