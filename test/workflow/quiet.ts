import { DefaultLogger, Runtime } from '@temporalio/worker';

/** Once per Jest worker process, before the first connection: the SDK's routine lines stay out of the test output. */
export function quietRuntime(): void {
  try {
    Runtime.install({
      logger: new DefaultLogger('ERROR'),
      telemetryOptions: { logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } },
    });
  } catch {
    // Installed already by another test file of this process.
  }
}
