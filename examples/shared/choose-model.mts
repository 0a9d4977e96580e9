import { startOfflineModel, type OfflineModel, type Pace } from './offline-model.mts';
import type { Script } from './script.mts';

export type ChosenModel = {
  /** `'provider/model'`. */
  readonly model: string;
  readonly description: string;
  readonly offline?: OfflineModel;
};

/** The first provider with a key is taken. */
const providers = [
  { key: 'OPENAI_API_KEY', provider: 'openai', model: 'gpt-6.1-terra' },
  { key: 'ANTHROPIC_API_KEY', provider: 'anthropic', model: 'claude-haiku-5-5' },
  { key: 'GEMINI_API_KEY', provider: 'google', model: 'gemini-flash-latest' },
] as const;

/** `LONGHAUL_DEMO_MODEL` names another model of that provider, or with a slash any `provider/model`. Without a key: the script. */
export async function chooseModel(script: Script, pace?: Pace): Promise<ChosenModel> {
  const { env } = process;
  const wanted = env['LONGHAUL_DEMO_MODEL'];
  const found = providers.find(({ key }) => env[key]);
  if (wanted?.includes('/'))
    return { model: wanted, description: `${wanted} (LONGHAUL_DEMO_MODEL)` };
  if (found !== undefined) {
    const model = `${found.provider}/${wanted || found.model}`;
    return { model, description: `${model} (${found.key} is set)` };
  }
  const keys = providers.map(({ key }) => key).join(', ');
  return {
    model: 'openai/offline-script',
    description: `offline: a script speaks OpenAI's Responses API in place of a model. For a real one set one of ${keys}.`,
    offline: await startOfflineModel(script, pace),
  };
}
