// Pure: no server.
import { actorOf } from '../../../../src/cli/session/actor';

describe('actorOf', () => {
  it.each([
    { as: 'ada', actor: { id: 'ada' } },
    { as: 'ada:finance,lead', actor: { id: 'ada', roles: ['finance', 'lead'] } },
    { as: 'user:ada:finance', actor: { id: 'user:ada', roles: ['finance'] } },
    { as: '{"id":"user:ada","name":"Ada"}', actor: { id: 'user:ada', name: 'Ada' } },
  ])('reads $as', ({ as, actor }) => {
    expect(actorOf({ as })).toEqual(actor);
  });

  it.each(['', ':finance', 'ada:', 'ada:finance,', '{"id"'])('refuses %j', (as) => {
    expect(() => actorOf({ as })).toThrow(/--as/);
  });
});
