import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';

type Arguments = ConstructorParameters<typeof MockActivityEnvironment>;

const isWanted = process.env['LONGHAUL_TEST_LOG'] === '1';

/** An activity whose failures a test expects: it writes no log. `LONGHAUL_TEST_LOG=1` shows it. */
export class QuietActivity extends MockActivityEnvironment {
  constructor(info?: Arguments[0], options?: Arguments[1]) {
    const logger = new DefaultLogger('TRACE', isWanted ? undefined : () => undefined);
    super(info, { logger, ...options });
  }
}
