import type { LiveEvent } from '../protocol/live';
import type { Deltas } from './deltas';

/** Deltas for workers and readers in one process: tests, small deployments, the CLI. */
export class ProcessDeltas implements Deltas {
  publish(_event: LiveEvent): void {
    throw new Error('to be written');
  }

  subscribe(_root: string, _listener: (event: LiveEvent) => void): () => void {
    throw new Error('to be written');
  }

  async close(): Promise<void> {
    throw new Error('to be written');
  }
}
