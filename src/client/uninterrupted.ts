import { grpcStatus } from '../base/grpc-status';
import { hasGrpcStatus, isFull, isUnprocessed } from './failures';

const attempts = 10;
const pauseMs = 100;

/**
 * Sends an update, again if need be: one that meets a workflow task that fails, as one does when the run was about to end or was reset,
 * comes back without having been looked at. The server runs each update id once.
 */
export async function uninterrupted<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (!wasInterrupted(error) || attempt === attempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, attempt * pauseMs));
    }
  }
}

function wasInterrupted(error: unknown): boolean {
  if (isUnprocessed(error)) return true;
  return hasGrpcStatus(error, grpcStatus.failedPrecondition) && !isFull(error);
}
