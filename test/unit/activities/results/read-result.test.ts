// Pure: a result store in memory, no server.
import fc from 'fast-check';
import { type ReadArguments, readResult } from '../../../../src/activities/results/read-result';
import { limits } from '../../../../src/protocol/limits';
import { sha256Of } from '../../../../src/stores/results/result-store';
import { StoredContent } from '../../../../src/stores/results/stored-content';
import { MemoryResults } from '../../../workflow/memory-results';

const scope = 'default/run';

/** What a tool says about a content, and whether it is an error. */
async function ask(
  content: string | Uint8Array,
  args: Omit<ReadArguments, 'ref'>,
  tool = 'read_result',
): Promise<{ readonly text: string; readonly isError: boolean }> {
  const results = new StoredContent(new MemoryResults());
  const { digest: ref } = await results.keep(scope, Buffer.from(content));
  const { content: parts, isError } = await readResult(tool, { ref, ...args }, { results, scope });
  const [part] = parts;
  if (part?.type !== 'text') throw new Error('not a text');
  return { text: part.text, isError };
}

const textOf = async (...args: Parameters<typeof ask>) => (await ask(...args)).text;

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');

describe('read_result', () => {
  it('returns numbered lines, and says where they go on', async () => {
    expect(await textOf(numbered(5), { lines: 2 })).toBe(
      '1: line 1\n2: line 2\n[more follow: go on with "from": 3]',
    );
    expect(await textOf(numbered(5), { from: 4 })).toBe(
      '4: line 4\n5: line 5\n[end of the result]',
    );
  });

  it('reads all of a long text page by page, within its limit', async () => {
    const text = numbered(9_000);
    const read: string[] = [];
    for (let from: number | undefined = 1; from !== undefined;) {
      const page = await textOf(text, { from });
      expect(Buffer.byteLength(page)).toBeLessThanOrEqual(limits.resultPage);
      read.push(...page.split('\n').slice(0, -1));
      const next = /"from": (\d+)\]$/.exec(page)?.[1];
      from = next === undefined ? undefined : Number(next);
    }
    expect(read.map((line) => line.replace(/^\d+: /, '')).join('\n')).toBe(text);
  });

  it('folds a long line, never within a character', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
        async (unit) => {
          const line = unit.replaceAll('\n', '').repeat(200).slice(0, 5_000).toWellFormed();
          fc.pre(line !== '');
          const lines = (await textOf(line, {})).split('\n').slice(0, -1);
          expect(lines.map((part) => part.replace(/^\d+: /, '')).join('')).toBe(line);
        },
      ),
      { numRuns: 30, seed: 20_261_123 },
    );
  });

  it('returns only the lines that match', async () => {
    expect(await textOf(numbered(30), { match: '^line \\d?7$' })).toBe(
      '7: line 7\n17: line 17\n27: line 27\n[no more lines match]',
    );
    expect(await textOf(numbered(30), { match: '(?i)LINE 12' })).toContain('12: line 12\n');
    expect(await textOf(numbered(3), { match: 'nothing' })).toBe('[no line matches]');
    expect(await textOf(numbered(3), { match: '(?i)[^a-l]INE 2' })).toBe('[no line matches]');
    const wide = '(?i)' + '[B-\\u{1E942}]'.repeat(3);
    expect(await textOf(numbered(1), { match: wide })).toContain('1: line 1\n');
  });

  it('ends a search for a pattern that takes too long on a line', async () => {
    const match = '(x?){0,300}y';
    expect(await ask('x'.repeat(2_000), { match })).toEqual({
      isError: true,
      text: 'match takes too long on line 1: use a simpler pattern.',
    });
  });

  it.each([
    { name: 'a text without lines', text: 'all', shown: '1: all\n[end of the result]' },
    { name: 'empty lines', text: '\n\nx', shown: '1: \n2: \n3: x\n[end of the result]' },
    {
      name: 'a line of exactly the length',
      text: `${'x'.repeat(2_000)}\ny`,
      shown: `1: ${'x'.repeat(2_000)}\n2: y\n[end of the result]`,
    },
  ])('reads $name', async ({ text, shown }) => {
    expect(await textOf(text, {})).toBe(shown);
  });

  it.each([
    {
      name: 'a line after the end',
      args: { from: 9 },
      says: 'from is 9, but the result has only 5 lines.',
    },
    {
      name: 'a pattern that is none',
      args: { match: '(' },
      says: /^match is not a pattern that can be searched for: it is not a regular expression\. Write/,
    },
    ...[
      { what: 'repetitions within each other', match: '(?:(?:x1){1,99}){1,99}' },
      { what: 'a long pattern', match: '(?i)' + '[B-\\u{1E942}]'.repeat(15_000) },
    ].map(({ what, match }) => ({
      name: `${what}, without compiling it`,
      args: { match },
      says: /for: it is too large, with its repetitions written out\. Write/,
    })),
    {
      name: 'a class of more characters than anybody searches for',
      args: { match: `[${'\\W'.repeat(500)}]` },
      says: /for: it has more than 1000 characters\. Write/,
    },
    {
      name: 'a pattern that quotes, which is no pattern here',
      args: { match: '\\\\\\Q[\\E' + 'x{1000}'.repeat(100) },
      says: /for: it is not a regular expression\. Write/,
    },
    {
      name: 'a pattern with look-ahead',
      args: { match: 'a(?=b)' },
      says: /^match is not a pattern/,
    },
  ])('refuses $name', async ({ args, says }) => {
    const { text, isError } = await ask(numbered(5), args);
    expect(isError).toBe(true);
    expect(text).toEqual(typeof says === 'string' ? says : expect.stringMatching(says));
  });

  it('refuses what is not text', async () => {
    expect(await ask(Uint8Array.of(0x89, 0x50, 0xff), {})).toEqual({
      isError: true,
      text: 'This content is not text, so it has no lines to read.',
    });
  });

  it('says what became of content that is unknown, gone or changed', async () => {
    const store = new MemoryResults();
    const { digest } = await new StoredContent(store).keep(scope, Buffer.from('kept'));
    const read = async (ref: string, of = scope) =>
      await readResult('read_result', { ref }, { results: new StoredContent(store), scope: of });
    const says = (text: string) => ({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining(text) as string }],
    });
    expect(await read('3fa9')).toEqual(says('ref must be the 64 hexadecimal digits'));
    expect(await read(sha256Of('other'))).toEqual(says('no longer has it'));
    expect(await read(digest, 'default/other-run')).toEqual(says('no longer has it'));
    store.change((bytes) => Buffer.concat([bytes, Buffer.from('!')]));
    expect(await read(digest)).toEqual(says('other bytes'));
    store.change(() => undefined);
    expect(await read(digest)).toEqual(says('no longer has it'));
  });

  it('throws if the store is down, so that the call is tried again', async () => {
    const store = new MemoryResults();
    store.fault = () => {
      throw new Error('connection refused');
    };
    const reader = { results: new StoredContent(store), scope };
    await expect(readResult('read_result', { ref: sha256Of('x') }, reader)).rejects.toMatchObject({
      code: 'StoreError',
      retryable: true,
    });
  });
});

