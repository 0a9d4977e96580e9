// Pure: no server.
import lock from '../../package-lock.json';
import manifest from '../../package.json';

type Entry = {
  resolved?: string;
  version?: string;
  license?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};
const entries: Record<string, Entry> = lock.packages;
const packages: [string, Entry][] = Object.entries(entries);

/** Licences that ask for no more than that their text is kept. */
const allowed = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
];

/** What somebody installs with Longhaul who installs nothing else: its dependencies, and the peers that nobody may leave out. */
const installed = [
  ...Object.keys(manifest.dependencies),
  ...Object.keys(manifest.peerDependencies).filter(
    (name) => !(name in manifest.peerDependenciesMeta),
  ),
];

/** The places of packages and of all that they depend on, as Node would find them. */
function treeOf(names: readonly string[], from = '', found = new Set<string>()): Set<string> {
  for (const name of names) {
    const place = placeOf(name, from);
    if (found.has(place)) continue;
    found.add(place);
    treeOf(Object.keys(entries[place]?.dependencies ?? {}), place, found);
  }
  return found;
}

function placeOf(name: string, from: string): string {
  const place = `${from}${from && '/'}node_modules/${name}`;
  if (place in entries) return place;
  if (from === '') throw new Error(`the lock file has no ${name}`);
  return placeOf(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))));
}

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

  it('installs nothing with Longhaul whose licence asks for more than to be kept', () => {
    const tree = treeOf(installed);
    expect(tree.size).toBeGreaterThan(installed.length);
    const licences = [...tree].map((place) => [place, entries[place]?.license ?? 'none'] as const);
    expect(licences.filter(([, licence]) => !allowed.includes(licence))).toEqual([]);
  });
});
