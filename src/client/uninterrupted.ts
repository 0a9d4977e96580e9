import { grpcStatus } from '../base/grpc-status';
import { hasGrpcStatus, isFull } from './failures';

const attempts = 10;
const pauseMs = 100;

/**
 * Sends an update, again if need be: one that meets a workflow task that fails, as one does when the run was about to end, comes back
 * without having been looked at. The server runs each update id once.
 */
export async function uninterrupted<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      const wasInterrupted = hasGrpcStatus(error, grpcStatus.failedPrecondition) && !isFull(error);
      if (!wasInterrupted || attempt === attempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, attempt * pauseMs));
    }
  }
}
