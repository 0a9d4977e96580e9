// What a tree has of all that trees can have, as words: two trees with the same ones prove much the same.

import type { RandomTree } from './random-tree';
import type { Act, AgentNode, GraphNode, TreeNode } from './tree';

/** Nodes by what they stand below, acts by where they are made, options by their values, ends and ways to cancel by the kind of the root. */
export function featuresOf({ seed, tree, results }: RandomTree): readonly string[] {
  const { root, cancel } = tree;
  return [
    ...ofNode(root, 'root'),
    `${root.kind} ${seed % 2 === 0 ? 'that travels' : 'that the worker knows'}`,
    ...(cancel ? [`${root.kind} cancelled at a ${cancel.at}`] : []),
    ...results.flatMap((result) => {
      const end = result.kind === 'failed' ? result.code : result.kind;
      const asksAgain = result.kind === 'complete' && (result.asks ?? 0) > 1;
      return [end, `${root.kind}: ${end}`, ...(asksAgain ? [`${root.kind} asks again`] : [])];
    }),
  ];
}

function ofNode(node: TreeNode, above: string): readonly string[] {
  const place = `${node.kind} below ${above}`;
  switch (node.kind) {
    case 'agent':
      return [place, `ending ${node.ending}`, ...ofTurns(node, above)];
    case 'sequential':
      return [place, `passes ${node.passOutput}`, ...below(node.steps, node)];
    case 'parallel': {
      const { branches, merge, cancelRest, concurrency } = node;
      const isNarrow = concurrency < branches.length;
      const options = [`merge ${merge}`, `cancelRest ${cancelRest}`, `narrow ${isNarrow}`];
      return [place, ...options, ...below(branches, node)];
    }
    case 'graph':
      return [
        place,
        ...ofTasks(node),
        ...below(
          node.tasks.map(({ runner }) => runner),
          node,
        ),
      ];
  }
}

const below = (nodes: readonly TreeNode[], { kind }: TreeNode): readonly string[] =>
  nodes.flatMap((node) => ofNode(node, kind));

function ofTasks({ tasks }: GraphNode): readonly string[] {
  return tasks.flatMap(({ hasPrompt, maxRetries, dependencies }) => [
    `prompt ${hasPrompt}`,
    `retries ${maxRetries > 0}`,
    `dependencies ${Math.min(dependencies.length, 2)}`,
  ]);
}

function ofTurns({ turns }: AgentNode, above: string): readonly string[] {
  return turns.flatMap((turn) => {
    if (turn.kind === 'marker') return [`marker below ${above}`];
    const isOneOfMany = turn.acts.length > 1;
    return turn.acts.flatMap((act) => [
      `${act.kind} below ${above}`,
      ...(isOneOfMany ? [`${act.kind} among others`] : []),
      ...ofAct(act),
    ]);
  });
}

function ofAct(act: Act): readonly string[] {
  if (act.kind !== 'call') return [];
  return [`calls ${act.callee.kind}, ${act.onError}`, ...ofNode(act.callee, 'agent')];
}
