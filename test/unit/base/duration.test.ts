// Pure: no server.
import { parseDuration } from '../../../src/base/duration';

describe('parseDuration', () => {
  it.each([
    [1500, 1500],
    [0.2, 1],
    ['250ms', 250],
    ['90s', 90_000],
    ['90 s', 90_000],
    [' 15 minutes ', 900_000],
    ['1.5h', 5_400_000],
    ['3 days', 259_200_000],
    ['1 Week', 604_800_000],
    ['2 years', 63_115_200_000],
    ['1 m', 60_000],
  ])('reads %j as %d ms', (value, ms) => {
    expect(parseDuration(value)).toEqual({ ok: true, ms });
  });

  const rule =
    "must be a duration such as '90s', '15 minutes' or '3 days', or a number of milliseconds, not";

  it.each([
    ['90', `${rule} '90'`],
    ['', `${rule} an empty string`],
    ['soon', `${rule} 'soon'`],
    ['1h30m', `${rule} '1h30m'`],
    ['3 fortnights', `${rule} '3 fortnights'`],
    ['1  day', `${rule} '1 day'`],
    [NaN, `${rule} NaN`],
    [null, `${rule} null`],
    [{ days: 3 }, `${rule} an object`],
    [0, 'must be more than 0, not 0'],
    ['-5s', "must be more than 0, not '-5s'"],
    [Infinity, 'must be at most 100 years, not Infinity'],
    ['101 years', "must be at most 100 years, not '101 years'"],
  ])('refuses %j', (value, message) => {
    expect(parseDuration(value)).toEqual({ ok: false, message });
  });
});
