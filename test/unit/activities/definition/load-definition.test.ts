// Pure: no server.
import type { ActivityDependencies } from '../../../../src/activities/dependencies';
import { loadDefinition } from '../../../../src/activities/definition/load-definition';

/** A worker whose registry throws. */
function worker(thrown: unknown): ActivityDependencies {
  const definition = (): never => {
    throw thrown;
  };
  return { registry: { definition } } as unknown as ActivityDependencies;
}

describe('loadDefinition', () => {
  it.each([new TypeError('x is not a function'), new RangeError('Maximum call stack')])(
    'fails for good with %s, which each attempt would throw again',
    async (thrown) => {
      await expect(loadDefinition(worker(thrown), { runner: 'a' })).rejects.toMatchObject({
        code: 'InternalError',
        retryable: false,
        message: expect.stringContaining(thrown.message) as string,
      });
    },
  );

  it('leaves what another attempt may cure as it is', async () => {
    const thrown = new Error('the disk is away');
    await expect(loadDefinition(worker(thrown), { runner: 'a' })).rejects.toBe(thrown);
  });
});
