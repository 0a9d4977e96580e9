import type { Json, JsonObject } from '../../base/json';
import { isJsonObject } from '../../base/json';
import { quote } from '../../base/problem';
import type { ModelRef } from '../../protocol/spec';
import { parse } from '../problems/from-zod';
import { model as modelField } from '../schema/parts';
import type { Environment } from './env';

/** What potato-agent calls them. Other names are those of the worker's own providers. */
const potatoProviders: Readonly<Record<string, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  gemini: 'google',
  google: 'google',
  vertex: 'vertex',
};
const unusable = ['google_adk', 'googleadk', 'undefined'];

/** `field` is the one that is wrong. */
export type FileModel =
  | { readonly ok: true; readonly model: ModelRef }
  | { readonly ok: false; readonly field: 'model' | 'provider'; readonly message: string };

/**
 * The provider is named by `provider`, or before the name of the model, or is the default one of potato-agent. The fields have the
 * shapes that files may give them.
 */
export function readModel({ model = '', provider }: JsonObject, env: Environment): FileModel {
  if (isJsonObject(model)) {
    if (provider === undefined) return { ok: true, model: model as unknown as ModelRef };
    return { ok: false, field: 'provider', message: 'stands in the model, too: keep one of them' };
  }
  const name = model as string;
  const fallback = name.includes('/') ? undefined : env.POTATO_HEAD_DEFAULT_PROVIDER;
  const said = textOf(provider) ?? textOf(fallback);
  if (said === undefined) return withProvider(name);
  if (unusable.includes(said.toLowerCase())) {
    return { ok: false, field: 'provider', message: `is ${quote(said)}, which runs no agents` };
  }
  return { ok: true, model: { provider: providerName(said), model: name } };
}

function withProvider(name: string): FileModel {
  const parsed = parse(modelField, name);
  if (parsed.ok) return { ok: true, model: parsed.value };
  const message = `must be 'provider/model', such as 'openai/gpt-6.1-terra', not ${quote(name)}; or name the provider under 'provider', or in POTATO_HEAD_DEFAULT_PROVIDER`;
  return { ok: false, field: 'model', message };
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function providerName(said: string): string {
  const name = said.toLowerCase();
  return Object.hasOwn(potatoProviders, name) ? (potatoProviders[name] ?? said) : said;
}
