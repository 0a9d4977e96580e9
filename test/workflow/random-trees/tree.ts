import { defineAgent, graph, parallel, sequential, subAgent, type Runner } from '../../../src';
import type { JsonObject } from '../../../src/base/json';
import { tools } from './tools';

/** One tool call. `break` ends the agent's run, `stumble` does not; `flaky` ends it the first time only. */
export type Act =
  | { readonly kind: 'write' | 'guard' | 'erase'; readonly key: string }
  | { readonly kind: 'ask' | 'break' | 'stumble' | 'flaky' }
  | { readonly kind: 'call'; readonly callee: TreeNode; readonly onError: 'return' | 'fail' };

/** What the model says in one turn: calls of tools, or a question by marker. */
export type Turn =
  { readonly kind: 'marker' } | { readonly kind: 'acts'; readonly acts: readonly Act[] };

export type AgentNode = {
  readonly kind: 'agent';
  readonly id: string;
  readonly turns: readonly Turn[];
  /** After its turns: it answers, calls a tool though it has no rounds, or its provider fails. */
  readonly ending: 'answer' | 'limit' | 'provider';
};

export type TaskNode = {
  readonly id: string;
  readonly runner: TreeNode;
  readonly dependencies: readonly string[];
  readonly maxRetries: number;
  /** Whether a prompt of its own names what it gets. */
  readonly hasPrompt: boolean;
};

export type SequentialNode = {
  readonly kind: 'sequential';
  readonly id: string;
  readonly steps: readonly TreeNode[];
  readonly passOutput: boolean | 'combined';
};

export type ParallelNode = {
  readonly kind: 'parallel';
  readonly id: string;
  readonly branches: readonly TreeNode[];
  readonly merge: 'collect_all' | 'first';
  readonly cancelRest: boolean;
  readonly concurrency: number;
};

export type GraphNode = {
  readonly kind: 'graph';
  readonly id: string;
  readonly tasks: readonly TaskNode[];
};

export type TreeNode = AgentNode | SequentialNode | ParallelNode | GraphNode;

export type Tree = {
  readonly id: string;
  readonly root: TreeNode;
  readonly session: JsonObject;
  /** Cancelled while this model call is under way, or when this many questions have been seen. */
  readonly cancel?: { readonly at: 'call' | 'pause'; readonly number: number };
};

const runners = new WeakMap<TreeNode, Runner>();

/** The same runner every time: a node may stand in several places. */
export function toRunner(node: TreeNode): Runner {
  const runner = runners.get(node) ?? made(node);
  runners.set(node, runner);
  return runner;
}

function made(node: TreeNode): Runner {
  const { kind, id } = node;
  if (kind === 'agent') return toAgent(node);
  if (kind === 'sequential')
    return sequential({ id, steps: node.steps.map(toRunner), passOutput: node.passOutput });
  if (kind === 'parallel') {
    const { merge, cancelRest, concurrency } = node;
    return parallel({
      id,
      branches: node.branches.map(toRunner),
      merge,
      concurrency,
      ...(merge === 'first' && { cancelRest }),
    });
  }
  return graph({
    id,
    tasks: node.tasks.map(({ hasPrompt, runner, ...task }) => ({
      ...task,
      runner: toRunner(runner),
      ...(hasPrompt && { prompt: promptOf(task.dependencies) }),
    })),
  });
}

export function promptOf(dependencies: readonly string[]): string {
  return ['${input}', ...dependencies.map((id) => `\${${id}.output}`)].join(' and ');
}

/** Agents that are called where they stand, by the name of the tool. */
export function calleesOf({
  turns,
}: AgentNode): readonly (readonly [string, Extract<Act, { kind: 'call' }>])[] {
  return turns.flatMap((turn) =>
    turn.kind === 'marker'
      ? []
      : turn.acts.flatMap((act) =>
          act.kind === 'call' ? [[toolName(act.callee), act] as const] : [],
        ),
  );
}

export const toolName = ({ id }: TreeNode): string => `call_${id.replaceAll('.', '_')}`;

function toAgent(node: AgentNode): Runner {
  const called = calleesOf(node).map(([name, { callee, onError }]) =>
    subAgent(toRunner(callee), { name, description: 'Is called', onError }),
  );
  return defineAgent({
    id: node.id,
    model: `scripted/${node.id}`,
    tools: [...tools, ...called],
    askUser: 'tool',
    ...(node.ending === 'limit' && { maxIterations: 0 }),
  });
}
