// What to do about a call that failed: while it is tried again, and once the run has failed with it. Pure.

import { defined } from '../../base';
import { keyVariablesOf } from '../../protocol';

type Failed = {
  readonly code?: string;
  /** How a model's provider failed. */
  readonly kind?: string;
  /** Of the provider's HTTP response. */
  readonly status?: number;
  readonly provider?: string;
};

const byKind: Readonly<Record<string, string>> = {
  unavailable: "Check the provider's URL and that the worker's machine reaches it",
  rate_limited: 'Wait, or raise the rate limit at the provider',
  quota: "Raise the quota or the credit of the provider's account",
  context_length: 'Set `context` of the agent, so that its prompts get smaller in time',
};

const byCode: Readonly<Record<string, string>> = {
  StoreError: 'Check that the workers reach the store',
};

const notFound = 404;

/** What to do while the call is tried again. `what`: its name, such as `tool lookup`. */
export function retryRemedy(what: string, failed: Failed): string {
  const tool = /^tool (\S+)/.exec(what)?.[1];
  const model = /^model ([^/\s]+)\//.exec(what)?.[1];
  if (failed.code === 'NotRegisteredHere' && tool !== undefined)
    return `Start a worker that has tool '${tool}'; after a minute without one the model is told that it is gone.`;
  if (failed.code === 'NotRegisteredHere')
    return 'Deploy a worker that has it on this task queue; the run fails if none has it for a minute.';
  if (failed.code === 'AgentNotFound')
    return "Check the agent's id, or deploy a worker that has it; the run fails if none has it for a minute.";
  const known = remedyOf({ ...failed, ...defined({ provider: model }) });
  if (known !== undefined) return `${known}; the run goes on by itself then.`;
  const place = tool === undefined ? 'Mend what it calls' : "Mend the tool's code or what it calls";
  return `${place}: the workers' log has the whole error, and the call is tried again until its time is up.`;
}

/** What to do before the run is started again. Undefined if the error alone does not tell. */
export function endRemedy(failed: Failed): string | undefined {
  const known = remedyOf(failed);
  return known && `${known}; then start the run again.`;
}

function remedyOf({ code = '', kind = '', status, provider }: Failed): string | undefined {
  if (kind === 'auth') return keyRemedy(provider);
  if (status === notFound) return "Check the model's name and the `baseURL` of its provider";
  return byKind[kind] ?? byCode[code];
}

function keyRemedy(provider: string | undefined): string {
  if (provider === undefined) return 'Give the workers a valid API key and restart them';
  const names = keyVariablesOf(provider).join(' or ');
  return `Set a valid ${names} in the worker's environment, or \`apiKey\` in its providers, and restart it`;
}
