// This file loads before any module that an older Node cannot load.

/** The same version as `engines` in package.json. */
const leastNode = '22.12';

/** The problem with this version of Node, if it is too old. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = leastNode.split('.').map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
  return `Longhaul needs Node ${leastNode} or later, and this is Node ${version}: install a newer Node.`;
}

/** Throws an error without a stack: the place of the import would tell nothing more. */
export function requireNode(version = process.version): void {
  const problem = nodeProblem(version);
  if (problem === undefined) return;
  const error = new Error(problem);
  error.stack = problem;
  throw error;
}
