/** Asks the workflow until it says that it waits for the approval. */
export async function untilWaiting(handle) {
  while (!(await handle.query('isWaiting')))
    await new Promise((resolve) => setTimeout(resolve, 100));
}
