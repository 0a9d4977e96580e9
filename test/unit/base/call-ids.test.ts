// Pure: no server.
import { CallIds } from '../../../src/base/call-ids';

describe('CallIds', () => {
  it('numbers an id that the request has already, over all its turns', () => {
    const ids = new CallIds();
    ids.startTurn();
    expect([ids.unused('c'), ids.unused('c')]).toEqual(['c', 'c_2']);
    ids.startTurn();
    expect([ids.unused('c'), ids.unused('c.1', 'c')]).toEqual(['c_3', 'c_4']);
    expect([ids.asIs('d'), ids.unused('d')]).toEqual(['d', 'd_2']);
  });

  it('gives results the ids of the calls of their turn, in order', () => {
    const ids = new CallIds();
    ids.startTurn();
    ids.unused('c');
    ids.startTurn();
    ids.unused('c');
    ids.unused('c');
    expect([ids.result('c'), ids.result('c'), ids.result('c')]).toEqual(['c_2', 'c_3', 'c']);
    expect(ids.result('unknown')).toBe('unknown');
  });
});