describe('find_in_result', () => {
  const find = async (text: string, args: Omit<ReadArguments, 'ref'>) =>
    await textOf(text, args, 'find_in_result');

  it('shows the text around each match', async () => {
    const text = `${'a'.repeat(900)}needle${'b'.repeat(900)}\nnone\nneedle`;
    expect(await find(text, { match: 'needle' })).toBe(
      `1: …${'a'.repeat(200)}needle${'b'.repeat(394)}…\n3: needle\n[no more lines match]`,
    );
    expect(await find(text, { match: 'needle', from: 2 })).toBe('3: needle\n[no more lines match]');
  });

  it('finds what stands where a line is folded, once', async () => {
    const text = `${'a'.repeat(1_997)}needle${'b'.repeat(3_000)}`;
    const found = await find(text, { match: 'needle' });
    expect(found.split('\n')).toHaveLength(2);
    expect(found).toMatch(/^1: …a+nee…?\n/);
  });

  it('searches a long text in slices, so that a timer fires meanwhile', async () => {
    const text = 'the quick brown fox jumps over the lazy dog\n'.repeat(150_000);
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    const seen: string[] = [];
    // A busy machine may need more than one search.
    for (let from = 1; from > 0;) {
      const found = await find(`${text}needle`, { match: 'ne{2}dle', from });
      seen.push(found);
      from = Number(/^\[searched .*"from": (\d+)\]$/.exec(found)?.[1] ?? 0);
    }
    clearInterval(timer);
    expect(seen.at(-1)).toBe('150001: needle\n[no more lines match]');
    expect(ticks).toBeGreaterThan(0);
  });
});
