// The environment variables with the keys of providers. Adapters read them, and messages for people name them.

const ofBuiltIns: Readonly<Record<string, readonly string[]>> = {
  openai: ['OPENAI_API_KEY'],
  'openai-chat': ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
  google: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  gemini: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  vertex: ['GOOGLE_CLOUD_PROJECT', 'GOOGLE_API_KEY'],
};

export const builtInKeyVariables: readonly string[] = [
  ...new Set(Object.values(ofBuiltIns).flat()),
];

/** The variable with the key of a provider that the user named: `MY_GATEWAY_API_KEY` for `my-gateway`. */
export function keyVariable(provider: string): string {
  return `${provider.toUpperCase().replace(/[^A-Z0-9]/g, '_')}_API_KEY`;
}

/** The variables of which a provider needs one. */
export function keyVariablesOf(provider: string): readonly string[] {
  const known = Object.hasOwn(ofBuiltIns, provider) ? ofBuiltIns[provider] : undefined;
  return known ?? [keyVariable(provider)];
}
