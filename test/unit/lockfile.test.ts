// Pure: no server.
import lock from '../../package-lock.json';

type Entry = { resolved?: string; version?: string; optionalDependencies?: Record<string, string> };
const packages: [string, Entry][] = Object.entries(lock.packages);

describe('package-lock.json', () => {
  it('names no registry', () => {
    expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  it('has every optional package, without which npm ci fails on a partial mirror: run scripts/complete-lockfile.mjs', () => {
    const names = packages.flatMap(([, entry]) => Object.keys(entry.optionalDependencies ?? {}));
    const missing = names.filter((name) => !packages.some(([path]) => path.endsWith(`/${name}`)));
    expect(missing).toEqual([]);
  });

  it('shares one protobufjs among the Temporal packages, which check its types by identity', () => {
    const nested = packages.filter(([path]) =>
      /@temporalio\/[^/]+\/node_modules\/protobufjs$/.test(path),
    );
    expect(nested).toEqual([]);
  });
});
