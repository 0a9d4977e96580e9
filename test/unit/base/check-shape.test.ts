// Pure: no server.
import { shapeProblem } from '../../../src/base/check-shape';
import { listOf, objectOf, text } from '../../../src/protocol/shapes';

it('looks no further than the first wrong item of a list that may be one of several things', () => {
  const list = listOf(objectOf({}));
  let looks = 0;
  const items = new Proxy(Array<number>(1_000).fill(0), {
    get: (target, name, receiver) => {
      looks += 1;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  expect(shapeProblem({ anyOf: [text, list] }, items)).toBeDefined();
  expect(looks).toBeLessThan(50);
});
