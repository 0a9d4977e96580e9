// The machine that this process runs on: its Node, its programs, and the folder that keeps what Longhaul fetches. Loads no package.
export { buildOnce, cacheFolder, makePrivate } from './cache-folder';
export { nodeProblem } from './node-version';
export { packageVersion } from './package-version';
export { checkTrusted } from './trusted-file';
