import { randomBytes } from 'node:crypto';
import {
  abort,
  defineCallbacks,
  defineTool,
  graph,
  parallel,
  sequential,
  subAgent,
  type Runner,
} from '../../src';
import type { Longhaul, RunHandle } from '../../src/client';
import { SqliteStores } from '../../src/stores';
import { type CreateWorkerOptions } from '../../src/worker';
import { callOf } from '../workflow/builders';
import { lastText, scriptedAgents, type Script } from '../workflow/scripted-agents';

const anything = { type: 'object', properties: {} } as const;

/** A worker whose runs have every feature, and whose data has `secret` in each place that data can be in. */
export function everything(secret: string) {
  const agents = scriptedAgents();
  const stores = SqliteStores.inMemory();
  const echo: Script = [(request) => `${secret} heard ${lastText(request)}`];
  const told = { instructions: `Never tell ${secret}.`, description: `Knows ${secret}` };
  const breaks = defineTool({
    name: 'breaks',
    description: `Breaks ${secret}`,
    inputSchema: anything,
    retry: { maximumAttempts: 2, initialInterval: '10ms' },
    execute: () => {
      const inner = new Error(`inner ${secret}`, { cause: new Error(`innermost ${secret}`) });
      throw new Error(`outer ${secret}`, { cause: inner });
    },
  });
  const fails = defineTool({ ...breakingFor(secret), name: 'fails', onError: 'fail' });
  const keeps = defineTool({
    name: 'keeps',
    description: `Keeps ${secret}`,
    inputSchema: { type: 'object', properties: { what: { type: 'string' } } },
    session: ['kept'],
    execute: ({ what }, { session, context }) => {
      session['kept'] = `${secret} ${what as string}`;
      return { result: secret, context };
    },
  });
  const pays = defineTool({
    name: 'pays',
    description: 'Pays',
    inputSchema: { type: 'object', properties: { to: { type: 'string' } } },
    needsApproval: true,
    effect: 'once',
    execute: ({ to }) => `paid ${to as string}`,
  });
  const fetches = defineTool({
    name: 'fetches',
    description: 'Fetches much',
    inputSchema: anything,
    maxResultBytes: 256 * 1024,
    execute: () => secret + randomBytes(120_000).toString('hex'),
  });
  const watching = defineCallbacks({
    name: 'watching',
    session: ['watched'],
    beforeModelCall: ({ session }) => {
      session['watched'] = secret;
      return undefined;
    },
  });
  const aborting = defineCallbacks({ name: 'aborting', afterModelCall: () => abort(secret) });

  const asker = agents.agent('asker', [callOf('ask_user', { question: `${secret}?` }), ...echo], {
    ...told,
    askUser: 'tool',
  });
  const tools = agents.agent(
    'tools',
    [
      callOf('keeps', { what: secret }),
      callOf('breaks'),
      callOf('nothing', { x: secret }),
      ...echo,
    ],
    { ...told, tools: [keeps, breaks], callbacks: [watching], onInvalidToolCall: 'retry' },
  );
  const payer = agents.agent('payer', [callOf('pays', { to: secret }), 'Paid.'], {
    ...told,
    tools: [pays],
  });
  const failing = agents.agent('failing', [callOf('fails')], { ...told, tools: [fails] });
  const below = agents.agent('below', [callOf('failing', { input: secret })], {
    tools: [subAgent(failing, { name: 'failing', description: secret, onError: 'fail' })],
  });
  const caller = agents.agent(
    'caller',
    [callOf('ask', { input: secret }), callOf('pay', { input: secret }), ...echo],
    {
      tools: [
        subAgent(asker, { name: 'ask', description: 'Asks' }),
        subAgent(payer, { name: 'pay', description: 'Pays' }),
      ],
    },
  );
  const first = agents.agent('first', echo);
  const second = agents.agent('second', echo);
  const runners: readonly Runner[] = [
    tools,
    caller,
    sequential({ id: 'deep', steps: [first, below], passOutput: true }),
    sequential({ id: 'pipeline', steps: [first, second, asker], passOutput: true }),
    parallel({ id: 'branches', branches: [first, tools] }),
    graph({
      id: 'plan',
      tasks: [
        { id: 'one', runner: first, prompt: `${secret} \${input}` },
        { id: 'two', runner: second, dependencies: ['one'], prompt: '${one.output}' },
      ],
    }),
    agents.agent('spender', [callOf('keeps', { what: secret }), ...echo], { tools: [keeps] }),
    agents.agent('aborted', echo, { callbacks: [aborting] }),
    agents.agent('late', [callOf('ask_user', { question: secret })], {
      askUser: 'tool',
      inputTimeout: '1s',
    }),
    agents.agent(
      'long',
      [...Array.from({ length: 18 }, () => callOf('fetches')), ...echo] as never,
      {
        tools: [fetches],
        maxIterations: 30,
      },
    ),
    agents.agent('talker', [callOf('keeps', { what: secret }), ...echo], {
      ...told,
      tools: [keeps],
      memory: { kind: 'full', store: 'default' },
    }),
  ];
  const options = {
    runners,
    providers: { scripted: agents.provider },
    stores: { ...stores, memory: { default: stores.memory.default } },
  } satisfies CreateWorkerOptions;
  return { options, close: () => stores.close() };
}

