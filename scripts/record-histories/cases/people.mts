// What people and clients can do with a run: approve by rules, bring results, raise budgets, and say something meanwhile.
import { setTimeout as sleep } from 'node:timers/promises';
import { activityTool, defineTool, ProviderError } from 'longhaul';
import {
  ada,
  agent,
  answer,
  ask,
  bob,
  callOf,
  firstInput,
  lookUpCall,
  openInputs,
  until,
  type Cases,
} from '../case.mts';
import { anything, reserve } from '../tools.mts';

/** What the `onPause` of the case `reminded` was called with. */
const notices: string[] = [];

/** What a check of the case `answered-as-it-moves` does before it accepts the answer. */
let moves = async (): Promise<boolean> => await Promise.resolve(true);

const paySome = defineTool({
  name: 'pay_some',
  description: 'Pays a little',
  inputSchema: anything,
  needsApproval: {
    by: { roles: ['clerk'], not: ['requester'] },
    remind: ['1s'],
    escalate: { after: '3s', to: { roles: ['boss'] } },
    remember: 'run',
  },
  execute: () => 'paid',
});

const charge = activityTool({
  name: 'charge',
  description: 'Charges a card',
  inputSchema: {
    type: 'object',
    properties: { cents: { type: 'number' } },
    required: ['cents'],
  },
  activity: 'ChargeCard',
  needsApproval: true,
});

/** The tokens that the tool of the case `later-tools` got, by the name of the work. */
const tokens = new Map<string, string>();

const order = defineTool<{ work: string }>({
  name: 'order',
  description: 'Orders work that takes its time',
  inputSchema: { type: 'object', properties: { work: { type: 'string' } }, required: ['work'] },
  result: 'later',
  resultTimeout: '4s',
  execute: ({ work }, { resultToken }) => {
    tokens.set(work, resultToken);
  },
});
const orderCall = (work: string) => ({ name: 'order', args: { work } });

const colour = {
  name: 'pick_colour',
  description: 'Lets the user pick a colour',
  inputSchema: { type: 'object', properties: {} },
  resultSchema: { type: 'string' },
};

