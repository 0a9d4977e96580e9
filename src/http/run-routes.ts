// Routes of runs: start, lists, state, transcript, messages, cancel.

import { createHash } from 'node:crypto';
import type { RunSummary } from '../client/index';
import { canonicalJson, defined } from '../base';
import { hasCode, objectOf, type Shape } from '../protocol';
import { firstOf, json, done, responses } from './answers';
import { broughtTools, toolsTaken } from './client-tools';
import { clientTools, id, messageText, oneOf, reason, userInput, wholeNumber } from './bodies';
import { visibleKey } from './principal';
import type { Call, Route } from './route';
import { shownListed, shownReport } from './run-report';
import { readQuery } from './shapes';

const statuses = ['loading', 'running', 'needs-input', 'completed', 'failed', 'cancelled'] as const;

export const limitParameter = {
  description: 'how many, a whole number from 1 to 200; default 50',
  schema: wholeNumber(1, 200),
};

export const agentParameter = { description: 'the id of an agent', schema: id };

const listQuery = {
  agent: agentParameter,
  status: { description: `one of ${statuses.join(', ')}`, schema: oneOf(...statuses) },
  limit: limitParameter,
};

const startBody = objectOf({ input: userInput }, { requestId: id, clientTools });

const messageBody = objectOf(
  { text: messageText },
  { when: oneOf('next', 'now'), path: id, messageId: id },
);

export const runRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/:agent/runs',
    handle: start,
    takes: startBody,
    operation: {
      summary: 'Starts a run',
      description:
        'A request with a known requestId of the same user finds the run that the first one started, unless that run failed.',
      responses: { ...responses(201, 'The run'), ...responses(200, 'The run is there already') },
    },
  },
  {
    method: 'GET',
    path: '/runs',
    handle: listRuns,
    query: listQuery,
    operation: { summary: 'Runs, the newest first', responses: responses(200, 'Runs') },
  },
  {
    method: 'GET',
    path: '/runs/:id',
    handle: state,
    operation: {
      summary: 'The state of a run or thread; of a run that has ended also its result or error',
      description:
        'retrying lists the calls that failed and are tried again: what, attempt, code and nextAt. waitsFor says what holds the run up.',
      responses: responses(200, 'The state'),
    },
  },
  {
    method: 'GET',
    path: '/runs/:id/transcript',
    handle: transcript,
    operation: { summary: 'The conversation so far', responses: responses(200, 'Messages') },
  },
  {
    method: 'POST',
    path: '/runs/:id/messages',
    handle: send,
    takes: messageBody,
    operation: {
      summary: 'Says something to the agent while it works',
      responses: responses(200, 'The id of the message'),
    },
  },
  {
    method: 'POST',
    path: '/runs/:id/cancel',
    handle: cancel,
    takes: objectOf({}, { reason }),
    operation: {
      summary: 'Cancels a run and the runs below it',
      responses: responses(204, 'The run ends in a moment'),
    },
  },
];

async function start(call: Call): Promise<Response> {
  const { app, key, actor: by, params } = call;
  const { agent = '' } = params;
  const body = (await call.body()) as object as Shape<typeof startBody>;
  const { input, requestId } = body;
  const tools = await broughtTools(call, body);
  const workflowId = requestId === undefined ? undefined : startId(call, agent, requestId);
  const options = {
    ...(await call.backend()),
    ...defined({ workflowId }),
    ...tools,
  };
  try {
    const run = await app.longhaul.start(agent, input, { ...options, key, by });
    await toolsTaken(call, { workflowId: run.workflowId, started }, tools);
    const warning = run.warning && { warning: run.warning.code };
    return json({ workflowId: run.workflowId, ...warning }, 201);
  } catch (error) {
    if (workflowId === undefined || !hasCode(error, 'RunAlreadyExists')) throw error;
    return json({ workflowId });
  }
}

/** A run begins at once. */
const started = (): Promise<void> => Promise.resolve();

/** The workflow id for a request id. The key is part of it, so another principal's request never gets this id. */
function startId({ key }: Call, agent: string, requestId: string): string {
  const whole = canonicalJson(['start', key, agent, requestId]);
  return `${agent}-${createHash('sha256').update(whole).digest('hex').slice(0, 32)}`;
}

async function listRuns({ app, principal, url }: Call): Promise<Response> {
  const { limit = 50, agent, status } = readQuery(listQuery, url);
  const runs = app.longhaul.runs({
    key: visibleKey(app.appName, principal),
    ...defined({ agent, status }),
  });
  const passes = (run: RunSummary): boolean => app.agents.includes(run.agent);
  const { first, more } = await firstOf(runs, { limit, passes });
  const shown = first.map((run) => shownListed(run, principal));
  return json({ runs: shown, more });
}

async function state({ run, principal, params }: Call): Promise<Response> {
  const handle = await run(params['id'] ?? '');
  const { workflowId } = handle;
  return json({ workflowId, ...shownReport(await handle.state(), principal) });
}

async function transcript(call: Call): Promise<Response> {
  const run = await call.run(call.params['id'] ?? '', 'run');
  return json({ messages: await run.transcript() });
}

async function send(call: Call): Promise<Response> {
  const { text, ...options } = (await call.body()) as Shape<typeof messageBody>;
  const run = await call.run(call.params['id'] ?? '', 'run');
  const reply = await run.send(text, { ...options, by: call.actor });
  call.app.streams.wake(run.workflowId);
  return json(reply);
}

async function cancel(call: Call): Promise<Response> {
  const body = await call.body();
  const run = await call.run(call.params['id'] ?? '', 'run');
  await run.cancel(body['reason'] as string | undefined, { by: call.actor });
  call.app.streams.wake(run.workflowId);
  return done();
}
