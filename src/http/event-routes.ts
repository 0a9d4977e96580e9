// The events of a run, as our own stream. `useChat` and AG-UI have theirs.

import { defined } from '../base';
import { filledText, LonghaulError } from '../protocol';
import type { StreamEvent } from '../core/stream/events';
import { done, responses, shownInput } from './answers';
import { oneOf } from './bodies';
import { problemDocument, problemOf } from './problems';
import type { Call, Route } from './route';
import { shownEvent } from './run-report';
import { readQuery } from './shapes';
import { type SseItem, sseResponse } from './sse';

/** The id of the last event. A browser that comes back with it gets a 204, and stops to connect. */
const endId = 'end';

const query = {
  from: {
    description:
      'the position of the last event that you have; the header Last-Event-ID says the same',
    schema: filledText,
  },
  tree: { description: '1: also the events of the runs below', schema: oneOf('1') },
};

export const eventRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/runs/:id/events',
    handle: stream,
    query,
    operation: {
      summary: 'The events of a run, from its beginning or a position, until it ends',
      responses: {
        ...responses(200, 'Each event is JSON; its id is its position', 'text/event-stream'),
        ...responses(204, 'The client has the last event'),
      },
    },
  },
];

async function stream(call: Call): Promise<Response> {
  const { app, request, url } = call;
  const asked = readQuery(query, url);
  const from = request.headers.get('last-event-id') || asked.from;
  const { workflowId } = await call.run(call.params['id'] ?? '', 'run');
  if (from === endId) return done();
  const options = {
    tree: asked.tree !== undefined,
    ...defined({ from }),
  };
  const open = (signal: AbortSignal = request.signal): AsyncIterable<StreamEvent> =>
    app.streams.open(workflowId, { ...options, signal });
  // Nothing is read before somebody iterates. So this opens the stream now, to refuse a position of another run with a status.
  open();
  const events = (signal: AbortSignal): AsyncIterable<StreamEvent> =>
    forPrincipal(call, open(signal));
  return sseResponse((signal) => told(events(signal), workflowId), {
    signal: request.signal,
    onError: (error) => app.report(error, request),
  });
}

async function* forPrincipal(
  { principal }: Call,
  events: AsyncIterable<StreamEvent>,
): AsyncGenerator<StreamEvent, void, void> {
  for await (const event of events) yield shownEvent(event, principal);
}

/** A failure is an event, too. After a reset of the run, a position is void: the client forgets it, and begins at the beginning. */
async function* told(
  events: AsyncIterable<StreamEvent>,
  workflowId: string,
): AsyncGenerator<SseItem, void, void> {
  try {
    for await (const event of events) {
      const isLast = event.type === 'end' && event.workflowId === workflowId;
      yield { id: isLast ? endId : event.position, data: JSON.stringify(shown(event)) };
    }
  } catch (error) {
    if (!LonghaulError.is(error)) throw error;
    const data = JSON.stringify(problemDocument(problemOf(error)));
    yield { event: 'problem', ...(error.code === 'StreamCut' && { id: '' }), data };
  }
}

function shown(event: StreamEvent): object {
  if (event.type === 'input') return { ...event, input: shownInput(event.input) };
  if (event.type === 'paused') return { ...event, pending: event.pending.map(shownInput) };
  return event;
}
