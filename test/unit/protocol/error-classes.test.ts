// Pure: no server.
import * as classes from '../../../src/protocol/error-classes';
import { errorCodes, LonghaulError, ProviderError } from '../../../src/protocol/errors';

const { errorOfCode, ...named } = classes;
type PlainClass = typeof classes.InvalidInput;
const plain = Object.entries(named) as unknown as [string, PlainClass][];

describe('the errors without fields of their own', () => {
  it.each(plain)('%s is made by its code, and known by it', (code, type) => {
    const cause = new Error('why');
    const error = errorOfCode(code as 'InvalidInput', 'wrong', { cause, details: { at: 1 } });
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({
      code,
      name: code,
      message: 'wrong',
      retryable: false,
      cause,
      details: { at: 1 },
    });
    expect(type.is(error)).toBe(true);
    expect(type.is(new Error('wrong'))).toBe(false);
    expect(type.is(new LonghaulError('CallbackAbort', 'wrong'))).toBe(false);
    expect(new type('again', { retryable: true })).toMatchObject({ code, retryable: true });
  });

  it('leaves a code with fields to the root of all', () => {
    const error = errorOfCode('MaxTurnsExceeded', 'enough');
    expect(error).toMatchObject({ code: 'MaxTurnsExceeded', message: 'enough' });
    expect(error.constructor).toBe(LonghaulError);
  });

  it('knows an error of a provider', () => {
    expect(ProviderError.is(new ProviderError('quota', 'enough'))).toBe(true);
    expect(ProviderError.is(errorOfCode('InvalidInput', 'wrong'))).toBe(false);
  });

  it('are codes of the list', () => {
    const codes: readonly string[] = errorCodes;
    expect(plain.map(([code]) => code).filter((code) => !codes.includes(code))).toEqual([]);
  });
});
