// What is recorded: one run for each thing a runner can do. A case is a scripted model, and what people do meanwhile.
import {
  defineAgent,
  defineCallbacks,
  graph,
  parallel,
  ProviderError,
  sequential,
  subAgent,
  type Agent,
  type Runner,
  type Tool,
} from 'longhaul';
import type { Longhaul, RunHandle } from 'longhaul/client';
import type { ScriptedStep } from 'longhaul/testing';
import {
  lookUp,
  pay,
  peek,
  pickSeat,
  readPage,
  refund,
  remember,
  unready,
  unreliable,
} from './tools.mts';

export type Recorded = {
  readonly run: RunHandle;
  readonly longhaul: Longhaul;
  /** Resolves when the model has been asked. */
  readonly modelCalled: () => Promise<void>;
};

export type Case = {
  readonly runner: Runner;
  readonly steps: readonly ScriptedStep[];
  /** What is said, one after the other, to a thread of it, which is then cleared. In place of a run. */
  readonly talk?: readonly string[];
  readonly meanwhile?: (recorded: Recorded) => Promise<unknown>;
};

const tools: readonly Tool[] = [lookUp, refund, unreliable, remember];
const lookUpCall = (word: string) => ({ name: 'look_up', args: { word } });
const ask = (question: string, options?: readonly string[]): ScriptedStep => ({
  toolCalls: [{ name: 'ask_user', args: { question, ...(options && { options: [...options] }) } }],
});

function agent(name: string, options: object = {}): Agent {
  return defineAgent({
    id: name,
    model: `${name}/scripted`,
    instructions: 'Be brief.',
    tools,
    ...options,
  });
}

/** Agents of one case, which speak by its one script. */
function cast(name: string, ids: readonly string[]): readonly Agent[] {
  return ids.map((id) => agent(`${name}-${id}`, { model: `${name}/scripted` }));
}

const noting = defineCallbacks({
  name: 'noting',
  session: ['asked'],
  beforeToolCall: ({ session, call }) => {
    session['asked'] = call.name;
  },
  afterToolCall: () => undefined,
});

function treesGraph(): Runner {
  const [oaks, elms, both] = cast('graph', ['oaks', 'elms', 'both']) as [Agent, Agent, Agent];
  return graph({
    id: 'graph',
    tasks: [
      { id: 'oaks', runner: oaks },
      { id: 'elms', runner: elms },
      {
        id: 'both',
        runner: both,
        dependencies: ['oaks', 'elms'],
        prompt: '${oaks.output} ${elms.output}',
      },
    ],
  });
}

function research(name: string) {
  const [callee] = cast(name, ['callee']) as [Agent];
  return subAgent(callee, { name: 'research', description: 'Researches' });
}

/** Reads pages until the prompt has outgrown its window a few times. A summary is one of the model's calls, too. */
function pages(count: number, summaries: number): readonly ScriptedStep[] {
  let read = 0;
  const step: ScriptedStep = (request) => {
    if (request.instructions?.startsWith('You summarise')) return { text: 'Trees have leaves.' };
    read += 1;
    const inputTokens = Math.ceil(JSON.stringify(request.messages).length / 4);
    const usage = { inputTokens, outputTokens: 10, totalTokens: inputTokens + 10 };
    return read > count
      ? { text: 'They have leaves.', usage }
      : { toolCalls: [{ name: 'read_page', args: {} }], usage };
  };
  return Array.from({ length: count + summaries + 1 }, () => step);
}

const smallWindow = {
  tools: [readPage],
  maxIterations: 20,
  context: { window: 2_000, keepTurns: 2, clearResults: { olderThan: 2, over: 256 } },
};

async function answer({ run }: Recorded, text: string): Promise<void> {
  await run.outcome();
  await run.resume(text);
}

