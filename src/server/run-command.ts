import { spawn } from 'node:child_process';
import type { Environment } from './search-path';

export type CommandOptions = {
  readonly env: Environment;
  readonly timeoutMs: number;
  readonly cwd?: string;
};

const keptOutput = 4_000;

/**
 * Runs a command to its end and resolves with what it printed. A command that fails, cannot start or takes longer than
 * `timeoutMs` rejects with one line that says so; in the last case it is killed first.
 */
export function runCommand(
  command: string,
  args: readonly string[],
  { env, timeoutMs, cwd }: CommandOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    let timedOut = false;
    const child = spawn(command, args, { env: { ...env }, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const keep = (chunk: string): void => {
      output = (output + chunk).slice(-keptOutput);
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, timeoutMs);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(new Error(`cannot run ${command}: ${error.message}`));
    });
    // Not 'close': a grandchild that outlives a killed command may keep the pipes open.
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      child.stdout.destroy();
      child.stderr.destroy();
      if (timedOut) reject(new Error(`gave up after ${timeoutMs / 1000} s`));
      else if (code === 0) resolve(output);
      else reject(new Error(lastLine(output) ?? `ended with ${signal ?? `exit code ${code}`}`));
    });
  });
}

function lastLine(output: string): string | undefined {
  const lines = output.split('\n').map((line) => line.trim());
  const errors = lines.filter((line) => /error/i.test(line));
  return (errors.at(-1) ?? lines.filter(Boolean).at(-1))?.slice(0, 300);
}
