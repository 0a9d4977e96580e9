// Pure: no server.
import { shapeProblems } from '../../../src/base/check-shape';

it('looks no further than the first wrong item of a list that may be one of several things', () => {
  const list = { type: 'array', items: { type: 'object', properties: {} } };
  let looks = 0;
  const items = new Proxy(Array<number>(1_000).fill(0), {
    get: (target, name, receiver) => {
      looks += 1;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  expect(shapeProblems({ anyOf: [{ type: 'string' }, list] }, items)).toHaveLength(1);
  expect(looks).toBeLessThan(50);
});
