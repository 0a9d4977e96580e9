// Real folders, links and pipes in a temporary folder: no server.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderTools } from '../../../examples/repo-guide/tools.mts';
import { hasCode, type LonghaulError, type Tool, type ToolContext } from '../../../src';

let scratch: string;
let root: string;
let server: Server;

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'longhaul-guide-'));
  root = join(scratch, 'root');
  const write = (path: string, text: string | Uint8Array): void => {
    mkdirSync(join(scratch, path, '..'), { recursive: true });
    writeFileSync(join(scratch, path), text);
  };
  write('secret.txt', 'SECRET');
  write('root-and-more/secret.txt', 'SECRET');
  write('root/README.md', '# Title\n\nOne export here.\n');
  write('root/src/b.ts', `export const b = 1;\n// ${'x'.repeat(300)}\n`);
  write('root/src/a.ts', 'export const a = 1;\nconst hidden = 2;\nexport { hidden };');
  write('root/src/deep/c.ts', '');
  write('root/%2e%2e/odd.txt', 'a name that only looks like a way out');
  write('root/node_modules/x/index.js', 'SECRET');
  write('root/src/node_modules/y.js', 'export SECRET');
  write('root/.git/config', 'SECRET');
  write('root/dist/index.js', 'SECRET');
  write('root/.env', 'SECRET');
  write('root/src/.env.local', 'SECRET');
  write('root/huge.txt', 'x'.repeat(1_000_001));
  write('root/binary', Uint8Array.of(1, 0, 2));
  const link = (target: string, name: string): void => symlinkSync(target, join(root, name));
  link('src/a.ts', 'inner-link.ts');
  link('../secret.txt', 'relative-link');
  link(join(scratch, 'secret.txt'), 'absolute-link');
  link('..', 'parent-link');
  link('../root-and-more', 'sibling-link');
  link('relative-link', 'link-to-link');
  link('node_modules', 'modules-link');
  link('.env', 'env-link');
  link('/dev/zero', 'zero');
  link('/proc/self', 'proc');
  link('loop', 'loop');
  link('nowhere', 'dangling');
  const [command = '', ...args] = ['mkfifo', join(root, 'pipe')];
  execFileSync(command, args);
  server = createServer();
  await new Promise<void>((resolve) => server.listen(join(root, 'socket'), resolve));
});

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(scratch, { recursive: true });
});

async function call(
  name: string,
  args: Record<string, string | number>,
  folder = root,
): Promise<unknown> {
  const tool = folderTools(folder).find((candidate) => candidate.name === name) as Tool;
  const check = await tool.validateArguments(args);
  if (!check.ok) throw new Error(check.problems.map(({ message }) => message).join());
  const { signal } = new AbortController();
  return await tool.execute(check.value, { signal } as ToolContext);
}

async function refusal(work: Promise<unknown>): Promise<LonghaulError> {
  const error = await work.catch((thrown: unknown) => thrown);
  if (hasCode(error, 'ToolError')) return error;
  throw new Error(`not refused: ${JSON.stringify(error)}`);
}

const outside = [
  { path: '..', says: '".." could leave the folder' },
  { path: '../secret.txt', says: '".." could leave the folder' },
  { path: 'src/../../secret.txt', says: '".." could leave the folder' },
  { path: 'src/../README.md', says: '".." could leave the folder' },
  { path: './../root-and-more/secret.txt', says: '".." could leave the folder' },
  { path: 'src\\..\\..\\secret.txt', says: 'write "/" between folders' },
  { path: '/etc/passwd', says: 'give a path relative to the folder' },
  { path: '//etc/passwd', says: 'give a path relative to the folder' },
  { path: '/dev/zero', says: 'give a path relative to the folder' },
  { path: '~/.ssh/id_rsa', says: 'give a path relative to the folder' },
  { path: '~root', says: 'give a path relative to the folder' },
  { path: 'C:\\Windows\\win.ini', says: 'give a path relative to the folder' },
  { path: 'c:secret.txt', says: 'give a path relative to the folder' },
  { path: '\\\\server\\share', says: 'give a path relative to the folder' },
  { path: 'file:///etc/passwd', says: 'give a path relative to the folder' },
  { path: 'FILE://localhost/etc/passwd', says: 'give a path relative to the folder' },
  { path: 'https://example.com/', says: 'give a path relative to the folder' },
  { path: '', says: 'is not a path' },
  { path: 'README.md\0.txt', says: 'is not a path' },
  { path: 'README\n.md', says: 'is not a path' },
  { path: 'a/'.repeat(600), says: 'is not a path' },
  { path: 'relative-link', says: 'leads out of the folder' },
  { path: 'absolute-link', says: 'leads out of the folder' },
  { path: 'link-to-link', says: 'leads out of the folder' },
  { path: 'parent-link', says: 'leads out of the folder' },
  { path: 'parent-link/secret.txt', says: 'leads out of the folder' },
  { path: 'sibling-link/secret.txt', says: 'leads out of the folder' },
  { path: 'zero', says: 'leads out of the folder' },
  { path: 'proc/environ', says: 'leads out of the folder' },
  { path: 'loop', says: 'cannot be read (ELOOP)' },
  { path: 'dangling', says: 'There is no dangling' },
  { path: 'nothing.txt', says: 'There is no nothing.txt' },
  { path: 'README.md/x', says: 'There is no README.md/x' },
  { path: '%2e%2e/secret.txt', says: 'There is no %2e%2e/secret.txt' },
  { path: '．．/secret.txt', says: 'There is no ．．/secret.txt' },
  { path: 'node_modules/x/index.js', says: 'node_modules is not shown' },
  { path: 'NODE_MODULES/x/index.js', says: 'NODE_MODULES is not shown' },
  { path: 'src/node_modules/y.js', says: 'node_modules is not shown' },
  { path: '.git/config', says: '.git is not shown' },
  { path: 'dist/index.js', says: 'dist is not shown' },
  { path: '.env', says: '.env is not shown' },
  { path: 'src/.env.local', says: '.env.local is not shown' },
  { path: 'modules-link/x/index.js', says: 'node_modules is not shown' },
  { path: 'env-link', says: '.env is not shown' },
].map((row) => ({ ...row, shown: JSON.stringify(row.path).slice(0, 60) }));

