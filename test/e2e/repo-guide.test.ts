// Runs the repo guide as a process of its own, offline and without a terminal: its server, workers and scripted model are real.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expectNothingLeft, runExample, type Ended } from './example-process';

const files = {
  'README.md': '# A tiny compiler\n',
  'src/parser/lexer.ts':
    '/** Turns text into tokens. */\nexport function lex() {}\nexport const eof = 0;\n',
  'src/parser/parser.ts': '// Turns tokens into a tree.\nexport function parse() {}\n',
  'src/emitter.ts': 'export function emit() {}\n',
};

const answer = [
  '**src/parser** holds 2 files. I read 2 of them:',
  '',
  '- `src/parser/lexer.ts` (3 lines): “Turns text into tokens.”',
  '- `src/parser/parser.ts` (2 lines): “Turns tokens into a tree.”',
  '',
  '`export` stands in 3 lines in 2 files, first in line 2 of `src/parser/lexer.ts`.',
].join('\n');

/** The example as a process. */
async function runGuide(folder: string, ...args: string[]): Promise<Ended> {
  return await runExample('repo-guide/demo.mts', { folder, args });
}

function answerIn(output: string): string {
  const [, text = ''] = /s {2}answer {4}([^]*?)\n\n *\d+\.\d s {2}done /.exec(output) ?? [];
  return text.replace(/\n {20}/g, '\n');
}

describe('npm run example repo-guide', () => {
  const folders: string[] = [];
  const folderOfFiles = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'longhaul-guide-'));
    folders.push(folder);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return folder;
  };
  let folder: string;
  let undisturbed: Promise<Ended>;
  let killed: Promise<Ended>;

  // Both wait most of the time, so they wait together.
  beforeAll(() => {
    folder = folderOfFiles();
    undisturbed = runGuide(folder);
    killed = runGuide(folderOfFiles(), '--kill-worker');
  });
  afterAll(async () => {
    await Promise.all([undisturbed, killed]);
    for (const written of folders) rmSync(written, { recursive: true });
  });

  it('asks, answers with what it read, and leaves no process behind', async () => {
    const { status, output, group } = await undisturbed;
    expect(output).toContain('asks      There are 4 files here. Which part shall I look at?');
    expect(output).toContain('No terminal to answer in: "src/parser" is taken.');
    expect(answerIn(output)).toBe(answer);
    expect(output).toMatch(/done {6}6 model calls, 6 tool calls; \d+ tokens in, \d+ out\n/);
    expect(output).toMatch(
      /look {6}http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/repo-guide-\w+\n/,
    );

    const said = output.replaceAll(folder, '').replaceAll(/repo-guide-\w+/g, '');
    expect(said).not.toMatch(/\u001b|warn|failed/i);
    expect(existsSync(join(folder, '.longhaul/temporal.db'))).toBe(true);
    expect(status).toBe(0);
    await expectNothingLeft(group);
  });

  it('comes to the same answer when its worker is killed in the middle of a model call', async () => {
    const { status, output, group } = await killed;
    const [, killedPid] =
      /process (\d+) was killed with SIGKILL in the middle of a model call/.exec(output) ?? [];
    const workers = [...output.matchAll(/process (\d+) takes work/g)].map(([, pid]) => pid);
    expect(workers).toEqual([killedPid, expect.stringMatching(/^\d+$/)]);
    expect(new Set(workers).size).toBe(2);
    expect(output).toMatch(/retry {5}callModel, attempt 2: .*heartbeat/i);
    expect(answerIn(output)).toBe(answer);
    expect(status).toBe(0);
    await expectNothingLeft(group);
  });

  it('says what is wrong and ends when it cannot run', async () => {
    const { status, output, group } = await runGuide(folder, '--folder', 'nowhere');
    expect(output).toContain('There is no folder nowhere.');
    expect(status).toBe(1);
    await expectNothingLeft(group);
  });
});
