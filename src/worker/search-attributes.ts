import type { NativeConnection } from '@temporalio/worker';
import { timeouts } from '../protocol/limits';
import { searchAttributes } from '../protocol/names';

/** Whether the namespace has our search attributes, asked once per worker. A server that does not say counts as no. */
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
    const { customAttributes } = await connection.withDeadline(
      Date.now() + timeouts.serverCheck / 2,
      () => connection.operatorService.listSearchAttributes({ namespace }),
    );
    return Object.values(searchAttributes).every((name) => name in customAttributes);
  } catch {
    return false;
  }
}
