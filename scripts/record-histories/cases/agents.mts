// What a single agent can meet.
import { defineCallbacks, ProviderError } from 'longhaul';
import type { ScriptedStep } from 'longhaul/testing';
import { agent, answer, ask, lookUpCall, research, researchCall, type Cases } from '../case.mts';
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
} from '../tools.mts';

const noting = defineCallbacks({
  name: 'noting',
  session: ['asked'],
  beforeToolCall: ({ session, call }) => {
    session['asked'] = call.name;
  },
  afterToolCall: () => undefined,
});

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

export const agents: Cases = {
  'text-answer': { runner: agent('text-answer'), steps: ['Hello to you.'] },
  /** Its memo names the application, which its key does not. */
  keyed: {
    runner: agent('keyed'),
    steps: ['Hello to you.'],
    options: { key: { userId: 'ada', tenant: 'acme' } },
  },
  'tool-turn': {
    runner: agent('tool-turn'),
    steps: [{ toolCalls: [lookUpCall('oak')] }, 'A tree.'],
  },
  'inline-turns': {
    runner: agent('inline-turns', {
      tools: [lookUp, refund, unreliable, remember, peek, unready],
      inlineReads: true,
    }),
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
      researchCall,
      { toolCalls: [lookUpCall('oak')] },
      'Oaks are trees.',
      'It knows of oaks.',
    ],
  },
  cancelled: {
    runner: agent('cancelled'),
    steps: [{ text: 'Too late.', delayMs: 60_000 }],
    isCut: true,
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
      researchCall,
      'Oaks are trees.',
      { toolCalls: [lookUpCall('oak')] },
      'It knows of oaks.',
    ],
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
};
