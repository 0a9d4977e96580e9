import { Screen } from './screen.mts';
import type { Cleanups, StageHands } from './stage.mts';

/** Runs a demo to its end, or until it is interrupted, and stops whatever it started. Ends this process. */
export async function runDemo(
  title: string,
  demo: (hands: StageHands) => Promise<void>,
): Promise<never> {
  const screen = new Screen();
  const cleanups: Cleanups = [];
  const isInterrupted = cleanUpWhenInterrupted(cleanups);
  try {
    screen.title(title);
    await demo({ screen, cleanups });
  } catch (error) {
    // What is torn down under the run fails, too.
    if (!isInterrupted()) {
      screen.line('failed', error instanceof Error ? error.message : String(error), 'red');
      process.exitCode = 1;
    }
  }
  // Whatever interrupted it cleans up and ends this process.
  if (isInterrupted()) await new Promise<never>(() => undefined);
  await cleanUp(cleanups);
  process.exit();
}

function cleanUpWhenInterrupted(cleanups: Cleanups): () => boolean {
  let interrupted = false;
  for (const [signal, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => {
      interrupted = true;
      void cleanUp(cleanups).then(() => process.exit(status));
    });
  }
  return () => interrupted;
}

async function cleanUp(cleanups: Cleanups): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()?.catch(() => undefined);
}
