import { createRequire } from 'node:module';
import type * as clientModule from '@modelcontextprotocol/sdk/client/index.js';
import type * as stdioModule from '@modelcontextprotocol/sdk/client/stdio.js';
import type * as httpModule from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type * as typesModule from '@modelcontextprotocol/sdk/types.js';
import { loadPeer } from '../../protocol/peers';

type Sdk = typeof clientModule & typeof stdioModule & typeof httpModule & typeof typesModule;

const name = '@modelcontextprotocol/sdk';
const modules = ['client/index.js', 'client/stdio.js', 'client/streamableHttp.js', 'types.js'];
const load = createRequire(__filename);
let sdk: Sdk | undefined;

/** Loaded with the first server: most workers have none. */
export function loadMcpSdk(): Sdk {
  return (sdk ??= loadPeer(name, () => {
    const loaded = modules.map((module) => load(`${name}/${module}`) as object);
    return Object.assign({}, ...loaded) as Sdk;
  }));
}

/** Throws `PackageMissing` when the SDK is not installed, and loads nothing. */
export function requireMcpSdk(): void {
  loadPeer(name, () => load.resolve(`${name}/types.js`));
}
