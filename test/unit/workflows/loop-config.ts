import type { AgentConfig } from '../../../src/protocol/activities';

/** Those of an agent that says nothing but who it is and what it runs on. */
export const config = (more: Partial<AgentConfig> = {}): AgentConfig => ({
  kind: 'agent',
  id: 'helper',
  model: { provider: 'p', model: 'm' },
  tools: [],
  ...more,
});
