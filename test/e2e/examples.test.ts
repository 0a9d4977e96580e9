// Runs the examples as processes of their own, offline and without a terminal: their servers, workers and scripted models are real.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limited } from '../../src/client/server/calls';
import { expectNothingLeft, runExample, type Ended } from './example-process';

/** What was said under a label, each time. */
function linesOf(output: string, label: string): string[] {
  const said = new RegExp(`^ *\\d+\\.\\d s {2}${label.padEnd(10)}(.*(?:\\n {20}.*)*)`, 'gm');
  return [...output.matchAll(said)].map(([, text = '']) => text.replaceAll(/\n {20}/g, '\n'));
}

function withoutBreaks(text: string | undefined): string {
  return (text ?? '').replaceAll(/\s+/g, ' ');
}

describe('npm run example', () => {
  const names = [
    'refunds',
    'payments',
    'delegation',
    'plan-and-execute',
    'sentiment-and-summary',
    'research',
    'own-workflow',
    'chat-server',
  ] as const;
  const ended = new Map<string, Ended & { readonly folder: string }>();
  const endOf = (name: (typeof names)[number]) => {
    const end = ended.get(name) as Ended & { folder: string };
    if (end.status === 0) return end;
    throw new Error(`${name} ended with ${end.status}, and said:\n${end.output}`);
  };

  beforeAll(async () => {
    const atATime = limited(2);
    const runs = names.map((name) =>
      atATime(async () => {
        const folder = mkdtempSync(join(tmpdir(), `longhaul-${name}-`));
        ended.set(name, { folder, ...(await runExample('run.mts', { folder, args: [name] })) });
      }),
    );
    await Promise.all(runs);
  });
  afterAll(() => {
    for (const { folder } of ended.values()) rmSync(folder, { recursive: true });
  });

  it('refunds, the demo: waits for a person over a killed worker, and the money moves once', async () => {
    const { output, group, folder } = endOf('refunds');
    const [workflowId] = /refunds-\w{12}/.exec(output) ?? [];
    const question = 'May refund run? {"orderId":"1042","amount":80}';
    expect(linesOf(output, 'inbox')).toEqual([`${workflowId}: ${question}`]);
    expect(linesOf(output, 'approval')).toEqual([`${question}\nfrom refunds`]);
    expect(output).toContain('No terminal to decide in: approved.');
    const [, killed] = /process (\d+) was killed with SIGKILL/.exec(output) ?? [];
    const workers = [...output.matchAll(/process (\d+) takes work/g)].map(([, pid]) => pid);
    expect(workers).toEqual([killed, expect.stringMatching(/^\d+$/)]);
    expect(workers[1]).not.toBe(killed);
    expect(linesOf(output, 'answer')).toEqual(['80 euros of order 1042 were refunded.']);
    expect(linesOf(output, 'audit').map((line) => line.replace(/^\S+ /, ''))).toEqual([
      'mia: start',
      'bob: approve refund {"orderId":"1042","amount":80}',
    ]);
    const ledger = readFileSync(join(folder, '.longhaul/refunds.jsonl'), 'utf8');
    const idempotencyKey = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
    expect(JSON.parse(ledger)).toEqual({ orderId: '1042', amount: 80, workflowId, idempotencyKey });
    await expectNothingLeft(group);
  });

  it('payments: two people decide, one corrects, the bank calls back, and the audit tells it', async () => {
    const { output, group, folder } = endOf('payments');
    const asked = (euros: number): string =>
      `Invoice 2026-041 of Northwind Bolts: pay ${euros} euros. The purchase order says 14800 euros.`;
    // The bank may be faster than the mail, and the mail than the person who picks.
    expect(new Set(linesOf(output, 'mail').map(withoutBreaks))).toEqual(
      new Set([
        'New: What is the result of pick_cost_centre?',
        'New: What is the result of check_account?',
        `New: ${asked(18_400)}`,
        `New: ${asked(14_800)}`,
        `Reminder: ${asked(14_800)}`,
        `To the lead of finance: ${asked(14_800)}`,
      ]),
    );
    const changed = '{"invoice":"2026-041","euros":14800,"costCentre":"4710"}';
    const people = linesOf(output, 'person').map(withoutBreaks);
    // Several watchers tell the story, so lines may change places.
    expect(people.sort()).toEqual([
      `Ada changes the call to ${changed}, so people are asked anew`,
      'Cleo approves; 0 more must approve',
      expect.stringMatching(/^Mia is refused: InvalidAnswer: .*costCentre/) as string,
      expect.stringMatching(/^Mia is refused: NotPermitted: .*asked for this run/) as string,
      'Mia picks cost centre 4710',
      `changed the arguments to ${changed}`,
    ]);
    expect(linesOf(output, 'bank')).toEqual(['Northwind Bolts BV', 'Northwind Bolts BV']);
    expect(withoutBreaks(linesOf(output, 'answer')[0])).toBe(
      '14800 euros were paid for invoice 2026-041 of Northwind Bolts, from cost centre 4710.',
    );
    const [workflowId] = /payments-\w{12}/.exec(output) ?? [];
    const audit = linesOf(output, 'audit').map((line) => withoutBreaks(line).replace(/^\S+ /, ''));
    expect(audit.map((line) => line.split(' ').slice(0, 3).join(' ')).sort()).toEqual([
      'ada: approve pay',
      'ada: edit pay',
      'cleo: approve pay',
      'mia: complete pick_cost_centre',
      'mia: start',
      'nobody: complete check_account',
    ]);
    const ledger = readFileSync(join(folder, '.longhaul/payments.jsonl'), 'utf8').trimEnd();
    expect(JSON.parse(ledger)).toEqual({
      invoice: '2026-041',
      euros: 14_800,
      costCentre: '4710',
      workflowId,
      idempotencyKey: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    await expectNothingLeft(group);
  });

  it('chat-server: goes on with a conversation in whichever backend, and is asked back', async () => {
    const { output, group } = endOf('chat-server');
    expect(linesOf(output, 'concierge').map(withoutBreaks)).toEqual([
      'You are Ada, in room 12.',
      'We will wake you in room 12 at 7:15.',
      'You are Ada, in room 12.',
    ]);
    expect(linesOf(output, 'asks')).toEqual(['At what time?']);
    expect(new Set(output.match(/\(to 127\.0\.0\.1:\d+\)/g)).size).toBe(2);
    expect(output).toContain('3 turns, the same from either backend');
    await expectNothingLeft(group);
  });

  it('delegation: asks from below, answers at the root, and shows the tree', async () => {
    const { output, group } = endOf('delegation');
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
    await expectNothingLeft(group);
  });

  it('plan-and-execute: the planner asks, and the executor gets its plan', async () => {
    const { output, group } = endOf('plan-and-execute');
    expect(linesOf(output, 'from')).toEqual(['plan-and-execute/planner (planner) has a question']);
    expect(linesOf(output, 'result').map(withoutBreaks)).toEqual([
      'plan-and-execute/planner: Task: Write a blog post about Rust. For: People who never heard of it. 1. Why 2. How 3. Where to start',
      expect.stringMatching(/^plan-and-execute\/executor: Why: what to know about Rust\. How: /),
    ]);
    expect(linesOf(output, 'done')[0]).toMatch(/^3 model calls in 3 runs;/);
    await expectNothingLeft(group);
  });

  it('sentiment-and-summary: has the answers of both branches, in their order', async () => {
    const { output, group } = endOf('sentiment-and-summary');
    expect(linesOf(output, 'combined')).toEqual([
      '["positive","In short: The new release is great and fast."]',
    ]);
    await expectNothingLeft(group);
  });

  it('research: the synthesiser gets what all three researchers found', async () => {
    const { output, group } = endOf('research');
    expect(linesOf(output, 'result').map(withoutBreaks).slice(0, 3).sort()).toEqual([
      'research/benefits: Quieter streets and cleaner air.',
      'research/cost: {"amount":"0.9 million euros","basis":"ten buses with chargers"}',
      'research/risks: The grid of the depot may be too weak.',
    ]);
    expect(withoutBreaks(linesOf(output, 'answer')[0])).toBe(
      'Yes, for this: Quieter streets and cleaner air. It costs 0.9 million euros (ten buses with chargers); ' +
        'mind this first: The grid of the depot may be too weak.',
    );
    await expectNothingLeft(group);
  });

  it('own-workflow: agents between activities and a timer, and a question in the inbox', async () => {
    const { output, group, folder } = endOf('own-workflow');
    expect(linesOf(output, 'from')).toEqual([
      expect.stringMatching(/^invoice-2024-17-\w{8}\.advice \(advisor\) has a question$/),
    ]);
    const letters = readFileSync(join(folder, '.longhaul/letters.jsonl'), 'utf8').trimEnd();
    const facts = 'invoice 2024-17 of Harbour Café, 340 euros';
    expect(letters.split('\n').map((line) => JSON.parse(line) as unknown)).toEqual(
      [
        `You may have missed ${facts}. We would be glad to have it soon.`,
        `About ${facts}: next comes instalments. Call us.`,
      ].map((text) => ({ invoiceId: '2024-17', text })),
    );
    await expectNothingLeft(group);
  });

  it('lists the examples when no name is given', async () => {
    const { output, status } = await runExample('run.mts', { folder: tmpdir() });
    expect({ output, status }).toEqual({
      output:
        'usage: npm run example <name>; there are chat-server, cookbook, delegation, own-workflow, payments, plan-and-execute, refunds, repo-guide, research, sentiment-and-summary, web-chat\n',
      status: 2,
    });
  });
});
