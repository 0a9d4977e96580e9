import { missingKey } from '../errors';
import type { ProviderConfig } from '../provider';

type Environment = Readonly<Record<string, string | undefined>>;

/** Keys and tokens the SDK finds in the environment by itself, and what tells it of a profile or a workload identity. */
const secretVariables = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'] as const;
const otherVariables = ['ANTHROPIC_PROFILE', 'ANTHROPIC_FEDERATION_RULE_ID'] as const;

/** `apiKey` undefined: the SDK reads the environment. `secrets` are taken out of every message. */
export type Credentials = {
  readonly apiKey: string | undefined;
  readonly secrets: readonly string[];
  /** What is missing, if nothing at all was found. */
  readonly missing: string | undefined;
};

/**
 * A provider under another name reads a key of its own first, and a server of another name never gets Anthropic's; a
 * local one may need none.
 */
export function anthropicCredentials(
  name: string,
  config: ProviderConfig,
  environment: Environment = process.env,
): Credentials {
  const isBuiltIn = name === 'anthropic';
  const ownVariable = `${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}_API_KEY`;
  const given = config.apiKey ?? (isBuiltIn ? undefined : said(environment[ownVariable]));
  const isElsewhere = !isBuiltIn && config.baseURL !== undefined;
  const apiKey = given ?? (isElsewhere ? 'none' : undefined);
  const headers = Object.entries(config.headers ?? {});
  const inHeaders = headers.some(([header]) => /^(?:x-api-key|authorization)$/i.test(header));
  const fromEnvironment = secretVariables.map((variable) => said(environment[variable]));
  const found =
    apiKey !== undefined ||
    inHeaders ||
    [...fromEnvironment, ...otherVariables.map((variable) => said(environment[variable]))].some(
      (value) => value !== undefined,
    );
  const variables = isBuiltIn ? ['ANTHROPIC_API_KEY'] : [ownVariable, 'ANTHROPIC_API_KEY'];
  return {
    apiKey,
    secrets: [given, ...fromEnvironment, ...headers.map(([, value]) => value)].filter(
      (value) => value !== undefined,
    ),
    missing: found ? undefined : missingKey(name, variables).message,
  };
}

function said(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}
