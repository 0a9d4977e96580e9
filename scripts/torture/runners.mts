// The plan as runners and tools of a worker.

import { randomUUID } from 'node:crypto';
import {
  defineAgent,
  defineCallbacks,
  defineTool,
  graph,
  mcpTools,
  parallel,
  sequential,
  subAgent,
  type AgentTool,
  type Runner,
  type Tool,
  LonghaulError,
} from 'longhaul';
import {
  agentsOf,
  messagesOf,
  type AgentPlan,
  type NodePlan,
  type RoundPlan,
  type RoundSettings,
  type ThreadPlan,
  type ToolName,
  type TurnPlan,
} from './plan.mts';
import { limits } from './limits.mts';
import { agentAt, keyOf, resultOf, rolledAt, toolNameOf, type ToolArguments } from './texts.mts';

/** One line of the ledger: an effect that a tool had. */
export type Effect = {
  readonly tool: ToolName;
  readonly place: string;
  readonly key: string;
  readonly edited: boolean;
  readonly pid: number;
};

/** What a tool does to the world; `record` is the effect itself. */
export type Outside = {
  /** Of the process that has the effects. */
  readonly pid: number;
  due(place: string): Promise<void>;
  record(effect: Effect): void;
  made(place: string): Promise<void>;
  /** The result of the call comes from elsewhere, by this token. */
  later(place: string, token: string): Promise<void>;
  /** Where an MCP server is, and what it is to be told by headers. */
  readonly mcp: { readonly url: string; readonly headers: { readonly [name: string]: string } };
};

export const inputSchema = {
  type: 'object',
  properties: {
    place: { type: 'string' },
    bytes: { type: 'number' },
    deflates: { type: 'boolean' },
    padding: { type: 'string' },
    edited: { type: 'boolean' },
  },
  required: ['place', 'bytes', 'deflates'],
} as const;

/** Faults may hit one call many times: how often is not what this tests. */
const retry = { maximumAttempts: 100, initialInterval: '100ms', maximumInterval: '2s' } as const;
const pageBytes = 2_000_000;

/** What tools of a round are like. */
function kindsOf({ isInline, hasResults }: RoundSettings) {
  return {
    large: { maxResultBytes: hasResults ? limits.resultInStore : limits.result },
    inline: { inline: isInline },
  };
}

export function runnersOf(
  { trees, threads, settings }: RoundPlan,
  outside: Outside,
): readonly Runner[] {
  const notes = [...trees.flatMap(({ root }) => agentsOf(root)), ...threads.flatMap(messagesOf)]
    .flatMap(({ turns }) => turns.flat())
    .filter(({ kind }) => kind === 'note');
  const agents = [...new Set(notes.map(({ place }) => agentAt(place)))];
  const tools = new Toolbox([...toolsOf(outside, settings), noteTool(agents)], outside.mcp);
  return [
    ...trees.map(({ root }) => toRunner(root, tools)),
    ...threads.map((thread) => toThreadAgent(thread, tools)),
  ];
}

type AnyTool = Tool<ToolArguments> | AgentTool;

/** The server's tools are listed for each run that has them: those have them who call them. */
class Toolbox {
  readonly #own: readonly Tool<ToolArguments>[];
  readonly #pictures: AgentTool;

  constructor(own: readonly Tool<ToolArguments>[], mcp: Outside['mcp']) {
    this.#own = own;
    this.#pictures = mcpTools({ ...mcp, name: 'pictures', prefix: false, retry });
  }

