import { requireMay } from '../../../src/http/may-answer';

const own = { user: 'ada' };
const lead = { user: 'mia', sees: 'tenant' } as const;

it.each([
  ['the result of a call that waits for its token', lead, { kind: 'tool', byToken: true }, {}],
  ['more budget for somebody who sees only their own runs', own, { kind: 'budget' }, 1_000],
] as const)('nobody gives %s', (_name, principal, input, value) => {
  expect(() => requireMay(principal, input, value)).toThrow(
    expect.objectContaining({ code: 'NotPermitted' }) as Error,
  );
});

it.each([
  ['the end of a run at its budget', own, { kind: 'budget' }, 'stop'],
  ['more budget for the runs of others', lead, { kind: 'budget' }, 1_000],
  ['the result of a tool of the client', own, { kind: 'tool' }, undefined],
  ['an answer', own, { kind: 'question' }, 'blue'],
  ['what is open no more', own, undefined, 'blue'],
] as const)('people give %s', (_name, principal, input, value) => {
  expect(() => requireMay(principal, input, value)).not.toThrow();
});
