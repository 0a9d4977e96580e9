// Reads the keys of adapters, from the configuration or from variables of the environment.

import { ProviderError } from '../protocol';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of a variable; undefined if it is empty. */
export function readVariable(environment: Environment, variable: string): string | undefined {
  return environment[variable]?.trim() || undefined;
}

/** The error for a missing key. It names the variables, never a value. */
export function missingKey(provider: string, variables: readonly string[]): ProviderError {
  const names = variables.join(' or ');
  const message = `${provider}: no API key. Set ${names} in the worker's environment, or apiKey in its providers option.`;
  return new ProviderError('auth', message, { provider });
}
