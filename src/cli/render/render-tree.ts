import type { RunTree } from '../../client';
import { printableLine } from './printable';
import { joinFacts, plural, tokens } from './render-parts';
import { paintStatus } from './paint-status';
import { renderTable, type Cell, type TableOptions } from './table';

/** A run with all it called, a line for each, indented below its caller; nothing for a run that called none. */
export function renderTree(tree: RunTree, options: TableOptions): readonly string[] {
  if (tree.children.length === 0) return [];
  const rows = rowsOf(tree, { depth: 0, options });
  return [...renderTable(['RUN', 'STATUS', 'SO FAR'], rows, options), ''];
}

function rowsOf(
  tree: RunTree,
  { depth, options }: { depth: number; options: TableOptions },
): readonly (readonly Cell[])[] {
  const { status } = tree;
  return [
    [
      `${'  '.repeat(depth)}${nameOf(tree)}`,
      { text: status, paint: () => paintStatus(status, options.style) },
      factsOf(tree),
    ],
    ...tree.children.flatMap((child) => rowsOf(child, { depth: depth + 1, options })),
  ];
}

/** `branch-1 (clerk)`: its part of the way, and the runner where that is called otherwise. */
function nameOf({ path, runner }: RunTree): string {
  const element = path.slice(path.lastIndexOf('/') + 1);
  return printableLine(element === runner ? runner : `${element} (${runner})`);
}

function factsOf({ kind, turn, usage, pending }: RunTree): string {
  return joinFacts([
    kind === 'agent' ? undefined : kind,
    turn === 0 ? undefined : plural(turn, 'model turn'),
    tokens(usage),
    ...pending.map(({ question }) => `asks: ${printableLine(question)}`),
  ]);
}
