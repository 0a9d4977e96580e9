// What one round does, as data: runs, conversations, faults. All of it follows from the seed.

import type { Suggestion } from '../impatient-cli.mts';
import type { Size } from './payload.mts';

/** What a tool call does. `place` names it over the whole round; its effect, if it has one, is recorded under that name. */
export type Act = {
  readonly kind: ToolName;
  readonly place: string;
  /** Of its result. */
  readonly size: Size;
  /** Of a text in its arguments. */
  readonly padding: Size;
};

/**
 * `charge` is idempotent, `refund` may happen once, `look` only reads, `note` writes the session, `guard` and `guard_once` wait for
 * approval, `vote` waits for two people of finance and may happen once, `stumble` fails, `ask_user` asks, `later` gets its result by a
 * token, `picture` is a tool of an MCP server, which draws one, `roll` gives another number each time.
 */
export type ToolName =
  | 'charge'
  | 'refund'
  | 'look'
  | 'note'
  | 'guard'
  | 'guard_once'
  | 'vote'
  | 'later'
  | 'stumble'
  | 'ask_user'
  | 'picture'
  | 'roll';

/** An agent that is called as a tool. */
export type Call = { readonly kind: 'call'; readonly place: string; readonly callee: NodePlan };

/** The calls of one model turn. */
export type TurnPlan = readonly (Act | Call)[];

export type AgentPlan = {
  readonly kind: 'agent';
  readonly id: string;
  readonly turns: readonly TurnPlan[];
  readonly answer: Size;
  /** The provider refuses its last call. */
  readonly isRefused: boolean;
  /** Callbacks stand around its calls, and change nothing. */
  readonly hasHooks: boolean;
  /** The tokens that a prompt may have: then older results are cleared and older turns summarised. */
  readonly window?: number;
};

/** A message of a person to the root agent of a tree, sent when so many model calls of the tree have come in. */
export type Aside = {
  readonly name: string;
  readonly afterCalls: number;
  readonly when: 'next' | 'now';
};

export type SequentialPlan = {
  readonly kind: 'sequential';
  readonly id: string;
  readonly steps: readonly NodePlan[];
  readonly passOutput: boolean | 'combined';
};

export type ParallelPlan = {
  readonly kind: 'parallel';
  readonly id: string;
  readonly branches: readonly NodePlan[];
  readonly concurrency: number;
  /** The branch that completes first gives the result. Only at the root, where each branch's result is right. */
  readonly race: { readonly cancelRest: boolean } | undefined;
};

export type GraphPlan = {
  readonly kind: 'graph';
  readonly id: string;
  readonly tasks: readonly {
    readonly id: string;
    readonly runner: NodePlan;
    readonly dependencies: readonly string[];
  }[];
};

export type NodePlan = AgentPlan | SequentialPlan | ParallelPlan | GraphPlan;

export type TreePlan = {
  /** Its workflow id as well. */
  readonly id: string;
  readonly root: NodePlan;
  readonly input: Size;
  /** A picture beside the text of the input; its base64. */
  readonly picture: Size | undefined;
  /** Cancelled when so many model calls of it have come in. */
  readonly cancelAfter: number | undefined;
  readonly budget: BudgetPlan | undefined;
  /** It reads the state of its application, its user and its session, and leaves its session. */
  readonly hasState: boolean;
  /** In its session from the start. */
  readonly given: Size | undefined;
  /** For its tools. */
  readonly context: Size | undefined;
  /** Only where the root is an agent. */
  readonly asides: readonly Aside[];
  /** Somebody follows its stream from the start, and opens it again when it breaks. */
  readonly isWatched: boolean;
  /** Before it starts, a start with one byte more of input, session and context each must be refused. */
  readonly isAtLimits: boolean;
  /** People take up to so long before they answer, so that it waits for them for a while. */
  readonly thinkMs: number;
  /** So many forged answers come at once with its first question, where answers are signed. */
  readonly forgeries: number;
  /** A run below it is taken back when so many model calls of the tree have come in. */
  readonly resetsBelow: readonly { readonly afterCalls: number; readonly draw: number }[];
  /** When it is cancelled, an operator takes back a run below that is about to end for it, and so undoes its cancellation. */
  readonly isResetWhenCancelled: boolean;
};

/** Without what only some have. */
export const plainTree = {
  picture: undefined,
  cancelAfter: undefined,
  budget: undefined,
  hasState: false,
  given: undefined,
  context: undefined,
  asides: [],
  isWatched: false,
  isAtLimits: false,
  thinkMs: 0,
  forgeries: 0,
  resetsBelow: [],
  isResetWhenCancelled: false,
};

/** When the tokens are used up it asks, and is given so many more, or stopped. */
export type BudgetPlan = { readonly tokens: number; readonly answer: number | 'stop' };

/** A message of a conversation, and what its turn does. */
export type MessagePlan = {
  readonly name: string;
  readonly size: Size;
  readonly picture: Size | undefined;
  readonly turns: readonly (readonly Act[])[];
  readonly answer: Size;
};

