import type { NativeConnection } from '@temporalio/worker';
import { timeouts } from '../protocol/limits';
import { isRegistered, readAttributes } from '../server/search-attributes';

/** Whether the namespace has our search attributes, of their type, asked once per worker. A server that does not say counts as no. */
export function searchAttributeCheck(
  connection: NativeConnection | undefined,
  namespace: string,
): () => Promise<boolean> {
  let answer: Promise<boolean> | undefined;
  return () =>
    (answer ??= connection === undefined ? Promise.resolve(false) : ask(connection, namespace));
}

async function ask(connection: NativeConnection, namespace: string): Promise<boolean> {
  try {
    const { operatorService } = connection;
    const states = await connection.withDeadline(Date.now() + timeouts.serverCheck / 2, () =>
      readAttributes({ operatorService, namespace }),
    );
    return states.every(isRegistered);
  } catch {
    return false;
  }
}
