// Holds what became of a tree against what the model allows.

import { isDeepStrictEqual } from 'node:util';
import type { RandomTree } from './random-tree';
import { apply, type Result } from './results';
import type { End, TreeRun } from './run-tree';
import type { Tree } from './tree';

/** What is wrong; none where all is well. Each names the seed, what came instead, and the tree. */
export function problemsOf({ seed, tree, results }: RandomTree, runs: TreeRun): readonly string[] {
  const { end, answers, wrongs } = runs;
  const taken = [...answers.values()].filter(Boolean).length;
  const isExpected = results.some((result) => allows(result, { tree, end, taken }));
  const isCancelled =
    tree.cancel !== undefined && end.kind === 'failed' && end.code === 'RunCancelled';
  const otherEnd = `${JSON.stringify(end)} after ${taken} answers; expected one of ${JSON.stringify(results)}`;
  const all = isExpected || isCancelled ? wrongs : [...wrongs, otherEnd];
  return all.map((wrong) => `seed ${seed}: ${wrong}; tree: ${JSON.stringify(tree)}`);
}

type Actual = { readonly tree: Tree; readonly end: End; readonly taken: number };

function allows(result: Result, { tree, end, taken }: Actual): boolean {
  if (result.kind === 'failed') return end.kind === 'failed' && end.code === result.code;
  if (result.asks !== null && result.asks !== taken) return false;
  const { text, combinedText, iterations, changes } = result;
  const expected = {
    kind: 'complete',
    text,
    ...(combinedText !== undefined && { combinedText }),
    session: apply(tree.session, changes),
    iterations,
    tokens: result.tokens ?? ('tokens' in end ? end.tokens : null),
  };
  return isDeepStrictEqual(end, expected);
}
