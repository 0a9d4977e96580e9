// Pure: no server.
import { DefinitionCache } from '../../../../src/activities/definition/pinned-definition';
import { limits } from '../../../../src/protocol/limits';
import type { Definition } from '../../../../src/protocol/spec';
import { createRegistry } from '../../../../src/define/registry';
import { hashDefinition } from '../../../../src/define/definition';
import { defineAgent } from '../../../../src';

const definitionOf = (instructions: string): Definition =>
  createRegistry({
    runners: [defineAgent({ id: 'a', model: 'scripted/a', instructions })],
  }).definition('a');

describe('pinned definitions', () => {
  const pinned = definitionOf('Ask before you pay.');
  const ref = { hash: hashDefinition(pinned).slice(0, limits.hashLength) };

  it('are taken from the run that holds them, once', async () => {
    const cache = new DefinitionCache();
    let asked = 0;
    const ask = () => Promise.resolve((asked += 1) === 1 ? structuredClone(pinned) : undefined);
    expect(await cache.get(ref, ask)).toEqual(pinned);
    expect(await cache.get(ref, ask)).toEqual(pinned);
  });

  it.each<{ name: string; answer: unknown }>([
    { name: 'another definition', answer: definitionOf('Pay at once.') },
    { name: 'nonsense', answer: 7 },
    { name: 'null', answer: null },
  ])(
    'are not believed when the run answers with $name, and nothing is kept',
    async ({ answer }) => {
      const cache = new DefinitionCache();
      const forged = cache.get(ref, () => Promise.resolve(answer as Definition));
      await expect(forged).rejects.toMatchObject({
        code: 'StateError',
        message: expect.stringContaining(
          `definition ${ref.hash} answers with another one`,
        ) as string,
      });
      expect(cache.peek(ref)).toBeUndefined();
      expect(await cache.get(ref, () => Promise.resolve(pinned))).toEqual(pinned);
    },
  );
});
