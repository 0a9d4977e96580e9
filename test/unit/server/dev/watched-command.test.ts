// Runs small processes; no server.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { shellQuote } from '../../../../src/base/text';
import { watchedCommand } from '../../../../src/server/dev/dev-server';

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function untilGone(pid: number): Promise<void> {
  while (isRunning(pid)) await delay(50);
}

/** A process that starts a watched command, prints its process id and stays. */
async function startOwner(): Promise<{ owner: ChildProcess; pid: number }> {
  const script = `
    const { spawn } = require('node:child_process');
    const child = spawn('/bin/sh', ['-c', process.argv[1], 'sh', 'sleep', '300']);
    console.log(child.pid);
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ['-e', script, watchedCommand]);
  const [printed] = (await once(owner.stdout, 'data')) as [Buffer];
  return { owner, pid: Number(printed.toString()) };
}

describe('watchedCommand', () => {
  it('ends when the process that started it is killed', async () => {
    const { owner, pid } = await startOwner();
    expect(isRunning(pid)).toBe(true);
    owner.kill('SIGKILL');
    await untilGone(pid);
  });

  it('becomes the command: same process id, its arguments untouched', async () => {
    const shell = spawn('/bin/sh', [
      '-c',
      watchedCommand,
      'sh',
      'sh',
      '-c',
      'echo $$ "$1"',
      'x',
      'a  b',
    ]);
    const [printed] = (await once(shell.stdout, 'data')) as [Buffer];
    expect(printed.toString()).toBe(`${shell.pid} a  b\n`);
  });
});

describe('shellQuote', () => {
  it.each(['plain', 'with space', "it's", '$HOME `x` "y"'])('makes %s one word', async (word) => {
    const shell = spawn('/bin/sh', ['-c', `printf %s ${shellQuote(word)}`]);
    const [printed] = (await once(shell.stdout, 'data')) as [Buffer];
    expect(printed.toString()).toBe(word);
  });
});
