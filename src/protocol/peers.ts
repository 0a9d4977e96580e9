// The peers of package.json. Most are optional: users install what they need, and Longhaul loads them at first use.

import { LonghaulError } from './errors';

/**
 * Minor versions of Temporal's SDK that this package is tested with. The newest built the workflow bundle that comes with it. A newer one
 * runs, too: its workers bundle the workflows at start and log that it is not tested.
 */
export const testedMinors = ['1.23', '1.24'] as const;

export const newestMinor = testedMinors[1];

/** The feature that needs a package, and the version for `npm install`. */
const peers = {
  '@temporalio/activity': { user: 'longhaul/worker', version: newestMinor },
  '@temporalio/client': { user: 'longhaul/client', version: newestMinor },
  '@temporalio/common': { user: 'longhaul/client', version: newestMinor },
  '@temporalio/envconfig': { user: 'longhaul/client', version: newestMinor },
  '@temporalio/testing': { user: 'longhaul/testing', version: newestMinor },
  '@temporalio/worker': { user: 'longhaul/worker', version: newestMinor },
  '@temporalio/workflow': { user: 'longhaul/worker', version: newestMinor },
  openai: { user: 'A provider that speaks an OpenAI API', version: '7' },
  '@anthropic-ai/sdk': { user: 'A provider that speaks the Anthropic API', version: '1' },
  '@google/genai': { user: 'A provider that speaks the Google API', version: '3' },
  '@modelcontextprotocol/sdk': { user: 'A worker with MCP servers', version: '1' },
  '@opentelemetry/api': { user: 'openTelemetry()', version: '1' },
  pg: { user: 'A store in PostgreSQL', version: '8' },
  '@aws-sdk/client-s3': { user: 'S3Results', version: '3' },
} as const;

export type Peer = keyof typeof peers;

/**
 * Runs `load`, which requires or resolves a module of the package. If the package is not installed, throws `PackageMissing` with the
 * command that installs it. Other errors pass.
 */
export function loadPeer<Loaded>(name: Peer, load: () => Loaded): Loaded {
  try {
    return load();
  } catch (error) {
    if (!isMissing(name, error)) throw error;
    const { user, version } = peers[name];
    const same =
      version === newestMinor ? ', or the version of your other @temporalio packages' : '';
    const message = `${user} needs the package ${name}, which is not installed: run \`npm install ${name}@${version}\`${same}`;
    throw new LonghaulError('PackageMissing', message, {
      cause: error,
      details: { package: name },
    });
  }
}

/** False for a module that the package itself does not find. */
function isMissing(name: Peer, error: unknown): boolean {
  const { code, message } = Object(error) as {
    readonly code?: unknown;
    readonly message?: unknown;
  };
  const [, missing = ''] = /^Cannot find module '([^']+)'/.exec(String(message)) ?? [];
  return code === 'MODULE_NOT_FOUND' && (missing === name || missing.startsWith(`${name}/`));
}
