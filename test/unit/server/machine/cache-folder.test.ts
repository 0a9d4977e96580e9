// Files in a temporary folder; no server.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOnce, cacheFolder } from '../../../../src/server/machine/cache-folder';

describe('cacheFolder', () => {
  it.each([
    { name: 'XDG_CACHE_HOME', env: { XDG_CACHE_HOME: '/c' }, expected: '/c/longhaul' },
    { name: 'the home folder', env: {}, expected: join(homedir(), '.cache', 'longhaul') },
  ])('follows $name', ({ env, expected }) => {
    expect(cacheFolder(env)).toBe(expected);
  });
});

describe('buildOnce', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'longhaul-cache-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const writing = (text: string) => async (workFolder: string) => {
    writeFileSync(join(workFolder, 'made'), text);
    return join(workFolder, 'made');
  };

  it('makes the target once and leaves nothing else behind', async () => {
    const target = join(folder, 'deep', 'tool');
    expect(await buildOnce(target, writing('first'))).toBe(target);
    expect(await buildOnce(target, writing('second'))).toBe(target);
    expect(readFileSync(target, 'utf8')).toBe('first');
    expect(readdirSync(join(folder, 'deep'))).toEqual(['tool']);
  });

  it('lets several makers of one folder race', async () => {
    const target = join(folder, 'jars');
    const make = async (workFolder: string): Promise<string> => {
      mkdirSync(join(workFolder, 'jars'));
      writeFileSync(join(workFolder, 'jars', 'a.jar'), 'x');
      return join(workFolder, 'jars');
    };
    const made = await Promise.all([1, 2, 3].map(() => buildOnce(target, make)));
    expect(made).toEqual([target, target, target]);
    expect(readdirSync(folder)).toEqual(['jars']);
    expect(readdirSync(target)).toEqual(['a.jar']);
  });

  it('leaves nothing behind when making fails', async () => {
    const target = join(folder, 'tool');
    await expect(buildOnce(target, () => Promise.reject(new Error('no network')))).rejects.toThrow(
      'no network',
    );
    expect(existsSync(target)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });
});
