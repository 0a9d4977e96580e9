// A handler in front of no server, and what a request gets from it.

import { agentHandler, type AgentHandlerOptions } from '../../../src/http';
import type { Longhaul } from '../../../src/client';
import type { StartOptions } from '../../../src/client/handles/longhaul';
import type { RunInput } from '../../../src/protocol/run';

type Started = { runner: unknown; input: RunInput['input']; options: StartOptions };

/** Only starts runs, and remembers with what. */
function fakeLonghaul(fail?: Error) {
  const started: Started[] = [];
  const start = async (runner: unknown, input: RunInput['input'], options: StartOptions) => {
    started.push({ runner, input, options });
    if (fail) throw fail;
    return { workflowId: 'support-1', warning: undefined };
  };
  const fake = { application: 'shop', client: {}, start };
  return { started, longhaul: fake as unknown as Longhaul };
}

export function setUp(options: Partial<AgentHandlerOptions> = {}, fail?: Error) {
  const { started, longhaul } = fakeLonghaul(fail);
  const errors: unknown[] = [];
  const handle = agentHandler(longhaul, {
    agents: ['support'],
    authenticate: () => ({ user: 'ada', roles: ['agent'], tenant: 'acme' }),
    onError: (error) => errors.push(error),
    ...options,
  });
  return { handle, started, errors };
}

export const json = { 'content-type': 'application/json' };

export function post(path: string, body: unknown, headers: Record<string, string> = json): Request {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Request(`http://agents.test${path}`, { method: 'POST', headers, body: text });
}

export function get(path: string, init: RequestInit = {}): Request {
  return new Request(`http://agents.test${path}`, init);
}

export async function problem(response: Response) {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const document = (await response.json()) as { status: number; code: string };
  expect(document.status).toBe(response.status);
  return document;
}
