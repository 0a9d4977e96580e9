// Pure: no server.
import fc from 'fast-check';
import {
  paramsOf,
  parseTemplate,
  renderTemplate,
  tasksOf,
  type TemplatePart,
  type TemplateProblem,
  type TemplateValues,
} from '../../../../src/core/orchestration/template';
import { limits } from '../../../../src/protocol/limits';
import { withinTime } from '../../../../src/define/arguments/within-time';
import { refusalOf } from '../../define/builders';

const tasks = new Set(['totals', 'a', 'a.b', 'a.structured', 'input', 'check-2_x']);
const text = (value: string): TemplatePart => ({ kind: 'text', text: value });
const param = (name: string): TemplatePart => ({ kind: 'param', name });
const output = (task: string): TemplatePart => ({ kind: 'output', task });
const field = (task: string, ...path: string[]): TemplatePart => ({
  kind: 'structured',
  task,
  path,
});

describe('parseTemplate', () => {
  it.each<[string, string, TemplatePart[]]>([
    ['nothing', '', []],
    ['text', 'Say hello.', [text('Say hello.')]],
    ['the input', 'About ${input}:', [text('About '), { kind: 'input' }, text(':')]],
    ['a result', '${totals.output}', [output('totals')]],
    ['a field of a result', '${totals.structured.sum}', [field('totals', 'sum')]],
    [
      'a field inside a field',
      '${totals.structured.items.0.id}',
      [field('totals', 'items', '0', 'id')],
    ],
    ['a plain name', '${invoice_no}${a-1}', [param('invoice_no'), param('a-1')]],
    [
      'names in any language',
      '${größe}${totals.structured.合計}',
      [param('größe'), field('totals', '合計')],
    ],
    ['a plain name that is a task', '${totals}', [param('totals')]],
    ['a task with the name of the input', '${input.output}', [output('input')]],
    ['other signs in an id', '${check-2_x.output}', [output('check-2_x')]],
    [
      'the longest id that fits',
      '${a.b.output} ${a.output}',
      [output('a.b'), text(' '), output('a')],
    ],
    ['an id that looks like a field', '${a.structured.output}', [output('a.structured')]],
    ['a shorter id where the longest does not fit', '${a.structured.x}', [field('a', 'x')]],
    ['a field named output', '${totals.structured.output}', [field('totals', 'output')]],
    ['an escaped reference', 'Write $${input}.', [text('Write ${input}.')]],
    ['an escape behind a dollar', '$$${x}', [text('$${x}')]],
    ['an escape behind a reference', '${x}$${y}', [param('x'), text('${y}')]],
    ['dollars and braces', '$5 {"a": {}} $ { $$ }', [text('$5 {"a": {}} $ { $$ }')]],
    ['braces around a reference', '{"x": "${x}"}', [text('{"x": "'), param('x'), text('"}')]],
  ])('reads %s', (_name, template, parts) => {
    expect(parseTemplate(template, tasks)).toEqual({ parts, problems: [] });
  });

  const malformed = (reference: string): TemplateProblem => ({ kind: 'malformed', reference });
  const unknown = (task: string, reference: string): TemplateProblem => ({
    kind: 'unknown-task',
    reference,
    task,
  });

  it.each<[string, string, TemplateProblem]>([
    ['an end that is missing', 'a ${input', { kind: 'unclosed', reference: '${input' }],
    ['no name', '${}', malformed('${}')],
    ['a name with spaces', '${ input }', malformed('${ input }')],
    ['a reference in a reference', '${a${b}', malformed('${a${b}')],
    ['a result of no kind', '${totals.text}', malformed('${totals.text}')],
    ['a field without a name', '${totals.structured}', malformed('${totals.structured}')],
    ['a field that is empty', '${totals.structured.a..b}', malformed('${totals.structured.a..b}')],
    ['a default value', '${env:NAME:-x}', malformed('${env:NAME:-x}')],
    ['a path of no task', '${user.name}', malformed('${user.name}')],
    ['an unknown task', '${total.output}', unknown('total', '${total.output}')],
    ['an unknown task of dots', '${b.a.output}', unknown('b.a', '${b.a.output}')],
    [
      'a field of an unknown task',
      '${x.structured.a.output}',
      unknown('x', '${x.structured.a.output}'),
    ],
  ])('names %s', (_name, template, problem) => {
    expect(parseTemplate(template, tasks).problems).toEqual([problem]);
  });

  it('cuts what it shows of a malformed reference', () => {
    const [problem] = parseTemplate(`\${${'x '.repeat(1000)}}`, tasks).problems;
    expect(problem?.reference.length).toBeLessThanOrEqual(80);
  });

  it('reads on behind a malformed reference', () => {
    expect(parseTemplate('${ }${a b}${x}', tasks)).toEqual({
      parts: [param('x')],
      problems: [malformed('${ }'), malformed('${a b}')],
    });
  });

  it('takes no longer than the template is long', () => {
    const long = 250_000;
    const templates = [
      `\${${'a.'.repeat(long)}}`,
      '${'.repeat(long),
      '$'.repeat(long),
      '$${'.repeat(long),
      `\${a.structured${'.x'.repeat(long)}}`,
    ];
    const parsed = withinTime(20_000, () => templates.map((each) => parseTemplate(each, tasks)));
    expect(parsed).toHaveLength(templates.length);
  });
});

