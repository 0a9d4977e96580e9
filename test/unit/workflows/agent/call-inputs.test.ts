// Pure: no server.
import type { AgentConfig, ToolConfig } from '../../../../src/protocol/activities';
import { besideModelCall } from '../../../../src/workflows/agent/call-inputs';
import { config } from '../loop-config';

const run = {
  origin: 'o',
  session: { cart: 1, user: 'ada' },
  context: { tenant: 't' },
  iterations: 2,
};
const inline = { inline: { origin: 'o' }, context: { tenant: 't' } };
const withTool = (tool: Partial<ToolConfig>, more: Partial<AgentConfig> = {}): AgentConfig =>
  config({ tools: [{ name: 'read', ...tool }], ...more });

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
    {
      name: 'origin, context and keys of an inline tool',
      agent: withTool({ inline: true, session: ['cart'] }),
      expected: { ...inline, session: { cart: 1 } },
    },
    {
      name: 'the same for tools that read, if the agent runs these inline',
      agent: withTool({ effect: 'read', session: ['cart'] }, { inlineReads: true }),
      expected: { ...inline, session: { cart: 1 } },
    },
    {
      name: 'the same for a tool that decides itself what a person must approve',
      agent: withTool({ inline: true, needsApproval: 'ask' }),
      expected: inline,
    },
    {
      name: 'the same in the last round',
      agent: withTool({ inline: true }, { maxIterations: 3 }),
      expected: inline,
    },
    {
      name: 'nothing once the rounds are used up',
      agent: withTool({ inline: true, session: ['cart'] }, { maxIterations: 2 }),
      expected: {},
    },
    {
      name: 'nothing for a tool that reads, if the tool says no',
      agent: withTool({ effect: 'read', inline: false }, { inlineReads: true }),
      expected: {},
    },
    ...[
      { name: 'a tool that writes', tool: { effect: 'idempotent' } },
      { name: 'a tool that says nothing of its effect', tool: {} },
      { name: 'one attempt', tool: { effect: 'read', retry: { maximumAttempts: 1 } } },
      { name: 'each call approved', tool: { effect: 'read', needsApproval: true } },
      { name: 'an activity of the user', tool: { effect: 'read', activity: { type: 'read' } } },
    ].map(({ name, tool }) => ({
      name: `nothing for ${name}, if the agent runs reads inline`,
      agent: withTool(
        { ...(tool as Partial<ToolConfig>), session: ['cart'] },
        { inlineReads: true },
      ),
      expected: {},
    })),
    {
      name: 'nothing for a tool with effect once, whatever it says',
      agent: withTool({ effect: 'once', inline: true }),
      expected: {},
    },
  ])('is $name', ({ agent, expected }) => {
    expect(besideModelCall(agent, run)).toEqual(expected);
  });
});
