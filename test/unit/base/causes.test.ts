// Pure: no server.
import { chainTexts, copyError, errorChain } from '../../../src/base/causes';

const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:4999'), {
  code: 'ECONNREFUSED',
});

const textsOf = (error: unknown): readonly string[] => chainTexts(errorChain(error));

function failing(fields: object): object {
  return new Proxy(fields, {
    get: () => {
      throw new Error('no field can be read');
    },
  });
}

describe('the chain of an error', () => {
  it.each([
    {
      name: "Node's fetch, with one address",
      error: new TypeError('fetch failed', { cause: refused }),
      texts: ['fetch failed', 'connect ECONNREFUSED 127.0.0.1:4999'],
    },
    {
      name: "Node's fetch, with two addresses, whose error has a code and no message",
      error: new TypeError('fetch failed', {
        cause: Object.assign(
          new AggregateError([new Error('connect ECONNREFUSED ::1:4999'), refused]),
          { code: 'ECONNREFUSED' },
        ),
      }),
      texts: [
        'fetch failed',
        'connect ECONNREFUSED ::1:4999',
        'connect ECONNREFUSED 127.0.0.1:4999',
      ],
    },
    {
      name: 'a message that has its cause already',
      error: new Error(`no weather: ${refused.message}`, { cause: refused }),
      texts: ['no weather: connect ECONNREFUSED 127.0.0.1:4999'],
    },
    {
      name: 'a short message that its cause contains',
      error: new Error('failed', { cause: new Error('the call failed') }),
      texts: ['failed', 'the call failed'],
    },
    {
      name: 'a cause that is a text',
      error: new Error('no weather', { cause: 'the sun' }),
      texts: ['no weather', 'the sun'],
    },
    { name: 'a text', error: 'the sun', texts: ['the sun'] },
    { name: 'nothing', error: undefined, texts: ['threw undefined'] },
    { name: 'a symbol', error: Symbol('sun'), texts: ['threw Symbol(sun)'] },
    { name: 'an object of another kind', error: { message: 'the sun' }, texts: ['the sun'] },
    {
      name: 'getters that throw',
      error: new Error('no weather', { cause: failing({}) }),
      texts: ['no weather', 'threw a value that cannot be shown'],
    },
  ])('says what all errors say: $name', ({ error, texts }) => {
    expect(textsOf(error)).toEqual(texts);
  });

  it('ends where it would go in a circle', () => {
    const error = new Error('one');
    error.cause = new Error('two', { cause: error });
    expect(textsOf(error)).toEqual(['one', 'two']);
  });

  it('has five causes at most', () => {
    const chain = [...'abcdefgh'].reduceRight<Error | undefined>(
      (cause, text) => new Error(text, { cause }),
      undefined,
    );
    expect(textsOf(chain)).toEqual([...'abcdef']);
  });
});

describe('the copy of an error', () => {
  it('has names, messages, stacks and causes, as they were changed', () => {
    const error = new TypeError('fetch failed', { cause: refused });
    const copy = copyError(error, (read) => ({ ...read, message: read.message.toUpperCase() }));
    expect(copy).toMatchObject({
      name: 'TypeError',
      message: 'FETCH FAILED',
      stack: error.stack,
      cause: { message: 'CONNECT ECONNREFUSED 127.0.0.1:4999', stack: refused.stack },
    });
  });

  it('ends where the change says so', () => {
    const error = new Error('one', { cause: new Error('two') });
    const copy = copyError(error, (read) => (read.message === 'two' ? undefined : read));
    expect(copy).toMatchObject({ message: 'one' });
    expect(copy?.cause).toBeUndefined();
  });
});
