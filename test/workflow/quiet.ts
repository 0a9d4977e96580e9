import { installTestLog } from '../../src/testing/test-log';

/** Once per Jest worker process, before the first connection: the SDK's routine lines stay out of the test output. */
export const quietRuntime = installTestLog;