describe.each(outside)('$shown', ({ path, says }) => {
  it.each([
    { tool: 'read_file', args: { path } },
    { tool: 'list_files', args: { folder: path } },
    { tool: 'search_text', args: { text: 'SECRET', folder: path } },
  ])('is refused by $tool at once', async ({ tool, args }) => {
    const { message, retryable } = await refusal(call(tool, args));
    expect({ message, retryable }).toEqual({
      message: expect.stringContaining(says),
      retryable: false,
    });
    expect(message.length).toBeLessThan(400);
  });
});

describe('read_file', () => {
  it.each([
    { path: 'huge.txt', says: 'huge.txt has 1.0 MB; files up to 1 MB can be read.' },
    { path: 'binary', says: 'binary is not text.' },
    { path: 'src', says: 'src is not a file.' },
    { path: 'pipe', says: 'pipe is not a file.' },
    { path: 'socket', says: 'socket cannot be read (ENXIO).' },
  ])('refuses $path', async ({ path, says }) => {
    const { message, retryable } = await refusal(call('read_file', { path }));
    expect({ message, retryable }).toEqual({
      message: expect.stringContaining(says),
      retryable: false,
    });
  });

  it.each([
    { path: 'README.md', args: {}, text: ', lines 1-3 of 3\n# Title\n\nOne export here.' },
    {
      path: './src//a.ts',
      args: { from: 2, lines: 1 },
      text: ', lines 2-2 of 3\nconst hidden = 2;',
    },
    { path: 'inner-link.ts', args: { lines: 1 }, text: ', lines 1-1 of 3\nexport const a = 1;' },
    { path: 'src/a.ts', args: { from: 9 }, text: ' has 3 lines' },
    { path: 'src/deep/c.ts', args: {}, text: ' is empty' },
    { path: 'src/b.ts', args: { from: 2 }, text: `, lines 2-2 of 2\n// ${'x'.repeat(237)}…` },
    {
      path: '%2e%2e/odd.txt',
      args: {},
      text: ', lines 1-1 of 1\na name that only looks like a way out',
    },
  ])('reads $path', async ({ path, args, text }) => {
    expect(await call('read_file', { path, ...args })).toBe(path + text);
  });
});

describe('list_files', () => {
  it.each([
    {
      folder: '.',
      lines: [
        '.: 3 files, 2 folders',
        'README.md',
        'binary',
        'huge.txt',
        '%2e%2e/ (1 file)',
        'src/ (3 files)',
      ],
    },
    {
      folder: './src/',
      lines: ['./src/: 2 files, 1 folder', 'src/a.ts', 'src/b.ts', 'src/deep/ (1 file)'],
    },
  ])(
    'shows what $folder holds, but no links and nothing that is hidden',
    async ({ folder, lines }) => {
      expect(await call('list_files', { folder })).toBe(lines.join('\n'));
    },
  );

  it('shows a bounded number of entries', async () => {
    const many = join(root, 'src', 'deep', 'many');
    mkdirSync(many);
    for (let index = 0; index < 210; index += 1) writeFileSync(join(many, `${index}.txt`), '');
    const lines = String(await call('list_files', { folder: 'src/deep/many' })).split('\n');
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([
      202,
      'src/deep/many: 210 files, 0 folders',
      '… and 10 more',
    ]);
    rmSync(many, { recursive: true });
  });

  it('refuses a file', async () => {
    const { message } = await refusal(call('list_files', { folder: 'README.md' }));
    expect(message).toBe('README.md is not a folder. read_file shows a file.');
  });
});

describe('search_text', () => {
  it('finds lines in files that may be read', async () => {
    expect(await call('search_text', { text: 'export ' })).toBe(
      [
        '4 lines in 3 files',
        'README.md:3: One export here.',
        'src/a.ts:1: export const a = 1;',
        'src/a.ts:3: export { hidden };',
        'src/b.ts:1: export const b = 1;',
      ].join('\n'),
    );
    expect(await call('search_text', { text: 'SECRET' })).toBe('0 lines in 0 files');
  });

  it('shows a bounded number of matches and counts all', async () => {
    writeFileSync(join(root, 'src', 'long.txt'), 'needle\n'.repeat(100));
    const lines = String(await call('search_text', { text: 'needle' })).split('\n');
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([
      41,
      '100 lines in 1 file',
      'src/long.txt:40: needle',
    ]);
    rmSync(join(root, 'src', 'long.txt'));
  });
});

it('reads a root that is itself a link', async () => {
  const linked = join(scratch, 'linked-root');
  symlinkSync('root', linked);
  expect(await call('list_files', { folder: 'src' }, linked)).toContain('src/a.ts\nsrc/b.ts');
});
