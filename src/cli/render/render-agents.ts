import { sourceName, type AgentsSource } from '../session/agents-source';
import type { ReadyWorker } from '../dev/worker-messages';
import { printableLine } from './printable';
import type { Style } from './style';

/** What a worker serves, where it comes from, and where it is reached. */
export function renderAgents(
  { agents, taskQueue }: ReadyWorker,
  source: AgentsSource,
  { dim }: Style,
): string {
  const place = dim(`(${sourceName(source)}, task queue ${taskQueue})`);
  return `Agents    ${agents.map(printableLine).join(', ') || 'none'}  ${place}`;
}
