// Ends runs that continue as new for ever: each execution looks like progress.

import type { Longhaul } from 'longhaul/client';
import { bounds, ownerOf } from './oracles.mts';
import { terminateAll } from './stuck.mts';

const lookMs = 5_000;

/** Until the returned function is called. `onEndless` gets each owner once, when its runs are about to be ended. */
export function watchEndless(
  longhaul: Longhaul,
  onEndless: (owner: string, wrong: string) => void,
): () => void {
  const ended = new Set<string>();
  const look = async (): Promise<void> => {
    const counts = new Map<string, number>();
    for await (const { workflowId } of longhaul.client.workflow.list())
      counts.set(workflowId, (counts.get(workflowId) ?? 0) + 1);
    for (const [workflowId, count] of counts) {
      const owner = ownerOf(workflowId);
      if (count <= bounds.executions || ended.has(owner)) continue;
      ended.add(owner);
      onEndless(owner, `${workflowId} has ${count} executions, and goes on`);
      await terminateAll(longhaul, owner);
    }
  };
  // The server may be away.
  const timer = setInterval(() => void look().catch(() => undefined), lookMs);
  return () => clearInterval(timer);
}