export const cases: { readonly [name: string]: Case } = {
  'text-answer': { runner: agent('text-answer'), steps: ['Hello to you.'] },
  'tool-turn': {
    runner: agent('tool-turn'),
    steps: [{ toolCalls: [lookUpCall('oak')] }, 'A tree.'],
  },
  'inline-turns': {
    runner: agent('inline-turns', { tools: [...tools, peek, unready], inlineReads: true }),
    steps: [
      { toolCalls: [1, 2].map((page) => ({ name: 'peek', args: { page } })) },
      {
        toolCalls: [
          { name: 'peek', args: { page: 3 } },
          { name: 'refund', args: { amount: 100 } },
          { name: 'unready', args: {} },
          lookUpCall('oak'),
        ],
      },
      'Three pages.',
    ],
    meanwhile: async ({ run }) => {
      const outcome = await run.outcome();
      if (outcome.kind === 'needs-input') await run.approve(outcome.inputId);
    },
  },
  people: {
    runner: agent('people', { tools: [pay, pickSeat] }),
    steps: [
      {
        toolCalls: [
          { name: 'pay', args: { euros: 500 } },
          { name: 'pick_seat', args: {} },
        ],
      },
      'Paid.',
    ],
    meanwhile: async ({ run }) => {
      const [ada, bob] = [{ id: 'ada' }, { id: 'bob' }];
      await run.send('The invoice is in euros.', { messageId: 'in-euros' });
      for (;;) {
        const outcome = await run.outcome();
        if (outcome.kind === 'complete') return;
        for (const { inputId, kind, votes } of outcome.pending) {
          if (kind === 'tool') await run.complete(inputId, { seat: '12A' });
          else if (votes === undefined)
            await run.approve(inputId, { args: { euros: 400 }, by: ada });
          else await run.approve(inputId, { by: bob });
        }
      }
    },
  },
  'parallel-tools': {
    runner: agent('parallel-tools', { toolConcurrency: 2 }),
    steps: [
      { text: 'Three at once.', toolCalls: ['slow', 'elm', 'fir'].map(lookUpCall) },
      'Three trees.',
    ],
  },
  'session-and-long-arguments': {
    runner: agent('session-and-long-arguments'),
    steps: [{ toolCalls: [{ name: 'remember', args: { note: 'word '.repeat(2_000) } }] }, 'Kept.'],
  },
  'tool-failed': {
    runner: agent('tool-failed'),
    steps: [{ toolCalls: [{ name: 'unreliable', args: {} }] }, 'It does not work today.'],
  },
  'question-by-tool': {
    runner: agent('question-by-tool', { askUser: 'tool' }),
    steps: [ask('Which tree?', ['oak', 'elm']), { toolCalls: [lookUpCall('elm')] }, 'An elm.'],
    meanwhile: (recorded) => answer(recorded, 'elm'),
  },
  'question-by-marker': {
    runner: agent('question-by-marker', { askUser: 'marker' }),
    steps: ['__ask_user__: Which tree?', 'An oak.'],
    meanwhile: async ({ run, longhaul }) => {
      await run.outcome();
      const handle = longhaul.client.workflow.getHandle(run.workflowId);
      await handle.signal('resume', { answer: 'oak', inputId: 'no-such-input' });
      await handle.signal('resume', 'oak');
    },
  },
  'input-timeout': {
    runner: agent('input-timeout', { askUser: 'tool', inputTimeout: '1s' }),
    steps: [ask('Is anybody there?')],
  },
  'input-timeout-answered': {
    runner: agent('input-timeout-answered', {
      askUser: 'tool',
      inputTimeout: '1s',
      onInputTimeout: { answer: 'nobody is here' },
    }),
    steps: [ask('Is anybody there?'), 'Then I decide.'],
  },
  'approval-edited': {
    runner: agent('approval-edited'),
    steps: [
      { toolCalls: [{ name: 'refund', args: { amount: 100 } }, lookUpCall('order')] },
      'Refunded 40.',
    ],
    meanwhile: async ({ run }) => {
      const outcome = await run.outcome();
      if (outcome.kind === 'needs-input')
        await run.approve(outcome.inputId, { args: { amount: 40 } });
    },
  },
  'approval-rejected': {
    runner: agent('approval-rejected'),
    steps: [{ toolCalls: [{ name: 'refund', args: { amount: 100 } }] }, 'No refund then.'],
    meanwhile: async ({ run }) => {
      const outcome = await run.outcome();
      if (outcome.kind === 'needs-input') await run.reject(outcome.inputId, 'too much');
    },
  },
  'invalid-tool-call-retried': {
    runner: agent('invalid-tool-call-retried'),
    steps: [
      { toolCalls: [{ name: 'no_such_tool', args: {} }, lookUpCall('oak')] },
      { toolCalls: [{ name: 'look_up', args: '{"word":' }] },
      { toolCalls: [lookUpCall('oak')] },
      'A tree, at last.',
    ],
  },
  'criteria-reprompt': {
    runner: agent('criteria-reprompt', {
      criteria: [{ kind: 'keyword', keyword: 'DONE' }, { kind: 'structured-output' }],
    }),
    steps: ['Working on it.', 'DONE with it.'],
  },
  'called-agents': {
    runner: agent('called-agents', {
      tools: [research('called-agents'), lookUp],
    }),
    steps: [
      { toolCalls: [{ name: 'research', args: { input: 'Trees.' } }] },
      { toolCalls: [lookUpCall('oak')] },
      'Oaks are trees.',
      'It knows of oaks.',
    ],
  },
  cancelled: {
    runner: agent('cancelled'),
    steps: [{ text: 'Too late.', delayMs: 60_000 }],
    meanwhile: async ({ run, modelCalled }) => {
      await modelCalled();
      await run.cancel('changed my mind');
    },
  },
  failed: {
    runner: agent('failed', { maxIterations: 1 }),
    steps: [{ toolCalls: [lookUpCall('oak')] }, { toolCalls: [lookUpCall('elm')] }],
  },
  'provider-retry': {
    runner: agent('provider-retry'),
    steps: [
      { error: new ProviderError('rate_limited', 'slow down', { retryAfterMs: 200 }) },
      { error: new ProviderError('unavailable', 'try again', { retryAfterMs: 200 }) },
      'Here I am.',
    ],
  },
  'continued-as-new': {
    runner: agent('continued-as-new', { askUser: 'tool' }),
    steps: [
      ...['ash', 'elm', 'fir', 'oak', 'yew'].map((word) => ({ toolCalls: [lookUpCall(word)] })),
      { toolCalls: [{ name: 'remember', args: { note: 'five' } }] },
      ask('Go on?'),
      ...['box', 'bay'].map((word) => ({ toolCalls: [lookUpCall(word)] })),
      'Seven trees.',
    ],
    meanwhile: (recorded) => answer(recorded, 'yes'),
  },
  'hooked-calls': {
    runner: agent('hooked-calls', {
      tools: [research('hooked-calls'), lookUp],
      callbacks: [noting],
    }),
    steps: [
      { toolCalls: [{ name: 'research', args: { input: 'Trees.' } }] },
      'Oaks are trees.',
      { toolCalls: [lookUpCall('oak')] },
      'It knows of oaks.',
    ],
  },
  sequential: {
    runner: sequential({ id: 'sequential', steps: cast('sequential', ['first', 'second']) }),
    steps: [{ toolCalls: [lookUpCall('oak')] }, 'A tree.', 'A tall tree.'],
  },
  parallel: {
    runner: parallel({ id: 'parallel', branches: cast('parallel', ['left', 'right']) }),
    steps: ['A tree.', 'A tree.'],
  },
  'parallel-first': {
    runner: parallel({
      id: 'parallel-first',
      merge: 'first',
      branches: cast('parallel-first', ['left', 'right']),
    }),
    steps: ['A tree.', { text: 'A tree, too.', delayMs: 1_000 }],
  },
  graph: {
    runner: treesGraph(),
    steps: ['Oaks.', 'Elms.', 'Oaks and elms.'],
  },
  'small-window': { runner: agent('small-window', smallWindow), steps: pages(16, 7) },
  'refused-prompt': {
    runner: agent('refused-prompt', { tools: [readPage], context: { keepTurns: 1 } }),
    steps: [
      ...Array.from({ length: 4 }, () => ({ toolCalls: [{ name: 'read_page', args: {} }] })),
      { error: new ProviderError('context_length', 'the prompt is too long') },
      { text: 'Trees have leaves.' },
      { text: 'They have leaves.' },
    ],
  },
  thread: {
    runner: agent('thread'),
    steps: ['Hello.', { toolCalls: [lookUpCall('oak')] }, 'A tree.'],
    talk: ['Hi.', 'What is an oak?'],
  },
};
