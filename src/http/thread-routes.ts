// Routes of threads. A chat is the principal's own: `:chat` is the `sessionId` of its key.

import { defined } from '../base';
import type { ThreadHandle, ThreadSummary } from '../client/index';
import { objectOf, type Shape } from '../protocol';
import { done, firstOf, json, responses } from './answers';
import { broughtTools, toolsTaken } from './client-tools';
import { clientTools, id, oneOf, userInput, wholeNumber } from './bodies';
import { visibleKey } from './principal';
import type { Call, Principal, Route } from './route';
import { shownListed, shownReport, shownTurn } from './run-report';
import { agentParameter, limitParameter } from './run-routes';
import { say } from './segment';
import { readQuery } from './shapes';

const listQuery = { agent: agentParameter, limit: limitParameter };

const turnsQuery = {
  last: {
    description: 'how many of the newest turns, a whole number from 1 to 200',
    schema: wholeNumber(1, 200),
  },
};

const messageBody = objectOf(
  { input: userInput },
  { messageId: id, whenBusy: oneOf('queue', 'reject', 'interrupt', 'steer'), clientTools },
);

export const threadRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/threads',
    handle: list,
    query: listQuery,
    operation: { summary: 'Open threads, the newest first', responses: responses(200, 'Threads') },
  },
  {
    method: 'GET',
    path: '/:agent/:chat',
    handle: state,
    operation: { summary: 'The state of a thread', responses: responses(200, 'The state') },
  },
  {
    method: 'GET',
    path: '/:agent/:chat/turns',
    handle: turns,
    query: turnsQuery,
    operation: {
      summary: 'The turns of a thread, the oldest first; none before its first message',
      responses: responses(200, 'Turns'),
    },
  },
  {
    method: 'POST',
    path: '/:agent/:chat/messages',
    handle: send,
    takes: messageBody,
    operation: {
      summary: 'Sends a message to a thread, which it starts if need be',
      responses: responses(202, 'The turn that answers the message'),
    },
  },
  {
    method: 'POST',
    path: '/:agent/:chat/clear',
    handle: clear,
    takes: objectOf({}),
    operation: {
      summary: 'Forgets all messages of a thread',
      responses: responses(204, 'It is empty'),
    },
  },
];

async function list({ app, principal, url }: Call): Promise<Response> {
  const { limit = 50, agent } = readQuery(listQuery, url);
  const threads = app.longhaul.threads({
    ...visibleKey(app.appName, principal),
    ...defined({ agent }),
  });
  const passes = (thread: ThreadSummary): boolean => app.agents.includes(thread.agent);
  const { first, more } = await firstOf(threads, { limit, passes });
  return json({ threads: first.map((thread) => shownThread(thread, principal)), more });
}

function shownThread({ key, ...rest }: ThreadSummary, principal: Principal): object {
  const whose = key && { chat: key.sessionId, user: key.userId };
  return { ...shownListed(rest, principal), ...whose };
}

function threadOf(call: Call): Promise<ThreadHandle> {
  return call.thread(call.params['chat'] ?? '');
}

async function state(call: Call): Promise<Response> {
  const thread = await threadOf(call);
  return json({
    threadId: thread.threadId,
    ...shownReport(await thread.state(), call.principal),
  });
}

async function turns(call: Call): Promise<Response> {
  const { last } = readQuery(turnsQuery, call.url);
  const thread = await threadOf(call);
  const found = await thread.turns(defined({ last }));
  return json({ turns: found.map((turn) => shownTurn(turn, call.principal)) });
}

async function send(call: Call): Promise<Response> {
  const body = (await call.body()) as object as Shape<typeof messageBody>;
  const tools = await broughtTools(call, body);
  const thread = await threadOf(call);
  const sent = await say(call, thread, body);
  await toolsTaken(call, sent, tools);
  const { messageId, turn, workflowId } = sent;
  call.app.streams.wake(workflowId);
  return json({ messageId, turn, workflowId }, 202);
}

async function clear(call: Call): Promise<Response> {
  await call.body();
  const thread = await threadOf(call);
  await thread.clear();
  return done();
}