describe('what a template uses', () => {
  const { parts } = parseTemplate('${z} ${a.output} ${b} ${z} ${input} ${a.structured.x}', tasks);

  it('names its parameters, sorted', () => {
    expect(paramsOf(parts)).toEqual(['b', 'z']);
  });

  it('names its tasks', () => {
    expect(tasksOf(parts)).toEqual(['a']);
  });
});

describe('renderTemplate', () => {
  const values: TemplateValues = {
    input: 'the ${z} input',
    results: { a: { output: 'done $${x}', structured: { n: 1, list: [{ id: null }] } } },
    params: { z: 'Z', n: 5, list: ['${z}'], none: null, empty: '' },
  };
  const render = (template: string, given = values) =>
    renderTemplate(parseTemplate(template, new Set(['a', 'b'])).parts, given);

  it.each([
    ['strings as they are', '<${z}>${empty}', '<Z>'],
    ['everything else as JSON', '${n} ${none} ${list}', '5 null ["${z}"]'],
    ['a text brought in as it is', '${input}|${a.output}', 'the ${z} input|done $${x}'],
    ['fields', '${a.structured.n} ${a.structured.list.0.id}', '1 null'],
    ['a whole field', '${a.structured.list}', '[{"id":null}]'],
    ['JSON around it', '{"z": "${z}"}', '{"z": "Z"}'],
  ])('gives %s', (_name, template, expected) => {
    expect(render(template)).toBe(expected);
  });

  it('gives an input of parts as JSON', () => {
    const input = [{ type: 'text', text: 'hi' }] as const;
    expect(render('${input}', { ...values, input })).toBe('[{"type":"text","text":"hi"}]');
  });

  it.each([
    [
      'a parameter',
      '${q}',
      '${q}, which has no value: neither the JSON reply of a dependency nor the session has this key.',
    ],
    [
      'an inherited name',
      '${constructor}',
      '${constructor}, which has no value: neither the JSON reply of a dependency nor the session has this key.',
    ],
    ['a result', '${b.output}', "${b.output}, which has no value: task 'b' has no result."],
    [
      'a field',
      '${a.structured.list.length}',
      "${a.structured.list.length}, which has no value: the JSON reply of task 'a' has no such field.",
    ],
    [
      'a field of a text',
      '${a.structured.n.x}',
      "${a.structured.n.x}, which has no value: the JSON reply of task 'a' has no such field.",
    ],
  ])('refuses %s without a value', (_name, template, message) => {
    expect(refusalOf(() => render(template))).toBe(`InvalidInput: The prompt uses ${message}`);
  });

  it('refuses a prompt that grows too long', () => {
    const large = { ...values, params: { z: 'x'.repeat(limits.input / 2) } };
    expect(refusalOf(() => render('${z}'.repeat(1000), large))).toMatch(/^PayloadTooLarge: /);
  });

  it('gives back any text that was escaped, and any value as it is', () => {
    const property = fc.property(
      fc.string({ unit: fc.constantFrom('$', '{', '}', 'a', '.') }),
      (any) => {
        // A dollar before a reference would read as an escape: a space keeps them apart.
        const escaped = `${any.replaceAll('${', () => '$${')} \${v}`;
        expect(render(escaped, { ...values, params: { v: any } })).toBe(`${any} ${any}`);
      },
    );
    fc.assert(property, { seed: 20_261_122, numRuns: 200 });
  });

  it('loses nothing of a template without references', () => {
    const property = fc.property(fc.string({ unit: 'grapheme' }), (any) => {
      fc.pre(!any.includes('${'));
      expect(render(any)).toBe(any);
    });
    fc.assert(property, { seed: 20_261_122, numRuns: 100 });
  });
});