  forTurns(turns: readonly TurnPlan[]): readonly AnyTool[] {
    const draws = turns.flat().some(({ kind }) => kind === 'picture');
    return [...this.#own, ...(draws ? [this.#pictures] : [])];
  }
}

/** They stand around every call and change nothing. */
const watcher = defineCallbacks({
  name: 'watcher',
  beforeToolCall: () => undefined,
  afterToolCall: () => undefined,
});

/** As a tool does that reads a page to answer with its beginning: the text keeps the whole page alive as long as it is kept itself. */
function cutFromPage(text: string): string {
  return (text + ' '.repeat(pageBytes)).slice(0, text.length);
}

function toolsOf(outside: Outside, settings: RoundSettings): readonly Tool<ToolArguments>[] {
  const { large, inline } = kindsOf(settings);
  const acting =
    (tool: ToolName) => async (args: ToolArguments, context: { idempotencyKey: string }) => {
      const { place, edited = false } = args;
      await outside.due(place);
      outside.record({ tool, place, key: context.idempotencyKey, edited, pid: outside.pid });
      await outside.made(place);
      return cutFromPage(resultOf(args));
    };
  const tool = (name: ToolName) => ({ name, description: `Does a ${name}`, inputSchema });
  return [
    defineTool<ToolArguments>({
      ...tool('charge'),
      ...large,
      ...inline,
      retry,
      execute: acting('charge'),
    }),
    defineTool<ToolArguments>({
      ...tool('refund'),
      ...large,
      effect: 'once',
      execute: acting('refund'),
    }),
    defineTool<ToolArguments>({
      ...tool('look'),
      ...large,
      ...inline,
      retry,
      effect: 'read',
      execute: acting('look'),
    }),
    defineTool<ToolArguments>({
      ...tool('guard'),
      ...large,
      retry,
      needsApproval: true,
      execute: acting('guard'),
    }),
    defineTool<ToolArguments>({
      ...tool('guard_once'),
      ...large,
      effect: 'once',
      needsApproval: true,
      execute: acting('guard_once'),
    }),
    defineTool<ToolArguments>({
      ...tool('vote'),
      ...large,
      effect: 'once',
      needsApproval: { by: { roles: ['finance'], approvals: 2, not: ['requester'] } },
      execute: acting('vote'),
    }),
    defineTool<ToolArguments>({
      ...tool('later'),
      retry,
      result: 'later',
      execute: async (args, context) => {
        await acting('later')(args, context);
        await outside.later(args.place, context.resultToken ?? '');
      },
    }),
    defineTool<ToolArguments>({
      ...tool('roll'),
      retry,
      effect: 'read',
      execute: ({ place }) => rolledAt(place, randomUUID()),
    }),
    defineTool<ToolArguments>({
      ...tool('stumble'),
      retry: { maximumAttempts: 100, initialInterval: '100ms' },
      execute: ({ place }) => {
        throw new LonghaulError('ToolError', `it broke at ${place}`);
      },
    }),
  ];
}

/** Each agent writes a session key of its own, so that no two who run at the same time write the same. */
function noteTool(agents: readonly string[]): Tool<ToolArguments> {
  return defineTool<ToolArguments>({
    name: 'note',
    description: 'Writes the session',
    inputSchema,
    retry,
    session: agents.map(keyOf),
    execute: ({ place }, { session }) => {
      session[keyOf(agentAt(place))] = place;
      return 'noted';
    },
  });
}

function toRunner(node: NodePlan, tools: Toolbox): Runner {
  switch (node.kind) {
    case 'agent':
      return toAgent(node, tools);
    case 'sequential': {
      const steps = node.steps.map((step) => toRunner(step, tools));
      return sequential({ id: node.id, steps, passOutput: node.passOutput });
    }
    case 'parallel': {
      const branches = node.branches.map((branch) => toRunner(branch, tools));
      const { id, concurrency, race } = node;
      return parallel({ id, branches, concurrency, ...(race && { merge: 'first', ...race }) });
    }
    case 'graph':
      return graph({
        id: node.id,
        tasks: node.tasks.map((task) => ({ ...task, runner: toRunner(task.runner, tools) })),
      });
  }
}

function toAgent(node: AgentPlan, tools: Toolbox): Runner {
  const called = node.turns.flat().flatMap((act) => {
    if (act.kind !== 'call') return [];
    const name = toolNameOf(act);
    return [subAgent(toRunner(act.callee, tools), { name, description: 'Is called' })];
  });
  return defineAgent({
    id: node.id,
    model: `torture/${node.id}`,
    tools: [...tools.forTurns(node.turns), ...called],
    ...(node.hasHooks && { callbacks: [watcher] }),
    askUser: 'tool',
    // An aside may ask for an answer more.
    maxIterations: node.turns.length + 5,
    ...(node.window !== undefined && { context: { window: node.window } }),
  });
}

function toThreadAgent(plan: ThreadPlan, tools: Toolbox): Runner {
  const { id, window, hasStore } = plan;
  const store = hasStore ? { store: 'default' } : {};
  return defineAgent({
    id,
    model: `torture/${id}`,
    tools: [...tools.forTurns(messagesOf(plan).flatMap(({ turns }) => turns))],
    askUser: 'tool',
    memory:
      window === undefined
        ? { kind: 'full', ...store }
        : { kind: 'windowed', turns: window, ...store },
  });
}
