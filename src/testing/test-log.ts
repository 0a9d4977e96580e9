import { installLineLog, isForPeople, isOfCall } from '../worker/index';

/**
 * A test expects failures, and reports them itself. So only errors of Temporal's worker are written. `LONGHAUL_TEST_LOG=1` shows the rest.
 * `write` takes them in place of standard error.
 */
export function installTestLog(write?: (line: string) => void): void {
  const isWanted = process.env['LONGHAUL_TEST_LOG'] === '1';
  installLineLog(
    isWanted
      ? { level: 'INFO', shows: isForPeople }
      : { level: 'ERROR', shows: (entry) => !isOfCall(entry), write },
  );
}
