// The memo that whoever starts a run gives it, until it shows itself. Pure.

import { memoKey } from '../protocol/names';
import type { RunMemo } from '../protocol/run';

export function startMemo({
  agent,
  path,
  key = [],
}: Pick<RunMemo, 'agent' | 'path' | 'key'>): Record<typeof memoKey, RunMemo> {
  const memo: RunMemo = {
    status: 'running',
    agent,
    ...(path !== undefined && { path }),
    ...(key.length > 0 && { key }),
  };
  return { [memoKey]: memo };
}
