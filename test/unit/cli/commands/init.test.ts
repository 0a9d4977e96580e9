// Pure: no server. Projects are written to a folder of their own; test/e2e uses one.
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../../src/cli/run-cli';
import { fakeTerminal } from '../fake-terminal';

const project = [
  '.gitignore',
  'README.md',
  'longhaul.config.ts',
  'package.json',
  'src/agent.ts',
  'src/script.ts',
  'test/agent.test.ts',
  'tsconfig.json',
];

describe('an empty folder', () => {
  const before = process.cwd();
  beforeEach(() => {
    process.chdir(realpathSync(mkdtempSync(join(tmpdir(), 'longhaul-init-'))));
  });
  afterEach(() => {
    const folder = process.cwd();
    process.chdir(before);
    rmSync(folder, { recursive: true });
  });

  const written = (): string[] =>
    readdirSync('.', { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort();

  describe('longhaul init', () => {
    it('asks nothing, writes the project, and says what comes next', async () => {
      const terminal = fakeTerminal({ typed: [] });
      expect(await runCli(['init'], terminal)).toBe(0);
      expect(written()).toEqual(project);
      expect(terminal.printed).toEqual(project);
      expect(terminal.noted).toEqual(['next: npm install && npm test && npm run dev']);
      expect(terminal.asked).toEqual([]);
    });

    it('adds the project to a folder with other files', async () => {
      writeFileSync('LICENSE', '');
      expect(await runCli(['init'], fakeTerminal())).toBe(0);
      expect(written()).toEqual(expect.arrayContaining(['LICENSE', ...project]));
    });

    it.each([
      { there: ['package.json', 'src/agent.ts'], folder: '.' },
      { there: ['src'], folder: '.' },
      { there: ['my-agent'], folder: 'my-agent' },
      { there: ['my-agent/test', 'my-agent/README.md'], folder: 'my-agent' },
    ])('refuses $folder where $there are files, and names them', async ({ there, folder }) => {
      for (const path of there) {
        mkdirSync(join(path, '..'), { recursive: true });
        writeFileSync(path, 'mine');
      }
      const terminal = fakeTerminal();
      expect(await runCli(['init', folder], terminal)).toBe(2);
      const names = there.map((path) => `'${path}'`).join(', ');
      expect(terminal.noted).toEqual([
        `error: in the way: ${names}. Nothing was written. Name a new folder: npx longhaul init my-agent`,
      ]);
      expect(written()).toEqual([...there].sort());
    });
  });

  describe('longhaul dev', () => {
    const begin = [
      'error: there are no agents here. Begin with one of these:',
      '  npx longhaul init my-agent    # a small project',
      '  npx longhaul dev hello.ts     # your file, whose default export is an agent',
    ].join('\n');

    it('says how to begin', async () => {
      const terminal = fakeTerminal();
      expect(await runCli(['dev'], terminal)).toBe(2);
      expect(terminal).toMatchObject({ asked: [], noted: [begin] });
      expect(written()).toEqual([]);
    });

    it('writes a project for a person who says yes', async () => {
      const terminal = fakeTerminal({ typed: ['y'] });
      expect(await runCli(['dev'], terminal)).toBe(0);
      expect(terminal.asked).toEqual([
        'There are no agents here. Write a small project to my-agent? [y/N] ',
      ]);
      expect(written()).toEqual(project.map((path) => join('my-agent', path)));
      expect(terminal.noted).toEqual([
        'next: cd my-agent && npm install && npm test && npm run dev',
      ]);
    });

    it.each([{ typed: ['n'] }, { typed: [''] }, { typed: [] }])(
      'writes nothing for one who types $typed',
      async ({ typed }) => {
        const terminal = fakeTerminal({ typed });
        expect(await runCli(['dev'], terminal)).toBe(2);
        expect(terminal.noted).toEqual([begin]);
        expect(written()).toEqual([]);
      },
    );

    it('refuses agents that are named twice', async () => {
      writeFileSync('a.ts', '');
      const terminal = fakeTerminal();
      expect(await runCli(['dev', 'a.ts', '--agents', 'a.ts'], terminal)).toBe(2);
      expect(terminal.noted).toEqual(['error: name the agents once: as a file or with --agents']);
    });
  });
});
