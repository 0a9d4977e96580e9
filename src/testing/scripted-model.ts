import { setTimeout as delay } from 'node:timers/promises';
import { ProviderError } from '../protocol/errors';
import type { Message } from '../protocol/message';
import type {
  CallOptions,
  ModelProvider,
  ModelRequest,
  ModelResponse,
} from '../providers/provider';
import { deepFreeze } from '../base/plain-json';
import { streamDeltas } from './scripted-deltas';
import { plainStep, toResponse, type ScriptedStep } from './scripted-step';

export type ScriptedModelOptions = {
  /** The provider's name; `scripted` by default. */
  readonly name?: string;
  /**
   * Runs that share the model each get the whole script: `'conversation'` tells them apart by the text of their first user
   * message, a function by whatever it returns for the request.
   */
  readonly per?: 'conversation' | ((request: ModelRequest) => string);
};

export interface ScriptedModel extends ModelProvider {
  /** Every request so far, in order, as it was: frozen copies. */
  readonly requests: readonly ModelRequest[];
  /** Throws when a script has steps that no call took, naming the first of them. */
  assertConsumed(): void;
}

/**
 * A model provider that answers from a script, one step a call, and needs no network. A call beyond the script fails for good.
 *
 * @example
 * const model = scriptedModel([
 *   { toolCalls: [{ name: 'get_weather', args: { city: 'Paris' } }] },
 *   'It is sunny in Paris.',
 * ]);
 */
export function scriptedModel(
  steps: readonly ScriptedStep[],
  { name = 'scripted', per }: ScriptedModelOptions = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  const taken = new Map<string, number>();

  const takeStep = (
    request: ModelRequest,
  ): { readonly step: ScriptedStep; readonly number: number } => {
    const conversation = conversationOf(request, per);
    const number = (taken.get(conversation) ?? 0) + 1;
    const step = steps[number - 1];
    if (step === undefined) throw exhausted(steps.length, number, request);
    taken.set(conversation, number);
    return { step, number };
  };

  const call = async (request: ModelRequest, options: CallOptions): Promise<ModelResponse> => {
    options.signal.throwIfAborted();
    const recorded = deepFreeze(structuredClone(request));
    requests.push(recorded);
    const { step, number } = takeStep(recorded);
    const plain = await plainStep(step, recorded);
    if (plain.delayMs !== undefined) await pause(plain.delayMs, options.signal);
    if ('error' in plain) throw plain.error;
    const response = toResponse(plain, { provider: name, model: request.model, number });
    return { ...response, content: streamDeltas(response.content, options) };
  };

  const assertConsumed = (): void => {
    const scripts = taken.size === 0 ? [['', 0] as const] : [...taken];
    const unfinished = scripts.find(([, count]) => count < steps.length);
    if (unfinished === undefined) return;
    const [conversation, count] = unfinished;
    const where =
      per === undefined || conversation === '' ? '' : ` in conversation ${shown(conversation)}`;
    throw new Error(
      `scriptedModel: step ${count + 1} of ${steps.length} was never asked for${where}: ${describeStep(steps[count])}`,
    );
  };

  return { name, requests, call, assertConsumed };
}

function conversationOf(request: ModelRequest, per: ScriptedModelOptions['per']): string {
  if (per === undefined) return '';
  if (typeof per === 'function') return per(request);
  const first = request.messages.find((message) => message.role === 'user');
  return first === undefined ? '' : textOf(first);
}

/** Resolves after real time, or rejects with the signal's reason. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

function exhausted(length: number, number: number, request: ModelRequest): ProviderError {
  const last = request.messages.at(-1);
  const message = last === undefined ? 'none' : `${last.role} ${shown(textOf(last))}`;
  return new ProviderError(
    'rejected',
    `scriptedModel: step ${number} was asked for, the script has ${length}. Last message of the request: ${message}`,
  );
}

function textOf(message: Message): string {
  const texts = message.parts.map((part) =>
    part.type === 'text' ? part.text : JSON.stringify(part),
  );
  return texts.join('');
}

function describeStep(step: ScriptedStep | undefined): string {
  if (typeof step === 'function') return 'a function';
  if (typeof step === 'object' && 'error' in step) return `error ${shown(step.error.message)}`;
  return shown(typeof step === 'string' ? step : JSON.stringify(step));
}

function shown(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
