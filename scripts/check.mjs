// Everything that must hold before a change goes in. Runs all of it whatever fails; the last line counts.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CHECKS = [
  'format:check',
  'lint',
  'types',
  'build',
  'knip',
  'package',
  'test:coverage',
  'torture',
  'hostile',
  'site:test',
];
const MINUTES = { test: 60, other: 10 };
const folder = mkdtempSync(join(tmpdir(), 'longhaul-check-'));
const report = join(folder, 'jest.json');

/** Runs one npm script in its own process group, which is ended as a whole when it takes too long. */
async function run(script, { args = [], minutes = MINUTES.other } = {}) {
  console.log(`\n== npm run ${script}`);
  const child = spawn('npm', ['run', '--silent', script, ...args], {
    detached: true,
    stdio: ['ignore', 1, 1],
  });
  const stop = () => process.kill(-child.pid, 'SIGKILL');
  const interrupt = () => (stop(), process.exit(130));
  const timer = setTimeout(() => {
    console.log(`== npm run ${script}: stopped after ${minutes} minutes`);
    stop();
  }, minutes * 60_000);
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const code = await new Promise((resolve) => child.once('exit', resolve));
  clearTimeout(timer);
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  return code === 0;
}

/** A suite that cannot load, or an exit code no failed test explains, counts as one failure. */
function testCounts(succeeded) {
  let results;
  try {
    results = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const passed = results.numPassedTests;
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const unexplained = failed === 0 && (!succeeded || passed === 0);
  const skipped = results.numPendingTests + results.numTodoTests;
  return { passed, failed: unexplained ? 1 : failed, skipped };
}

const args = ['--', '--ci', '--json', `--outputFile=${report}`];
const begun = performance.now();
const total = testCounts(await run('test', { args, minutes: MINUTES.test }));
const seconds = Math.round((performance.now() - begun) / 1_000);
const checks = [`test: ${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`];
const judge = async (script, options) => {
  const succeeded = await run(script, options);
  total[succeeded ? 'passed' : 'failed'] += 1;
  checks.push(`${script}: ${succeeded ? 'passed' : 'FAILED'}`);
};
for (const script of CHECKS) await judge(script);
await judge('installs', { args: ['--', '--quick'] });
await judge('house', { args: ['--', `--test-seconds=${seconds}`] });
rmSync(folder, { recursive: true, force: true });
process.exitCode = total.failed === 0 ? 0 : 1;
console.log(`\n${checks.join('\n')}\n`);
console.log(
  `${total.passed} passed, ${total.failed} failed${total.skipped ? `, ${total.skipped} skipped` : ''}`,
);
