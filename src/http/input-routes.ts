// Routes of open inputs: the inbox, and what people and clients say to an input. Who says it comes from `authenticate`.

import type { InboxItem, RunHandle } from '../client/index';
import type { Json, JsonObject, JsonSchema } from '../base/json';
import type { AnsweredBy, PendingInput } from '../protocol/run';
import { done, firstOf, json, responses, shownInput } from './answers';
import { anyJson, object, oneOf, reason } from './bodies';
import { visibleKey } from './principal';
import type { Call, Route } from './route';
import { agentParameter, limitParameter } from './run-routes';
import { readQuery, shape } from './shapes';

/** What every answer may say of itself. The runs check sizes and signatures. */
const remarks: Readonly<Record<string, JsonSchema>> = {
  seen: { type: 'string', description: 'the digest of what the person saw, a text' },
  note: { type: 'string', description: 'a remark for the audit, a text' },
  signature: { type: 'string', description: 'a signature for the workers, a text' },
};

const kinds = ['question', 'approval', 'tool', 'budget'];

const inboxQuery = {
  agent: agentParameter,
  kind: { description: `one of ${kinds.join(', ')}`, schema: oneOf(...kinds) },
  whole: {
    description: '1 reads each input in full, from its run; default: as the list has it',
    schema: oneOf('1'),
  },
  limit: limitParameter,
};

type Answer = (
  run: RunHandle,
  given: {
    readonly inputId: string;
    readonly body: JsonObject;
    readonly options: AnsweredBy;
  },
) => Promise<object | void>;

type AnswerRoute = {
  readonly summary: string;
  readonly takes: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  readonly answer: Answer;
};

const answerRoutes: Readonly<Record<string, AnswerRoute>> = {
  answer: {
    summary: 'Answers a question',
    takes: { answer: anyJson('the answer') },
    required: ['answer'],
    answer: (run, { inputId, body, options }) =>
      run.resume(body['answer'] as Json, { inputId, ...options }),
  },
  approve: {
    summary: 'Lets a call run, perhaps with other arguments',
    takes: { args: object('the arguments in place of those of the call') },
    required: [],
    answer: (run, { inputId, body, options }) => {
      const args = body['args'] as JsonObject | undefined;
      return run.approve(inputId, { ...(args && { args }), ...options });
    },
  },
  reject: {
    summary: 'Refuses a call',
    takes: { reason },
    required: ['reason'],
    answer: (run, { inputId, body, options }) =>
      run.reject(inputId, body['reason'] as string, options),
  },
  complete: {
    summary: 'Gives the result of a call that waits for one',
    takes: { value: anyJson('the result') },
    required: ['value'],
    answer: (run, { inputId, body, options }) =>
      run.complete(inputId, body['value'] as Json, options),
  },
  fail: {
    summary: 'Says that a call that waits for a result failed',
    takes: { reason },
    required: ['reason'],
    answer: (run, { inputId, body, options }) =>
      run.fail(inputId, body['reason'] as string, options),
  },
};

export const inputRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/inbox',
    handle: inbox,
    query: inboxQuery,
    operation: {
      summary: 'The open inputs of all runs, the oldest first',
      responses: responses(200, 'Inputs'),
    },
  },
  ...Object.entries(answerRoutes).map(([name, route]) => answerRoute(name, route)),
];

function answerRoute(name: string, { summary, takes, required, answer }: AnswerRoute): Route {
  return {
    method: 'POST',
    path: `/runs/:id/inputs/:input/${name}`,
    takes: shape({ ...takes, ...remarks }, required),
    operation: {
      summary,
      responses:
        name === 'approve'
          ? responses(200, 'How many more people must approve')
          : responses(204, 'The run goes on'),
    },
    handle: async (call) => {
      const body = await call.body();
      const run = await call.run(call.params['id'] ?? '');
      const options = { ...call.answerer, ...remarksOf(body) };
      const inputId = call.params['input'] ?? '';
      const reply = await answer(run, { inputId, body, options });
      call.app.streams.wake(run.workflowId);
      return reply === undefined ? done() : json(reply);
    },
  };
}

function remarksOf(body: JsonObject): AnsweredBy {
  const given = Object.keys(remarks).filter((name) => Object.hasOwn(body, name));
  return Object.fromEntries(given.map((name) => [name, body[name]]));
}

async function inbox({ app, principal, url }: Call): Promise<Response> {
  const { limit = 50, agent, kind, whole } = readQuery(inboxQuery, url);
  const items = app.longhaul.inbox({
    key: visibleKey(app.appName, principal),
    whole: whole !== undefined,
    ...(agent !== undefined && { agent: String(agent) }),
    ...(kind !== undefined && { kind: kind as PendingInput['kind'] }),
  });
  const passes = (item: InboxItem): boolean => app.agents.includes(item.agent);
  const { first, more } = await firstOf(items, { limit: Number(limit), passes });
  return json({ items: first.map(shownInput), more });
}
