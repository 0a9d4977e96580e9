// Packages that only those install who use them: the optional peers of package.json. Each is loaded when it is first needed.

import { PackageMissing } from './error-classes';

/** What needs each of them, and the major version that is tested. */
const packages = {
  openai: { user: 'A provider that speaks an OpenAI API', major: 7 },
  '@anthropic-ai/sdk': { user: 'A provider that speaks the Anthropic API', major: 1 },
  '@google/genai': { user: 'A provider that speaks the Google API', major: 3 },
  '@modelcontextprotocol/sdk': { user: 'A worker with MCP servers', major: 1 },
  pg: { user: 'PostgresStores', major: 8 },
} as const;

export type OptionalPackage = keyof typeof packages;

/**
 * Runs `load`, which requires or resolves a module of the package. Throws `PackageMissing` with the command that installs it when the
 * package itself is not there; any other error passes.
 */
export function loadOptional<Loaded>(name: OptionalPackage, load: () => Loaded): Loaded {
  try {
    return load();
  } catch (error) {
    if (!isMissing(name, error)) throw error;
    const { user, major } = packages[name];
    const message = `${user} needs the package ${name}, which is not installed: run \`npm install ${name}@${major}\``;
    throw new PackageMissing(message, { cause: error, details: { package: name } });
  }
}

/** A module that the package itself does not find is another matter. */
function isMissing(name: OptionalPackage, error: unknown): boolean {
  const { code, message } = Object(error) as {
    readonly code?: unknown;
    readonly message?: unknown;
  };
  const [, missing = ''] = /^Cannot find module '([^']+)'/.exec(String(message)) ?? [];
  return code === 'MODULE_NOT_FOUND' && (missing === name || missing.startsWith(`${name}/`));
}