export type ThreadOperation =
  | { readonly kind: 'send'; readonly burst: readonly MessagePlan[] }
  /** Its turn asks, and is cancelled where it waits, by a person or by the next message: nothing of it is kept. */
  | { readonly kind: 'interrupt'; readonly asking: MessagePlan }
  | {
      readonly kind: 'cancel';
      readonly asking: MessagePlan;
      /** A text for the turn that somebody sends while it still ends. It becomes a turn. */
      readonly late: MessagePlan | undefined;
    }
  | { readonly kind: 'clear' };

export type ThreadPlan = {
  /** Its session id, and the id of its agent. */
  readonly id: string;
  /** How many turns the model is given; all where it is undefined. */
  readonly window: number | undefined;
  readonly hasStore: boolean;
  readonly operations: readonly ThreadOperation[];
};

/** Where workers are when something happens to them: an activity's beginning and end, and what lies between. */
export const moments = [
  'activity begins',
  'effect due',
  'effect made',
  'model asked',
  'model answered',
  'save due',
  'save made',
  'activity done',
] as const;

export type Moment = (typeof moments)[number];

/** Those that come by chance. */
export const chanceKinds = [
  'kill',
  'kill all',
  'shut down',
  'freeze',
  'kill server',
  'freeze server',
  'raw reset',
  'safe reset',
  'model down',
  'model slow',
  'model cut',
  'store down',
  'store slow',
  'store lost',
  'kill store',
] as const;

/** `new build`: workers get another build, one after the other. */
export const faultKinds = [...chanceKinds, 'new build'] as const;

export type FaultKind = (typeof faultKinds)[number];

export type Fault = {
  readonly kind: FaultKind;
  /** It happens at the first such moment after `gap` others of any kind. */
  readonly moment: Moment;
  readonly gap: number;
  /** How long it lasts: frozen, down, slow. */
  readonly ms: number;
  /** How many calls it meets, where it meets calls. */
  readonly calls: number;
  /** What else it needs to choose, from 0 to 999. */
  readonly draw: number;
};

/** Activities of which a round has some. Summaries, `summarise`, have other words each time: no oracle knows them. */
export const activities = [
  'loadDefinition',
  'findDefinition',
  'fetchSession',
  'fetchInput',
  'openRun',
  'openThread',
  'pullLog',
  'callModel',
  'callTool',
  'checkArguments',
  'runToolHooks',
  'saveTurn',
  'clearTurns',
  'closeRun',
  'requestCancellation',
] as const;

export type ActivityName = (typeof activities)[number];

export const boundaryKinds = ['kill', 'shut down', 'freeze'] as const;
export const boundaryMoments = ['activity begins', 'activity done'] as const;

/** What happens to the worker at the begin or the end of an activity. */
export type Boundary = {
  readonly activity: ActivityName;
  readonly moment: (typeof boundaryMoments)[number];
  readonly kind: (typeof boundaryKinds)[number];
  /** So many of these are let pass first. */
  readonly skip: number;
  readonly ms: number;
};

/** Names for the messages of a conversation, in order. */
export function messageNames(id: string): () => string {
  let messages = 0;
  return () => {
    messages += 1;
    return `${id}.m${messages}`;
  };
}

export type RoundPlan = {
  readonly seed: number;
  readonly settings: RoundSettings;
  readonly trees: readonly TreePlan[];
  readonly threads: readonly ThreadPlan[];
  readonly faults: readonly Fault[];
  readonly boundaries: readonly Boundary[];
};

export type RoundSettings = {
  /** When the server suggests to continue as new: much sooner than by its defaults. */
  readonly suggestsAt: Suggestion;
  /** Workers check the signatures of answers. */
  readonly isSigned: boolean;
  /** Undefined: the default, all logs of a round in memory. */
  readonly logCacheBytes: number | undefined;
  readonly maxCachedWorkflows: number | undefined;
  readonly graceMs: number;
  readonly store: 'sqlite' | 'postgres';
  /** `look` and `charge` run in the activity of the model call. */
  readonly isInline: boolean;
  /** Large results, pictures and inputs are in a result store. */
  readonly hasResults: boolean;
};

/** All agents of a tree, each once: none stands in two places. */
export function agentsOf(node: NodePlan): readonly AgentPlan[] {
  switch (node.kind) {
    case 'agent':
      return [
        node,
        ...node.turns.flat().flatMap((act) => (act.kind === 'call' ? agentsOf(act.callee) : [])),
      ];
    case 'sequential':
      return node.steps.flatMap(agentsOf);
    case 'parallel':
      return node.branches.flatMap(agentsOf);
    case 'graph':
      return node.tasks.flatMap(({ runner }) => agentsOf(runner));
  }
}

/** Whether the model calls of a tree are as many as its plan says: a summary and an answer to an aside are calls more. */
export function hasPlannedCalls({ root, asides }: TreePlan): boolean {
  return asides.length === 0 && agentsOf(root).every(({ window }) => window === undefined);
}

export function messagesOf({ operations }: ThreadPlan): readonly MessagePlan[] {
  return operations.flatMap((operation) => {
    if (operation.kind === 'clear') return [];
    if (operation.kind === 'send') return operation.burst;
    const late = operation.kind === 'cancel' ? operation.late : undefined;
    return late === undefined ? [operation.asking] : [operation.asking, late];
  });
}
