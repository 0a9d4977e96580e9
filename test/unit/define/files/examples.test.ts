// Pure: reads files of the repository; no server.
import { readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { Json } from '../../../../src/base/json';
import { checkAgainst, forTools } from '../../../../src/core/schema/check-schema';
import { createRegistry } from '../../../../src/define/registry';
import { loadSpec, specFileSchema, toSpecText, type Runners } from '../../../../src';
import { exampleCode, exampleFolders, loadExamples } from './example-code';

const specsOf = ({ all }: Runners) => Object.fromEntries(all.map(({ id, spec }) => [id, spec]));

/** As editors do. */
const problemsOf = (value: unknown) => checkAgainst(specFileSchema(), value as Json, forTools);

describe.each(exampleFolders)('examples/specs/%s', (folder, ids) => {
  it('loads', () => {
    expect(loadExamples(folder).ids).toEqual(ids);
  });

  it('can be registered', () => {
    const { all } = loadExamples(folder);
    const registry = createRegistry({ runners: all });
    expect(all.map(({ id }) => registry.definition(id).runner)).toEqual(ids);
  });

  it('is the same after being written and loaded again', () => {
    const runners = loadExamples(folder);
    const text = toSpecText(runners.all);
    const again = loadSpec({ text }, exampleCode);
    expect(specsOf(again)).toEqual(specsOf(runners));
    expect(toSpecText(again.all)).toBe(text);
  });

  it('matches the schema of the format', () => {
    const files = readdirSync(`examples/specs/${folder}`).filter((name) =>
      /\.(?:ya?ml|json)$/.test(name),
    );
    const documents = files.flatMap((name) => {
      const text = readFileSync(`examples/specs/${folder}/${name}`, 'utf8');
      return [...parseAllDocuments(text)].map(
        (document) => [name, document.toJS() as unknown] as const,
      );
    });
    const problems = documents.flatMap(([name, value]) =>
      problemsOf(value).map((problem) => [name, problem]),
    );
    expect([problems, documents.length > 0]).toEqual([[], true]);
  });
});

describe('the examples of potato-agent', () => {
  const { get } = loadExamples('potato');

  it('have an agent with our own names', () => {
    expect(get('desk')?.spec).toEqual({
      kind: 'agent',
      id: 'desk',
      model: { provider: 'anthropic', model: 'claude-haiku-4-5' },
      instructions: 'Answer order questions. Finish with RESOLVED, or ask with __ask_user__.',
      tools: ['order_lookup'],
      maxIterations: 6,
      criteria: [{ kind: 'keyword', keyword: 'RESOLVED' }],
      callbacks: ['logging', 'audit_trail'],
      memory: { kind: 'windowed', turns: 8 },
    });
  });

  it('have a group of the providers as we name them', () => {
    expect(get('board')?.spec).toEqual({
      kind: 'parallel',
      id: 'board',
      merge: 'collect_all',
      branches: [get('security')?.spec, get('cost')?.spec],
    });
    expect(get('cost')?.spec).toMatchObject({ model: { provider: 'google' } });
  });

  it('have a graph whose last task is an agent made of its prompt file', () => {
    expect(get('invoice_check')?.spec).toMatchObject({
      params: ['invoice_no', 'total', 'vendor'],
      tasks: [
        { id: 'totals', runner: { id: 'w' }, maxRetries: 1 },
        { id: 'vendor', runner: { id: 'w' } },
        {
          id: 'grade',
          dependencies: ['totals', 'vendor'],
          prompt: 'The total is ${total}, the vendor ${vendor}. Is the invoice plausible?',
          runner: {
            id: 'invoice_check.grade',
            maxIterations: 1,
            instructions: 'You grade invoices.',
            output: { schema: { required: ['grade', 'reason'] } },
          },
        },
      ],
    });
  });
});

describe('examples/specs/with-code', () => {
  it('asks for approval of the one tool that needs it', () => {
    const refunds = loadExamples('with-code').get('refunds');
    const tools = refunds?.kind === 'agent' ? refunds.tools : [];
    expect(tools.map(({ name, spec }) => [name, spec.needsApproval])).toEqual([
      ['find_order', undefined],
      ['refund', true],
    ]);
  });
});
