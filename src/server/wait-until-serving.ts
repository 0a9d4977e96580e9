import { Connection } from '@temporalio/client';

const attemptMs = 2_000;
const pauseMs = 50;

export type ServingOptions = {
  readonly namespace: string;
  readonly timeoutMs: number;
  /** Settles when the server's process ends: waiting is over then. */
  readonly ended: Promise<void>;
};

/** Resolves when the server at the address answers for the namespace; rejects when it ends before or takes too long. */
export async function waitUntilServing(
  address: string,
  { namespace, timeoutMs, ended }: ServingOptions,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let hasEnded = false;
  const markEnded = ended.then(() => {
    hasEnded = true;
  });
  let reason = '';
  while (!hasEnded && Date.now() < deadline) {
    try {
      await answer(address, namespace);
      return;
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
    await Promise.race([markEnded, new Promise((resolve) => setTimeout(resolve, pauseMs))]);
  }
  throw new Error(
    hasEnded ? 'its process ended' : `no answer in ${timeoutMs / 1000} s (${reason})`,
  );
}

async function answer(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: attemptMs });
  try {
    await connection.withDeadline(Date.now() + attemptMs, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
  } finally {
    await connection.close();
  }
}
