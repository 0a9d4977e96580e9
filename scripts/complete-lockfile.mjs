// Adds to package-lock.json, here, in bench/peers and in site, the builds for other platforms that a partial registry mirror does not carry.
// Without them `npm ci` refuses the lock file there, although it would install none of them. Run it after npm install.
import { readFileSync, writeFileSync } from 'node:fs';

const LIBC = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' };
const folders = ['..', '../bench/peers', '../site'];

function platformBuild(name, version, dev) {
  const platform = /(android|darwin|freebsd|linux|openharmony|win32)-(\w+)(?:-(\w+))?$/.exec(name);
  if (!platform || !/^\d/.test(version)) return undefined;
  const [, os, cpu, abi] = platform;
  const libc = os === 'linux' && LIBC[abi] ? { libc: [LIBC[abi]] } : {};
  return { version, cpu: [cpu], ...(dev && { dev }), ...libc, optional: true, os: [os] };
}

for (const folder of folders) complete(new URL(`${folder}/package-lock.json`, import.meta.url));

function complete(path) {
  const lock = JSON.parse(readFileSync(path, 'utf8'));
  for (const [parent, { dev, optionalDependencies = {} }] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const places = [`${parent}/node_modules/${name}`, `node_modules/${name}`];
      const build = platformBuild(name, version, dev);
      if (build === undefined || places.some((place) => lock.packages[place])) continue;
      lock.packages[`node_modules/${name}`] = build;
      console.log(`added ${name}@${version}`);
    }
  }
  const packages = Object.entries(lock.packages).sort(([one], [other]) =>
    one.localeCompare(other, 'en'),
  );
  writeFileSync(
    path,
    `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`,
  );
}