/** What the runs come to: nobody mistakes an early failure for silence. */
export const outcomesOfEverything = {
  tools: 'complete',
  caller: 'complete',
  deep: 'ToolError',
  pipeline: 'complete',
  branches: 'complete',
  plan: 'complete',
  aborted: 'CallbackAbort',
  late: 'InputTimeout',
  spender: 'complete',
  long: 'complete',
  thread: 'complete',
};

/** Without the run that continues as new, which takes as long as all others together. */
export const { long: _long, ...shortOutcomes } = outcomesOfEverything;

/** Runs it all, to the end of every run. `skipsLong`: but for the run that continues as new. */
export async function runEverything(
  longhaul: Longhaul,
  secret: string,
  { skipsLong = false } = {},
): Promise<Readonly<Record<string, string>>> {
  const start = (runner: string, options = {}): Promise<RunHandle> =>
    longhaul.start(runner, `${secret} for ${runner}`, {
      session: { given: secret },
      context: { tenant: secret },
      ...options,
    });
  const ended = async (run: RunHandle): Promise<string> => {
    for (;;) {
      try {
        const outcome = await run.outcome();
        if (outcome.kind === 'complete') return 'complete';
        await answer(run, outcome.pending[0], secret);
      } catch (error) {
        return String((error as { code?: string }).code ?? error);
      }
    }
  };
  const key = { appName: secret, userId: secret, sessionId: secret };
  const plain = ['tools', 'caller', 'deep', 'pipeline', 'branches', 'plan', 'aborted', 'late'];
  const outcomes = await Promise.all([
    ...plain.map(async (runner) => [runner, await ended(await start(runner, { key }))] as const),
    (async () => {
      const budget = { maxTokens: 15, onExceeded: 'ask' };
      return ['spender', await ended(await start('spender', { budget }))] as const;
    })(),
    ...(skipsLong ? [] : ['long']).map(
      async (runner) => [runner, await ended(await start(runner))] as const,
    ),
    (async () => {
      const thread = longhaul.thread({ agent: 'talker', ...key, session: { given: secret } });
      const turn = await thread.send(secret, { context: { tenant: secret } });
      const told = await ended(turn);
      await ended(await thread.send(`${secret} again`));
      await thread.clear();
      await longhaul.run(thread.threadId).cancel(secret);
      return ['thread', told] as const;
    })(),
  ]);
  return Object.fromEntries(outcomes);
}

type Pending = { readonly kind: string; readonly inputId: string } | undefined;

async function answer(run: RunHandle, input: Pending, secret: string): Promise<void> {
  const { kind, inputId } = input ?? { kind: 'none', inputId: '' };
  const refused = (sent: Promise<unknown>): Promise<unknown> => sent.catch(() => undefined);
  if (kind === 'approval') {
    await refused(run.approve(`${inputId}-not`, { args: { to: secret } }));
    await run.approve(inputId, { args: { to: `${secret} edited` } });
  } else if (kind === 'budget') {
    await refused(run.resume(`${secret} is no number`, { inputId }));
    await run.resume(1_000, { inputId });
  } else if (run.workflowId.startsWith('late')) {
    await run.result();
  } else {
    await run.resume(`${secret} is my answer`, { inputId });
    await refused(run.resume(`${secret} is another`, { inputId }));
  }
}

function breakingFor(secret: string) {
  return {
    description: 'Fails',
    inputSchema: anything,
    retry: { maximumAttempts: 1 },
    execute: (): string => {
      throw new Error(`fails with ${secret}`, { cause: new Error(`because of ${secret}`) });
    },
  };
}
