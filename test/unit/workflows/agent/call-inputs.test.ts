// Pure: no server.
import type { AgentConfig } from '../../../../src/protocol/activities';
import { besideModelCall } from '../../../../src/workflows/agent/call-inputs';
import { config } from '../loop-config';

const run = { session: { cart: 1, user: 'ada' }, context: { tenant: 't' }, iterations: 2 };

describe('what goes along with a model call', () => {
  it.each<{ name: string; agent: AgentConfig; expected: object }>([
    { name: 'nothing', agent: config(), expected: {} },
    {
      name: 'nothing for criteria that no code checks',
      agent: config({ criteria: [{ kind: 'keyword', keyword: 'x' }] }),
      expected: {},
    },
    {
      name: 'the rounds so far for custom criteria',
      agent: config({ criteria: [{ kind: 'custom', name: 'long' }] }),
      expected: { iteration: 2 },
    },
    {
      name: 'the keys that custom criteria declare',
      agent: config({ criteria: [{ kind: 'custom', name: 'long', session: ['cart'] }] }),
      expected: { session: { cart: 1 }, iteration: 2 },
    },
    {
      name: 'context, rounds and declared keys for callbacks',
      agent: config({ callbackSession: ['user'] }),
      expected: { session: { user: 'ada' }, context: { tenant: 't' }, iteration: 2 },
    },
  ])('is $name', ({ agent, expected }) => {
    expect(besideModelCall(agent, run)).toEqual(expected);
  });
});
