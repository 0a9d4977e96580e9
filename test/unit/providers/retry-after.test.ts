// Pure: no server.
import { durationMs, headerOf, retryAfterMs } from '../../../src/providers/retry-after';

const now = Date.parse('2026-11-21T12:00:00Z');

describe('retryAfterMs', () => {
  it.each([
    ['milliseconds', { 'retry-after-ms': '750' }, 750],
    ['milliseconds over seconds', { 'retry-after-ms': '750', 'retry-after': '9' }, 750],
    ['seconds', { 'retry-after': '9' }, 9000],
    ['fractions of a second', { 'retry-after': '0.5' }, 500],
    ['a date', { 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' }, 30_000],
    ['a date that has passed', { 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, 250],
    ['zero', { 'retry-after': '0' }, 250],
    ['a negative number', { 'retry-after': '-5' }, 250],
    ['a day', { 'retry-after': '86400' }, 600_000],
    ['rubbish', { 'retry-after': 'soon' }, undefined],
    ['an empty value', { 'retry-after': '' }, undefined],
    ['rubbish milliseconds beside seconds', { 'retry-after-ms': 'x', 'retry-after': '2' }, 2000],
    ['nothing', {}, undefined],
    ['the reset of a limit', { 'x-ratelimit-reset-requests': '1m2.5s' }, 62_500],
    [
      'the reset of the limit that is used up',
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '6s',
        'x-ratelimit-remaining-tokens': '900',
        'x-ratelimit-reset-tokens': '8m0s',
      },
      6000,
    ],
  ])('reads %s', (_name, headers, expected) => {
    expect(retryAfterMs(headers, now)).toBe(expected);
    expect(retryAfterMs(new Headers(headers), now)).toBe(expected);
  });

  it('answers for no headers', () => {
    expect(retryAfterMs(undefined)).toBeUndefined();
  });
});

describe('headerOf', () => {
  it('finds a plain record entry whatever its case', () => {
    expect(headerOf({ 'Retry-After': '1' }, 'retry-after')).toBe('1');
  });
});

describe('durationMs', () => {
  it.each([
    ['6m0s', 360_000],
    ['1.5s', 1500],
    ['20ms', 20],
    ['1h1m', 3_660_000],
    ['12', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads %s', (text, expected) => {
    expect(durationMs(text)).toBe(expected);
  });
});
