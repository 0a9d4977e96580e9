// Routes of open inputs: the inbox, and the answers of people and clients. The actor of an answer comes from `authenticate`.

import type { InboxItem, RunHandle } from '../client/index';
import { defined, type JsonObject } from '../base';
import { type AnsweredBy, objectOf, type Shaped, text } from '../protocol';
import { done, firstOf, json, responses, shownInput } from './answers';
import { anyJson, described, object, oneOf, reason } from './bodies';
import { visibleKey } from './principal';
import type { Call, Route } from './route';
import { agentParameter, limitParameter } from './run-routes';
import { readQuery } from './shapes';

/** The members that every answer may have. The runs check sizes and signatures. */
const remarks = {
  seen: described(text, 'the digest of what the person saw, a text'),
  note: described(text, 'a remark for the audit, a text'),
  signature: described(text, 'a signature for the workers, a text'),
};

const kinds = ['question', 'approval', 'tool', 'budget'] as const;

const inboxQuery = {
  agent: agentParameter,
  kind: { description: `one of ${kinds.join(', ')}`, schema: oneOf(...kinds) },
  whole: {
    description: '1 reads each input in full, from its run; default: as the list has it',
    schema: oneOf('1'),
  },
  limit: limitParameter,
};

type AnswerRoute<Body> = {
  readonly summary: string;
  readonly takes: Shaped<Body>;
  readonly answer: (
    run: RunHandle,
    given: { readonly inputId: string; readonly body: Body; readonly options: AnsweredBy },
  ) => Promise<object | void>;
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
  answerRoute('answer', {
    summary: 'Answers a question',
    takes: objectOf({ answer: anyJson('the answer') }, remarks),
    answer: (run, { inputId, body, options }) => run.resume(body.answer, { inputId, ...options }),
  }),
  answerRoute('approve', {
    summary: 'Lets a call run, perhaps with other arguments',
    takes: objectOf(
      {},
      { args: object('the arguments in place of those of the call'), ...remarks },
    ),
    answer: (run, { inputId, body: { args }, options }) =>
      run.approve(inputId, { ...defined({ args }), ...options }),
  }),
  answerRoute('reject', {
    summary: 'Refuses a call',
    takes: objectOf({ reason }, remarks),
    answer: (run, { inputId, body, options }) => run.reject(inputId, body.reason, options),
  }),
  answerRoute('complete', {
    summary: 'Gives the result of a call that waits for one',
    takes: objectOf({ value: anyJson('the result') }, remarks),
    answer: (run, { inputId, body, options }) => run.complete(inputId, body.value, options),
  }),
  answerRoute('fail', {
    summary: 'Says that a call that waits for a result failed',
    takes: objectOf({ reason }, remarks),
    answer: (run, { inputId, body, options }) => run.fail(inputId, body.reason, options),
  }),
];

function answerRoute<Body>(name: string, { summary, takes, answer }: AnswerRoute<Body>): Route {
  return {
    method: 'POST',
    path: `/runs/:id/inputs/:input/${name}`,
    takes,
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
      const reply = await answer(run, { inputId, body: body as Body, options });
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
    ...defined({ agent, kind }),
  });
  const passes = (item: InboxItem): boolean => app.agents.includes(item.agent);
  const { first, more } = await firstOf(items, { limit, passes });
  return json({ items: first.map(shownInput), more });
}
