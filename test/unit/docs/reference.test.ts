// Pure: compares tables of the docs with the code; no server.

import { errorCodes } from '../../../src/protocol/errors';
import { limits, timeouts } from '../../../src/protocol/limits';
import { codeRowsOf, readPage } from './markdown';

const units: Readonly<Record<string, number>> = {
  KiB: 1024,
  MiB: 1024 ** 2,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
};

/** `256 KiB` in bytes, `10 min` in milliseconds, `4,000` and `32 characters` as they are. */
function numberOf(text: string): number {
  const [, digits = '', unit = ''] = /^([\d.,]+) ?(\w*)$/.exec(text) ?? [];
  return Number(digits.replaceAll(',', '')) * (units[unit] ?? 1);
}

describe('docs/errors.md', () => {
  it('has a row for each code, in order, and no other', () => {
    expect([...codeRowsOf(readPage('docs/errors.md')).keys()]).toEqual([...errorCodes]);
  });
});

describe('docs/operating.md', () => {
  const rows = [...codeRowsOf(readPage('docs/operating.md'))];

  it.each(Object.entries({ limits, timeouts }))('has a row for each of %s', (table, values) => {
    const documented = rows.flatMap(([code, [value = '']]) =>
      code.startsWith(`${table}.`) ? [[code.slice(table.length + 1), numberOf(value)]] : [],
    );
    expect(Object.fromEntries(documented)).toEqual(values);
  });
});
