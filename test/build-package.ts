import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

/** Builds the package from these sources, unless it is built. */
export default async function buildPackage(): Promise<void> {
  const script = resolve(__dirname, '../scripts/build.mjs');
  const child = spawn(process.execPath, [script, '--if-stale'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the package does not build:\n${output}`);
}
