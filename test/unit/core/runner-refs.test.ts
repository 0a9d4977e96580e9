// Pure: no server.
import { namedById, runnerRefs } from '../../../src/core/runner-refs';
import type { RunnerSpec } from '../../../src/protocol/spec';

const inner = { kind: 'agent', id: 'inner', model: 'acme/one' } as unknown as RunnerSpec;

const specs: readonly { readonly spec: object; readonly pinned: object }[] = [
  {
    spec: { kind: 'agent', id: 'a', subAgents: [{ runner: inner, name: 'ask' }] },
    pinned: { kind: 'agent', id: 'a', subAgents: [{ runner: 'inner', name: 'ask' }] },
  },
  {
    spec: { kind: 'sequential', id: 's', steps: [inner, 'inner'], passOutput: true },
    pinned: { kind: 'sequential', id: 's', steps: ['inner', 'inner'], passOutput: true },
  },
  {
    spec: { kind: 'parallel', id: 'p', branches: ['inner', inner] },
    pinned: { kind: 'parallel', id: 'p', branches: ['inner', 'inner'] },
  },
  {
    spec: { kind: 'graph', id: 'g', tasks: [{ id: 't', runner: inner, maxRetries: 1 }] },
    pinned: { kind: 'graph', id: 'g', tasks: [{ id: 't', runner: 'inner', maxRetries: 1 }] },
  },
];

describe('the runners that a runner names', () => {
  it.each(specs)('are ids where it is pinned, and the rest stays: $pinned', ({ spec, pinned }) => {
    const named = namedById(spec as RunnerSpec);
    expect(named).toEqual(pinned);
    expect(runnerRefs(named)).toEqual(runnerRefs(spec as RunnerSpec).map(() => 'inner'));
  });

  it('are none of an agent without sub-agents', () => {
    expect(runnerRefs(inner)).toEqual([]);
    expect(namedById(inner)).toBe(inner);
  });
});
