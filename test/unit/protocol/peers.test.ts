// Pure: no server.
import { loadPeer, newestMinor, type Peer } from '../../../src/protocol/peers';
import manifest from '../../../package.json';

function notFound(module: string): Error {
  return Object.assign(new Error(`Cannot find module '${module}'\nRequire stack:\n- here.js`), {
    code: 'MODULE_NOT_FOUND',
  });
}

/** Longhaul itself never loads protobufjs. As a peer, Temporal's packages share one copy. */
const peers = Object.keys(manifest.peerDependencies).filter(
  (name): name is Peer => name !== 'protobufjs',
);
const testedVersion = (name: Peer): string => {
  const major = /^\^(\d+)\./.exec(manifest.peerDependencies[name])?.[1];
  return major ?? newestMinor;
};

/** A project on a newer version of the SDK needs that version. */
const sameVersion = (name: Peer): string =>
  name.startsWith('@temporalio/') ? ', or the version of your other @temporalio packages' : '';

describe('loadPeer', () => {
  it('gives what was loaded', () => {
    expect(loadPeer('pg', () => 7)).toBe(7);
  });

  it.each(peers)('says which command installs %s, in a version that is tested', (name) => {
    const load = () => {
      throw notFound(`${name}/some/part.js`);
    };

    expect(() => loadPeer(name, load)).toThrow(
      expect.objectContaining({
        code: 'PackageMissing',
        retryable: false,
        details: { package: name },
        message: expect.stringMatching(
          new RegExp(
            `needs the package ${name}, .*run \`npm install ${name}@${testedVersion(name)}\`${sameVersion(name)}$`,
          ),
        ) as string,
      }) as Error,
    );
  });

  it.each([
    ['a module that the package itself misses', notFound('ws')],
    ['a package whose name only begins alike', notFound('openai-edge')],
    ['a fault of the package', new TypeError('x is not a function')],
  ])('passes on %s', (_, error) => {
    const load = () => {
      throw error;
    };

    expect(() => loadPeer('openai', load)).toThrow(error);
  });
});

describe('package.json', () => {
  it('makes optional what a service that only starts runs does not need', () => {
    const optional = Object.keys(manifest.peerDependenciesMeta);
    expect(peers.filter((name) => !optional.includes(name))).toEqual([
      '@temporalio/client',
      '@temporalio/common',
      '@temporalio/envconfig',
    ]);
  });
});
