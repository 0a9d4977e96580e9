import type { ModelRef } from '../../protocol/spec';
import { parseModel } from '../model-ref';
import { quote } from '../../base/problem';

/** What potato-agent calls them. Other names are those of the worker's own providers. */
const potatoProviders: Readonly<Record<string, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  gemini: 'google',
  google: 'google',
  vertex: 'vertex',
};
const unusable = ['google_adk', 'googleadk', 'undefined'];

export type FileModel = { readonly model?: string | ModelRef; readonly provider?: string };

/** `field` is the one that is wrong. */
export type ParsedFileModel =
  | { readonly ok: true; readonly model: ModelRef }
  | { readonly ok: false; readonly field: 'model' | 'provider'; readonly message: string };

type Environment = Readonly<Record<string, string | undefined>>;

/** Names the provider that stands for itself, or before the model's name; else potato-agent's default one. */
export function readModel({ model, provider }: FileModel, env: Environment): ParsedFileModel {
  if (typeof model === 'object') {
    if (provider === undefined) return { ok: true, model };
    return { ok: false, field: 'provider', message: 'stands in the model, too: keep one of them' };
  }
  const name = model ?? '';
  const fallback = name.includes('/') ? undefined : env.POTATO_HEAD_DEFAULT_PROVIDER;
  const said = provider?.trim() || fallback?.trim() || undefined;
  if (said === undefined) {
    const parsed = parseModel(name);
    if (parsed.ok) return parsed;
    const instead = "name the provider under 'provider', or in POTATO_HEAD_DEFAULT_PROVIDER";
    return { ok: false, field: 'model', message: `${parsed.message}; or ${instead}` };
  }
  if (unusable.includes(said.toLowerCase())) {
    return { ok: false, field: 'provider', message: `is ${quote(said)}, which runs no agents` };
  }
  return { ok: true, model: { provider: providerName(said), model: name } };
}

function providerName(said: string): string {
  const name = said.toLowerCase();
  return Object.hasOwn(potatoProviders, name) ? (potatoProviders[name] ?? said) : said;
}
