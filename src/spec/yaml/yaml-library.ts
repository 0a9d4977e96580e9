import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

const load = createRequire(__filename);

/** Loaded with the first spec: programs that define their agents in code never pay for it. */
export function yamlLibrary(): typeof Yaml {
  return load('yaml') as typeof Yaml;
}
