import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import globalSetup from '../global-setup';

/** The servers, and the package as it is built from these sources: once for all tests that run it, before the clock of any of them runs. */
export default async function setUp(): Promise<void> {
  await Promise.all([globalSetup(), buildPackage()]);
}

async function buildPackage(): Promise<void> {
  const script = resolve(__dirname, '../../scripts/build.mjs');
  const child = spawn(process.execPath, [script, '--if-stale'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the package does not build:\n${output}`);
}
