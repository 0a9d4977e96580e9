import buildPackage from '../build-package';
import globalSetup from '../global-setup';

/** The servers, and the package as it is built from these sources: once for all tests that run it, before the clock of any of them runs. */
export default async function setUp(): Promise<void> {
  await Promise.all([globalSetup(), buildPackage()]);
}
