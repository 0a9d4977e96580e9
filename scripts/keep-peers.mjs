// Makes the packages that users install beside this one its dependencies, so that `npm prune --omit=dev` keeps them: for the image,
// which has all of them. Changes package.json of the folder it runs in.
import { readFileSync, writeFileSync } from 'node:fs';

const {
  peerDependencies,
  peerDependenciesMeta: _,
  ...rest
} = JSON.parse(readFileSync('package.json', 'utf8'));
const isPeer = ([name]) => Object.hasOwn(peerDependencies, name);
const devDependencies = Object.entries(rest.devDependencies).filter((entry) => !isPeer(entry));
const manifest = {
  ...rest,
  dependencies: { ...rest.dependencies, ...peerDependencies },
  devDependencies: Object.fromEntries(devDependencies),
};
writeFileSync('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