export const people: Cases = {
  // Moves to a corrected definition between two pauses, and is refused before and after.
  migrated: {
    runner: agent('migrated', { askUser: 'tool' }),
    steps: [ask('Which tree?'), ask('How old?'), 'An oak.'],
    own: () => ({ worker: { inlineSpecs: true } }),
    meanwhile: async (recorded) => {
      const { run } = recorded;
      await run.outcome();
      const { spec } = agent('migrated', { askUser: 'tool', instructions: 'Be kind.' });
      await run.migrateSpec({ ...spec, maxTurns: 1 }).catch(() => undefined);
      await run.migrateSpec(spec, { by: ada, note: 'kinder' });
      await answer(recorded, 'oak');
      await answer(recorded, 'old');
    },
  },
  /** A reminder, an escalation, a signature that is not theirs, and an approval that is remembered. */
  reminded: {
    runner: agent('reminded', { tools: [paySome] }),
    steps: [callOf('pay_some'), callOf('pay_some'), 'Paid twice.'],
    options: { by: ada, key: { appName: 'shop', userId: 'ada' } },
    own: () => ({
      worker: {
        onPause: ({ reason }) => void notices.push(reason),
        checkSignature: ({ signature }) => signature === 'signed',
      },
    }),
    meanwhile: async ({ run }) => {
      const inputId = await firstInput(run);
      await until(() => notices.length === 3);
      await run.approve(inputId, { by: bob, signature: 'forged' }).catch(() => undefined);
      await run.approve(inputId, { by: bob, signature: 'signed', note: 'a small sum' });
    },
  },
  /** More forged answers than are checked at a time. */
  'forged-flood': {
    runner: agent('forged-flood'),
    steps: [callOf('refund', { amount: 10 }), 'Refunded.'],
    own: () => ({ worker: { checkSignature: ({ signature }) => signature === 'signed' } }),
    meanwhile: async ({ run, longhaul }) => {
      const inputId = await firstInput(run);
      const handle = longhaul.client.workflow.getHandle(run.workflowId);
      const forged = { kind: 'approve', inputId };
      await Promise.all(Array.from({ length: 24 }, () => handle.signal('answer', forged)));
      await run.approve(inputId, { signature: 'signed' });
    },
  },
  /** It continues as new while an answer to it is checked: one to a question, and one to its budget. */
  'answered-as-it-moves': {
    runner: agent('answered-as-it-moves', { askUser: 'tool', budget: { maxTokens: 20 } }),
    steps: [ask('Which tree?'), callOf('look_up', { word: 'oak' }), 'It is old.'],
    own: () => ({ worker: { checkSignature: async () => await moves() } }),
    meanwhile: async (recorded) => {
      const { run } = recorded;
      const handle = recorded.longhaul.client.workflow.getHandle(run.workflowId);
      moves = async () => {
        const signals = Array.from({ length: 45 }, () =>
          handle.signal('resume', { answer: 'no', inputId: 'none' }),
        );
        await Promise.all(signals);
        // The answer comes when the run has seen all of them.
        await run.state();
        return true;
      };
      await answer(recorded, 'oak');
      await answer(recorded, '100');
    },
  },
  'approval-expired': {
    runner: agent('approval-expired', { inputTimeout: '500ms' }),
    steps: [callOf('refund', { amount: 100 })],
  },
  /** A call that no activity of ours makes. Its arguments are checked, because a person changed them. */
  'own-activity': {
    runner: agent('own-activity', { tools: [charge] }),
    steps: [callOf('charge', { cents: 500 }), callOf('charge', { cents: 100 }), 'Charged.'],
    own: () => ({
      worker: {
        workerOptions: {
          activities: { ChargeCard: ({ cents }: { cents: number }) => ({ charged: cents }) },
        },
      },
    }),
    meanwhile: async ({ run }) => {
      await run.approve(await firstInput(run), { args: { cents: 400 } });
      await run.approve(await firstInput(run));
    },
  },
  'later-tools': {
    runner: agent('later-tools', { tools: [order] }),
    steps: [
      { toolCalls: [orderCall('paint'), orderCall('saw'), orderCall('sand')] },
      'One was done, one failed, and one took too long.',
    ],
    meanwhile: async ({ run, longhaul }) => {
      await openInputs(run, 3);
      await longhaul.completeByToken(tokens.get('paint') ?? '', { colour: 'red' });
      await longhaul.failByToken(tokens.get('saw') ?? '', 'no wood');
    },
  },
  'client-tools': {
    runner: agent('client-tools'),
    steps: [callOf('pick_colour'), callOf('pick_colour'), 'Red, then nothing.'],
    options: { clientTools: [colour] },
    meanwhile: async ({ run }) => {
      await run.complete(await firstInput(run), 'red');
      await run.fail(await firstInput(run), 'the user has left');
    },
  },
  'budget-raised': {
    runner: agent('budget-raised', { budget: { maxTokens: 20 } }),
    steps: [{ toolCalls: [lookUpCall('oak')] }, { toolCalls: [lookUpCall('elm')] }, 'Two trees.'],
    meanwhile: (recorded) => answer(recorded, '1000'),
  },
  'budget-stopped': {
    runner: agent('budget-stopped', { budget: { maxTokens: 10 } }),
    steps: [{ toolCalls: [lookUpCall('oak')] }],
    meanwhile: (recorded) => answer(recorded, 'stop'),
  },
  /** A message before the next call, one that cuts a call, and one after the last answer. */
  steered: {
    runner: agent('steered'),
    steps: [
      { toolCalls: [lookUpCall('oak')], delayMs: 600 },
      { text: 'Never said.', delayMs: 60_000 },
      { text: 'An oak is a tree.', delayMs: 800 },
      'An elm, too.',
    ],
    meanwhile: async ({ run, modelCalled }) => {
      await modelCalled(1);
      await run.send('In one sentence.', { messageId: 'one', by: ada });
      await modelCalled(2);
      await run.send('Be quick.', { messageId: 'two', when: 'now' });
      await modelCalled(3);
      await sleep(200);
      await run.send('And elms?', { messageId: 'three' });
    },
  },
  /** A message cuts a call before any tool of it acts, and one that comes later does not. Then the run is cancelled, while a call acts. */
  'calls-stand': {
    runner: agent('calls-stand', { tools: [reserve] }),
    isCut: true,
    steps: [
      { text: 'Never said.', delayMs: 60_000 },
      { toolCalls: [{ name: 'reserve', args: { seat: '12A' } }] },
      { toolCalls: [{ name: 'reserve', args: { seat: '12B' } }] },
    ],
    meanwhile: async ({ run, modelCalled }) => {
      await modelCalled(1);
      await run.send('By the window.', { messageId: 'one', when: 'now' });
      await modelCalled(2);
      await sleep(300);
      await run.send('No, in the middle.', { messageId: 'two', when: 'now' });
      await modelCalled(3);
      await sleep(300);
      await run.cancel('enough');
    },
  },
  /** Workers tell the run of a call that fails again and again. */
  'retried-call': {
    runner: agent('retried-call'),
    steps: [
      { error: new ProviderError('unavailable', 'try again', { retryAfterMs: 600 }) },
      { error: new ProviderError('unavailable', 'try again', { retryAfterMs: 600 }) },
      'Here I am.',
    ],
  },
};
