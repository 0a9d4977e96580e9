// Pure: no server.
import manifest from '../../../../package.json';
import { nodeProblem, requireNode } from '../../../../src/server/machine/node-version';

describe('nodeProblem', () => {
  it.each(['v22.12.0', 'v22.18.0', 'v24.0.0', manifest.engines.node.replace('>=', 'v')])(
    'takes %s',
    (version) => {
      expect(nodeProblem(version)).toBeUndefined();
    },
  );

  it.each(['v18.20.8', 'v20.20.2', 'v22.11.9'])(
    'says in one sentence that %s is too old',
    (version) => {
      expect(nodeProblem(version)).toBe(
        `Longhaul needs Node 22.12 or later, and this is Node ${version}: install a newer Node.`,
      );
    },
  );
});

describe('requireNode', () => {
  it('throws the sentence without a stack', () => {
    expect(() => requireNode('v20.20.2')).toThrow(
      expect.objectContaining({ stack: nodeProblem('v20.20.2') }) as Error,
    );
    expect(() => requireNode()).not.toThrow();
  });
});
