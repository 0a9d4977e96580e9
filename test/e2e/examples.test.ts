// Runs the examples as processes of their own, offline and without a terminal: their servers, workers and scripted models are real.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPackage, expectNothingLeft, runExample, type Ended } from './example-process';

/** What was said under a label, each time. */
function linesOf(output: string, label: string): string[] {
  const said = new RegExp(`^ *\\d+\\.\\d s {2}${label.padEnd(10)}(.*(?:\\n {20}.*)*)`, 'gm');
  return [...output.matchAll(said)].map(([, text = '']) => text.replaceAll(/\n {20}/g, '\n'));
}

function withoutBreaks(text: string | undefined): string {
  return (text ?? '').replaceAll(/\s+/g, ' ');
}

describe('npm run example', () => {
  let folders: readonly string[] = [];
  let refunds: Ended;
  let delegation: Ended;

  beforeAll(async () => {
    buildPackage();
    const names = ['refunds', 'delegation'];
    folders = names.map((name) => mkdtempSync(join(tmpdir(), `longhaul-${name}-`)));
    const runs = names.map((name, index) =>
      runExample('run.mts', { folder: folders[index] ?? '', args: [name] }),
    );
    [refunds, delegation] = (await Promise.all(runs)) as [Ended, Ended];
  });
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  it('refunds: waits for a person, and tells the model what they changed', async () => {
    const { output, status, group } = refunds;
    expect(linesOf(output, 'approval')).toEqual([
      'May refund run?\nrefund {"orderId":"1042","amount":80}, from refunds',
    ]);
    expect(output).toContain('No terminal to decide in: approved with 50 euros instead.');
    expect(linesOf(output, 'model saw').map(withoutBreaks)).toEqual([
      'A person changed the arguments of this call before it ran, to: {"orderId":"1042","amount":50} {"orderId":"1042","refunded":50}',
      '{"orderId":"1043","refunded":12}',
    ]);
    expect(withoutBreaks(linesOf(output, 'answer')[0])).toBe(
      'Of the 80 euros for order 1042 the shop refunded 50. 12 euros of order 1043 were refunded.',
    );
    const ledger = readFileSync(join(folders[0] ?? '', '.longhaul/refunds.jsonl'), 'utf8');
    const [runId] = /refunds-\w{12}/.exec(output) ?? [];
    const idempotencyKey = expect.stringMatching(/^[0-9a-f]{64}$/);
    const lines = ledger.trimEnd().split('\n').sort();
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { orderId: '1042', amount: 50, runId, idempotencyKey },
      { orderId: '1043', amount: 12, runId, idempotencyKey },
    ]);
    expect(status).toBe(0);
    await expectNothingLeft(group);
  });

  it('delegation: asks from below, answers at the root, and shows the tree', async () => {
    const { output, status, group } = delegation;
    expect(linesOf(output, 'from')).toEqual(['manager/research (researcher) has a question']);
    expect(linesOf(output, 'asks')).toEqual([
      'The notes contradict each other about "Launch". Which one holds?\n  1  26 May\n  2  12 May',
    ]);
    expect(withoutBreaks(linesOf(output, 'answer')[0])).toBe(
      'Good news for everybody on the water! Launch: 26 May. Price: stays at 4 euros a month. ' +
        'New: offline charts, shared routes. See you in the harbour.',
    );
    const [, root] = /(http\S+\/workflows\/manager-\w{12})\n/.exec(output) ?? [];
    const tree = output.slice(output.indexOf('tree')).match(/\S+ \(\S+\): \w+|http\S+/g);
    expect(tree?.slice(0, 6)).toEqual([
      'manager (manager): completed',
      root,
      'researcher (manager/research): completed',
      expect.stringContaining(`${root}.research.1.0~`),
      'writer (manager/write): completed',
      expect.stringContaining(`${root}.write.2.0~`),
    ]);
    expect(status).toBe(0);
    await expectNothingLeft(group);
  });

  it('names the examples there are when none is given', async () => {
    const { output, status } = await runExample('run.mts', { folder: tmpdir() });
    expect({ output, status }).toEqual({
      output: 'usage: npm run example <name>; there are delegation, refunds, repo-guide\n',
      status: 2,
    });
  });
});
