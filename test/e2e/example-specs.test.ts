// All example specs from the command line, each run to its end without a network: the commands run in this process, on the dev server.
import { readdirSync } from 'node:fs';
import { runCli } from '../../src/cli/run-cli';
import { devServerAddress } from '../servers';
import { fakeTerminal } from '../unit/cli/fake-terminal';
import { runWorkflowsInThread } from './in-thread';

type Example = {
  readonly path: string;
  readonly runner: string;
  readonly input: string;
  readonly more?: readonly string[];
  readonly answer: string;
};

const verdict = `partner(A company was looked at for an investment.

Its market: A growing market.

Its rivals: ["Ada","Bob"]

Is it worth a second look? Answer yes or no, with one reason.)`;
const grade = '{"grade":4,"reason":"The total is 12, the vendor ACME. Is the invoice plausible?"}';
const listed = '{"content":"[FILE] tutor.md\\n[FILE] verdict.md"}';
const answers = (...texts: readonly string[]): string[] =>
  texts.flatMap((text) => ['--answer', text]);

const examples: readonly Example[] = [
  {
    path: 'assistant.yaml',
    runner: 'assistant',
    input: 'Where is the bank?',
    more: answers('The river.'),
    answer: 'assistant(The river.)',
  },
  {
    path: 'due-diligence.yaml',
    runner: 'due-diligence',
    input: 'Acme',
    more: answers('50000'),
    answer: verdict,
  },
  { path: 'editors.yaml', runner: 'editor', input: 'Good.', answer: 'FINAL Best.' },
  {
    path: 'newsroom.yaml',
    runner: 'newsroom',
    input: 'Rain.',
    answer: 'article(["facts(Rain.)","angles(Rain.)"])',
  },
  { path: 'second-opinion.yaml', runner: 'second-opinion', input: 'Why?', answer: 'One sentence.' },
  {
    path: 'travel.yaml',
    runner: 'travel',
    input: 'A seat, please.',
    more: answers('{"seat": "12A"}'),
    answer: 'travel({"seat":"12A"})',
  },
  {
    path: 'triage.yaml',
    runner: 'triage',
    input: 'I paid twice.',
    answer: '{"queue": "billing", "urgent": true}',
  },
  { path: 'tutor.yaml', runner: 'tutor', input: 'Primes?', answer: 'tutor(Primes?)' },
  {
    path: 'tutor.yaml',
    runner: 'examiner',
    input: 'Primes',
    more: answers('1', '2', '3'),
    answer: 'graded(3)',
  },
  {
    path: 'environments',
    runner: 'clerk',
    input: 'Dear all',
    answer: 'gpt-6-luna {"temperature":0.2}',
  },
  {
    path: 'environments',
    runner: 'clerk',
    input: 'Dear all',
    more: ['--overlay', 'prod'],
    answer: 'gpt-6.1-sol {"reasoning":{"effort":"low"}}',
  },
  {
    path: 'environments',
    runner: 'clerk',
    input: 'Dear all',
    more: ['--overlay', 'test'],
    answer: 'gpt-6-luna {"temperature":0}',
  },
  {
    path: 'potato/support-desk.yaml',
    runner: 'desk',
    input: 'Where is it?',
    more: answers('7'),
    answer: 'RESOLVED shipped',
  },
  { path: 'potato/review-board.yaml', runner: 'board', input: 'Cloud', answer: 'cost(Cloud)' },
  {
    path: 'potato/review-board.yaml',
    runner: 'draft',
    input: 'Cloud',
    answer: 'editor(security(Cloud))',
  },
  {
    path: 'potato/invoice-check.yaml',
    runner: 'invoice_check',
    input: 'go',
    more: ['--session', '{"invoice_no": "42"}'],
    answer: grade,
  },
  {
    path: 'with-code/refunds.yaml',
    runner: 'refunds',
    input: 'Refund 7',
    more: answers('y'),
    answer: 'Order 7: refunded',
  },
  {
    path: 'with-code/research.yaml',
    runner: 'manager',
    input: 'Moon?',
    answer: `manager(researched(${listed}) | checked(cheese))`,
  },
  {
    path: 'with-code/repo-guide.json',
    runner: 'repo-guide',
    input: 'Files?',
    answer: `guide(${listed})`,
  },
];

type Finished = {
  readonly code: number;
  readonly printed: string;
  readonly noted: readonly string[];
};

const folder = 'examples/specs';
/** At once: each has a worker of its own. */
const atOnce = 3;

describe('the example specs', () => {
  const address = devServerAddress();
  let running: readonly Promise<Finished>[];

  beforeAll(() => {
    runWorkflowsInThread();
    const lanes: Promise<Finished>[] = [];
    running = examples.map((example, index) => {
      const lane = index % atOnce;
      return (lanes[lane] = Promise.resolve(lanes[lane]).then(() => run(example)));
    });
  });

  async function run({ path, runner, input, more = [] }: Example): Promise<Finished> {
    const terminal = fakeTerminal();
    const specs = ['-f', `${folder}/${path}`, '--tools', 'test/e2e/example-specs-code.ts'];
    const args = ['run', runner, input, ...specs, ...more, '--address', address];
    const code = await runCli(args, terminal);
    return { code, printed: terminal.printed.join('\n'), noted: terminal.noted };
  }

  it.each(examples.map((example, index) => ({ ...example, index, options: example.more ?? [] })))(
    '$path: $runner $options',
    async ({ index, answer }) => {
      const finished = await running[index];
      // Of its own warnings: what Temporal's core says on a busy machine is no fault of a spec.
      const noted = finished?.noted.filter((line) => /^(?:warning|error):/.test(line));
      expect({ ...finished, noted }).toEqual({ code: 0, printed: answer, noted: [] });
    },
  );

  it('are all run', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(?:yaml|json)$/.test(path) && !path.includes('prompts/'))
      .map((path) => (path.startsWith('environments/') ? 'environments' : path));
    const run = new Set(examples.map(({ path }) => path));
    expect([...run].sort()).toEqual([...new Set(files)].sort());
  });
});
