// Pure: no server.

import { checkRunInput } from '../../../src/core/run-input';

const lineage = { root: 'root', path: 'root/step', ancestors: ['root'], depth: 1 };

describe('checkRunInput', () => {
  it.each([
    ['a text', { runner: 'echo', input: 'Go' }],
    ['the empty text of a step before it, of a child', { runner: 'echo', input: '', lineage }],
  ])('takes %s', (_name, input) => {
    expect(() => checkRunInput(input)).not.toThrow();
  });

  it.each([
    ['an empty text', { runner: 'echo', input: ' ' }, 'input is empty'],
    ['no text', { runner: 'echo', lineage }, /^input must be a text/],
  ])('refuses %s', (_name, input, message) => {
    expect(() => checkRunInput(input)).toThrow(message);
  });
});
