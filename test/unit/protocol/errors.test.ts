// Pure: no server. Errors of every code are one class; those with fields of their own are told apart by code, too.
import { errorCodes, hasCode, LonghaulError, ProviderError } from '../../../src/protocol/errors';

describe('an error of Longhaul', () => {
  it.each(errorCodes)('of code %s is known by it', (code) => {
    const cause = new Error('why');
    const options = { cause, retryable: true, details: { at: 1 } };
    const error = new LonghaulError(code, 'wrong', options);
    expect(error).toMatchObject({ code, name: code, message: 'wrong', ...options });
    expect(LonghaulError.is(error)).toBe(true);
    expect(errorCodes.filter((other) => hasCode(error, other))).toEqual([code]);
  });

  it('is not another error that has a code', () => {
    const foreign = Object.assign(new Error('wrong'), { code: 'InvalidInput' });
    expect(LonghaulError.is(foreign)).toBe(false);
    expect(hasCode(foreign, 'InvalidInput')).toBe(false);
  });

  it('of a provider says how the call failed', () => {
    expect(ProviderError.is(new ProviderError('quota', 'enough'))).toBe(true);
    expect(ProviderError.is(new LonghaulError('InvalidInput', 'wrong'))).toBe(false);
  });
});
