// Pure: no server.
import { renderSchema } from '../../../../src/cli/render/render-schema';

it('says each member of an object on a line', () => {
  const schema = {
    type: 'object',
    properties: {
      seat: { type: 'string', description: 'row\nand letter' },
      meal: { enum: ['fish', 'pasta'] },
      day: { type: 'string', format: 'date' },
      any: true,
    },
    required: ['seat'],
  };
  expect(renderSchema(schema)).toEqual([
    '  answer with JSON:',
    '  seat: string, row and letter',
    '  meal: "fish" | "pasta" (optional)',
    '  day: string (date) (optional)',
    '  any: anything (optional)',
  ]);
});

it('says any other schema on one line, and shows no control characters', () => {
  expect(renderSchema({ type: ['number', 'null'] })).toEqual(['  answer: number or null']);
  expect(renderSchema({ description: 'a\u001b[31mb' }).join('')).not.toContain('\u001b');
});

it('shows twenty members at most', () => {
  const properties = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`m${at}`, {}]));
  expect(renderSchema({ properties }).at(-1)).toBe('  … and 5 more');
});
