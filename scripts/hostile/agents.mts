// The agents that are attacked, and their tools. What a tool does, it tells the hub.

import { defineAgent, defineTool, subAgent, type Runner, type Tool } from 'longhaul';

/** What a tool did, and on whose behalf it believes to have done it. */
export type Effect = {
  readonly tool: 'pay' | 'work' | 'collect';
  readonly workflowId: string;
  readonly key: string;
  readonly what: string;
  /** The context of the run: the backend alone says it. */
  readonly context: { readonly who?: string; readonly tenant?: string };
  readonly resultToken?: string;
};

export const agentIds = [
  'talker',
  'asker',
  'payer',
  'bank',
  'picker',
  'spender',
  'thrifty',
  'manager',
] as const;

export type AgentId = (typeof agentIds)[number];

export const tokensOfCall = 500;

/** What the backend lets a run of an agent use. */
export const budgets: Readonly<Record<AgentId, { maxTokens: number; onExceeded: 'ask' | 'fail' }>> =
  {
    talker: { maxTokens: 50_000, onExceeded: 'fail' },
    asker: { maxTokens: 50_000, onExceeded: 'fail' },
    payer: { maxTokens: 50_000, onExceeded: 'fail' },
    bank: { maxTokens: 50_000, onExceeded: 'fail' },
    picker: { maxTokens: 50_000, onExceeded: 'fail' },
    spender: { maxTokens: 1_000, onExceeded: 'ask' },
    thrifty: { maxTokens: 1_000, onExceeded: 'fail' },
    manager: { maxTokens: 2_000, onExceeded: 'ask' },
  };

const financeRule = { roles: ['finance'], approvals: 2, not: ['requester'] } as const;

type Args = { readonly what: string };

const inputSchema = {
  type: 'object',
  properties: { what: { type: 'string' } },
  required: ['what'],
} as const;

const resultSchema = {
  type: 'object',
  properties: { secret: { type: 'string' } },
  required: ['secret'],
} as const;

const whoIn = ({ who }: Effect['context']): string => who ?? 'nobody';

type Tell = (effect: Effect) => Promise<void>;

type Called = Pick<Effect, 'workflowId' | 'context'> & {
  readonly idempotencyKey: string;
  readonly resultToken?: string;
};

function effectOf(tool: Effect['tool'], { what }: Args, called: Called): Effect {
  const { workflowId, idempotencyKey: key, context, resultToken } = called;
  return { tool, workflowId, key, what, context, ...(resultToken && { resultToken }) };
}

function toolsOf(tell: Tell): Readonly<Record<'pay' | 'work' | 'collect' | 'pick', Tool<Args>>> {
  const pay = defineTool<Args>({
    name: 'pay',
    description: 'Pays somebody',
    inputSchema,
    effect: 'once',
    needsApproval: { by: financeRule, show: ({ what }) => `Pay: ${what}` },
    execute: async (args, called) => {
      await tell(effectOf('pay', args, called));
      return { paid: args.what };
    },
  });
  const work = defineTool<Args>({
    name: 'work',
    description: 'Works for a moment',
    inputSchema,
    effect: 'read',
    execute: async (args, called) => {
      await tell(effectOf('work', args, called));
      return { did: `${args.what} for ${whoIn(called.context)}` };
    },
  });
  const collect = defineTool<Args>({
    name: 'collect',
    description: 'Asks the bank, which says by a token what came',
    inputSchema,
    resultSchema,
    result: 'later',
    execute: async (args, called) => tell(effectOf('collect', args, called)),
  });
  const pick = defineTool<Args>({
    name: 'pick',
    description: 'Lets the person pick',
    inputSchema,
    result: 'client',
  });
  return { pay, work, collect, pick };
}

export function runnersOf(tell: Tell): readonly Runner[] {
  const { pay, work, collect, pick } = toolsOf(tell);
  const agent = (id: AgentId, tools: readonly Tool<Args>[], more: object = {}) =>
    defineAgent({ id, model: `hostile/${id}`, instructions: `You are ${id}.`, tools, ...more });
  const asker = agent('asker', [], { askUser: 'tool' });
  const payer = agent('payer', [pay]);
  const bank = agent('bank', [collect]);
  const spender = agent('spender', [work]);
  return [
    agent('talker', []),
    asker,
    payer,
    bank,
    agent('picker', [pick]),
    spender,
    agent('thrifty', [work]),
    defineAgent({
      id: 'manager',
      model: 'hostile/manager',
      instructions: 'You are manager.',
      tools: [asker, payer, bank, spender].map((each) =>
        subAgent(each, { name: `ask_${each.id}`, description: `Asks ${each.id}` }),
      ),
    }),
  ];
}
