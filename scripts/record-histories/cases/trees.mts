// What runs can meet that call other runs: their places, their pauses, and their ends.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  defineAgent,
  defineCallbacks,
  graph,
  parallel,
  ProviderError,
  sequential,
  subAgent,
  type Agent,
  type AgentOptions,
  type Runner,
} from 'longhaul';
import type { ScriptedStep } from 'longhaul/testing';
import {
  agent,
  ask,
  bob,
  callOf,
  cast,
  firstInput,
  lookUpCall,
  openInputs,
  research,
  researchCall,
  until,
  type Cases,
} from '../case.mts';
import { lookUp, refund } from '../tools.mts';

const noting = defineCallbacks({
  name: 'noting',
  session: ['asked'],
  beforeToolCall: ({ session, call }) => {
    session['asked'] = call.name;
  },
  afterToolCall: () => undefined,
});

/** An agent with a script of its own. */
function speaker(name: string, id: string, options: Partial<AgentOptions> = {}): Agent {
  return defineAgent({ id: `${name}-${id}`, model: `${name}-${id}/scripted`, ...options });
}

function treesGraph(): Runner {
  const [oaks, elms, both] = cast('graph', ['oaks', 'elms', 'both']) as [Agent, Agent, Agent];
  return graph({
    id: 'graph',
    tasks: [
      { id: 'oaks', runner: oaks, maxRetries: 1 },
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

/** One agent, so many times. */
function copies(name: string, count: number): readonly Agent[] {
  return Array.from<Agent>({ length: count }).fill(cast(name, ['step'])[0] as Agent);
}

/** A task for each, after the one before it. */
function chain(name: string, count: number): Runner {
  const [runner] = cast(name, ['link']) as [Agent];
  return graph({
    id: name,
    tasks: Array.from({ length: count }, (_, index) => ({
      id: `link-${index}`,
      runner,
      ...(index > 0 && { dependencies: [`link-${index - 1}`] }),
    })),
  });
}

/** A manager with a researcher, who has an assistant, who asks a person. */
function deepTree(name: string): Runner {
  const assistant = speaker(name, 'assistant', { askUser: 'tool' });
  const researcher = speaker(name, 'researcher', {
    tools: [subAgent(assistant, { name: 'assist', description: 'Assists' })],
  });
  const manager = speaker(name, 'manager', {
    tools: [subAgent(researcher, { name: 'research', description: 'Researches' })],
  });
  const cashier = speaker(name, 'cashier', { tools: [refund] });
  return sequential({
    id: name,
    steps: [parallel({ id: `${name}-both`, branches: [manager, cashier] }), speaker(name, 'end')],
    passOutput: 'combined',
  });
}

const wrong: ScriptedStep = { error: new ProviderError('rejected', 'the request is wrong') };
const texts = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `Text ${index + 1}.`);

export const trees: Cases = {
  'called-agents': {
    runner: agent('called-agents', { tools: [research('called-agents'), lookUp] }),
    steps: [
      researchCall,
      { toolCalls: [lookUpCall('oak')] },
      'Oaks are trees.',
      'It knows of oaks.',
    ],
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
  graph: { runner: treesGraph(), steps: ['Oaks.', 'Elms.', 'Oaks and elms.'] },
  /** The first attempt of a task fails, and so does an agent that is called as a tool. */
  'failing-tree': {
    runner: graph({
      id: 'failing-tree',
      tasks: [
        {
          id: 'only',
          runner: agent('failing-tree-caller', {
            model: 'failing-tree/scripted',
            tools: [research('failing-tree')],
          }),
          maxRetries: 1,
        },
      ],
    }),
    steps: [wrong, researchCall, wrong, 'The research failed.'],
  },
  'long-inputs': {
    runner: parallel({ id: 'long-inputs', branches: cast('long-inputs', ['left', 'right']) }),
    steps: ['Long.', 'Very long.'],
    input: 'A long input. '.repeat(700),
    options: { session: { notes: 'A note. '.repeat(700) } },
  },
  'abandoned-question': {
    runner: parallel({
      id: 'abandoned-question',
      merge: 'first',
      branches: [
        speaker('abandoned-question', 'left', {
          tools: [
            subAgent(speaker('abandoned-question', 'asker', { askUser: 'tool' }), {
              name: 'research',
              description: 'Researches',
            }),
          ],
        }),
        speaker('abandoned-question', 'right'),
      ],
    }),
    steps: {
      left: [researchCall],
      asker: [ask('Is anybody there?')],
      right: [{ text: 'I need nobody.', delayMs: 1_500 }],
    },
  },
  /** The other branch has spent something when it is cancelled. */
  'first-cancels': {
    runner: parallel({
      id: 'first-cancels',
      merge: 'first',
      cancelRest: true,
      branches: [
        speaker('first-cancels', 'left'),
        speaker('first-cancels', 'right', { tools: [lookUp] }),
      ],
    }),
    isCut: true,
    steps: {
      left: [{ text: 'I was first.', delayMs: 1_500 }],
      right: [{ toolCalls: [lookUpCall('oak')] }, { text: 'Too late.', delayMs: 60_000 }],
    },
  },
  /** A step has its result while a branch below it still works. */
  'early-result': {
    runner: sequential({
      id: 'early-result',
      steps: [
        parallel({
          id: 'early-result-race',
          merge: 'first',
          branches: [speaker('early-result', 'left'), speaker('early-result', 'right')],
        }),
        speaker('early-result', 'end'),
      ],
    }),
    steps: {
      left: ['I was first.'],
      right: [{ text: 'I was late.', delayMs: 2_500 }],
      end: ['The end.'],
    },
  },
  'cancelled-tree': {
    runner: parallel({
      id: 'cancelled-tree',
      branches: [
        speaker('cancelled-tree', 'left', { askUser: 'tool' }),
        speaker('cancelled-tree', 'right', { tools: [lookUp] }),
      ],
    }),
    isCut: true,
    steps: {
      left: [ask('Shall we?')],
      right: [{ toolCalls: [lookUpCall('oak')] }, { text: 'Too late.', delayMs: 60_000 }],
    },
    meanwhile: async ({ run, modelCalled }) => {
      await run.outcome();
      await modelCalled(3);
      await run.cancel('nobody needs it', { by: bob });
    },
  },
  /** The run below has continued as new when its caller is cancelled. */
  'continued-and-cancelled': {
    runner: sequential({
      id: 'continued-and-cancelled',
      steps: [speaker('continued-and-cancelled', 'walker', { tools: [lookUp], askUser: 'tool' })],
    }),
    isCut: true,
    steps: {
      walker: [
        ...['ash', 'elm', 'fir', 'oak', 'yew', 'box', 'bay'].map((word) => ({
          toolCalls: [lookUpCall(word)],
        })),
        ask('Go on?'),
      ],
    },
    meanwhile: async ({ run }) => {
      await run.outcome();
      await run.cancel('nobody needs it', { by: bob });
    },
  },
  'deep-pauses': {
    runner: deepTree('deep-pauses'),
    steps: {
      manager: [researchCall, 'The manager has it.'],
      researcher: [callOf('assist', { input: 'Assist.' }), 'The researcher has it.'],
      assistant: [ask('Which tree?'), 'The assistant has it.'],
      cashier: [callOf('refund', { amount: 10 }), 'The cashier has it.'],
      end: ['All have it.'],
    },
    meanwhile: async ({ run }) => {
      await openInputs(run, 2);
      for (const { inputId, kind } of await run.pending()) {
        if (kind === 'question') await run.resume('oak', { inputId });
        else await run.approve(inputId);
      }
    },
  },
  /** Answers that say what their sender may do, on their way to the run that asked. */
  'rights-of-answers': {
    runner: deepTree('rights-of-answers'),
    steps: {
      manager: [researchCall, 'The manager has it.'],
      researcher: [callOf('assist', { input: 'Assist.' }), 'The researcher has it.'],
      assistant: [ask('Which tree?'), 'The assistant has it.'],
      cashier: [callOf('refund', { amount: 10 }), 'The cashier has it.'],
      end: ['All have it.'],
    },
    meanwhile: async ({ run }) => {
      await openInputs(run, 2);
      for (const { inputId, kind } of await run.pending()) {
        if (kind === 'question') await run.resume('oak', { inputId, may: [] });
        else await run.approve(inputId, { may: ['raise-budget'] });
      }
    },
  },
  'budget-of-tree': {
    runner: sequential({
      id: 'budget-of-tree',
      steps: cast('budget-of-tree', ['first', 'second']),
      budget: { maxTokens: 20 },
    }),
    steps: [{ toolCalls: [lookUpCall('oak')] }, 'A tree.', 'A tall tree.'],
    meanwhile: async ({ run }) => {
      await firstInput(run);
      await run.resume(100);
    },
  },
  'sequential-continues': {
    runner: sequential({
      id: 'sequential-continues',
      steps: copies('sequential-continues', 8),
      passOutput: true,
    }),
    steps: texts(8),
    keeps: 'own',
    isById: true,
  },
  'parallel-continues': {
    runner: parallel({
      id: 'parallel-continues',
      branches: copies('parallel-continues', 8),
      concurrency: 1,
    }),
    steps: texts(8),
    keeps: 'own',
  },
  'graph-continues': { runner: chain('graph-continues', 8), steps: texts(8), keeps: 'own' },
  reset: {
    runner: agent('reset', { askUser: 'tool' }),
    steps: [{ toolCalls: [lookUpCall('oak')] }, ask('Go on?'), ask('Go on, now?'), 'We went on.'],
    meanwhile: async ({ run, also }) => {
      await run.outcome();
      also(run.workflowId, (await run.state()).runId);
      await run.reset({ to: 2 });
      await until(async () => (await run.pending())[0]?.question === 'Go on, now?');
      await run.resume('yes');
    },
  },
  /** A run below is reset. The root run still lists the question of before. */
  'reset-below': {
    runner: agent('reset-below', {
      tools: [research('reset-below', { askUser: 'tool', tools: [] })],
    }),
    steps: [
      researchCall,
      ask('Which tree?'),
      ask('Which tree, now?'),
      'An oak.',
      'It knows of oaks.',
    ],
    meanwhile: async ({ run, longhaul, also }) => {
      await firstInput(run);
      const [child] = (await run.tree()).children;
      const below = longhaul.run(child?.workflowId ?? '');
      also(below.workflowId, (await below.state()).runId);
      await below.reset({ to: 1 });
      await until(async () => (await run.pending())[0]?.question === 'Which tree, now?');
      await sleep(200);
      await run.resume('oak');
    },
  },
};
