import { installTestLog } from '../../src/testing/test-log';

type Realm = Readonly<Record<symbol, ((line: string) => void) | undefined>>;

/** Of scripts/jest/quiet-environment.js: prints the lines if a test fails. */
const write = (globalThis as unknown as Realm)[Symbol.for('longhaul.test.log')];

/** Once per Jest worker process, before the first connection: the SDK's routine lines stay out of the test output. */
export const quietRuntime = (): void => installTestLog(write);
