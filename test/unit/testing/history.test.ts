// Pure: no server.
import { deflateSync, strToU8 } from 'fflate';
import type { Longhaul } from '../../../src/client';
import {
  assertNoSecret,
  fetchHistories,
  fetchHistory,
  measureHistory,
  type RunHistory,
} from '../../../src/testing/history';

type Events = NonNullable<RunHistory['events']>;

/** Events as messages of the protocol come: with a class that writes them. */
function anEvent(fields: object): Events[number] {
  class Event {
    static encode = (event: object) => ({ finish: () => strToU8(JSON.stringify(event)) });
  }
  return Object.assign(new Event(), fields);
}

function scheduled(name: string): Events[number] {
  return anEvent({ activityTaskScheduledEventAttributes: { activityType: { name } } });
}

function withData(data: Uint8Array): RunHistory {
  const attributes = { input: { payloads: [{ metadata: {}, data }] } };
  return { events: [anEvent({ eventId: 7, workflowExecutionStartedEventAttributes: attributes })] };
}

describe('measureHistory', () => {
  it('counts events, bytes and activities by type', () => {
    const events = [
      scheduled('callModel'),
      scheduled('callTool'),
      scheduled('callModel'),
      anEvent({}),
    ];
    expect(measureHistory({ events })).toEqual({
      events: 4,
      bytes: events.reduce((sum, event) => sum + JSON.stringify(event).length, 0),
      activities: { callModel: 2, callTool: 1 },
    });
  });

  it('refuses a history that was not fetched', () => {
    expect(() => measureHistory({ events: [{}] })).toThrow('takes the result of fetchHistory');
  });
});

describe('assertNoSecret', () => {
  const place = 'event 7, workflowExecutionStartedEventAttributes.input.payloads.0.data';

  it.each([
    { name: 'in a payload', history: withData(strToU8('{"key":"sk-1234"}')) },
    { name: 'in a packed payload', history: withData(deflateSync(strToU8('{"key":"sk-1234"}'))) },
  ])('finds a secret $name', ({ history }) => {
    expect(() => assertNoSecret(history, 'other', 'sk-1234')).toThrow(
      `secret 2 of 2 is in the history: ${place}`,
    );
  });

  it('finds a secret in a text and in a name, without repeating it', () => {
    const inText = { events: [anEvent({ eventId: 1, failure: { message: 'bad key sk-1234' } })] };
    expect(() => assertNoSecret(inText, 'sk-1234')).toThrow(/event 1, failure\.message$/);
    const inName = { events: [anEvent({ eventId: 2, memo: { 'sk-1234': 1 } })] };
    expect(() => assertNoSecret(inName, 'sk-1234')).toThrow(/event 2, memo$/);
  });

  it('refuses an empty secret, such as a variable that is not set', () => {
    expect(() => assertNoSecret({ events: [] }, '')).toThrow(
      'assertNoSecret needs secrets that are not empty',
    );
  });

  it('passes a history without it', () => {
    expect(() => assertNoSecret(withData(strToU8('{"key":"***"}')), 'sk-1234')).not.toThrow();
  });
});

describe('fetchHistory', () => {
  const started = (continuedExecutionRunId: string): Events[number] =>
    anEvent({ workflowExecutionStartedEventAttributes: { continuedExecutionRunId } });

  /** A server on which every execution has two pages of one event. */
  function aLonghaul(executions: Record<string, Events>): Longhaul {
    const getWorkflowExecutionHistory = async (request: {
      execution: { runId?: string };
      nextPageToken?: Uint8Array;
    }): Promise<object> => {
      const events = executions[request.execution.runId ?? 'newest'] ?? [];
      const page = request.nextPageToken?.[0] ?? 0;
      const nextPageToken = new Uint8Array(page + 1 < events.length ? [page + 1] : []);
      return { history: { events: events.slice(page, page + 1) }, nextPageToken };
    };
    const client = {
      options: { namespace: 'default' },
      workflowService: { getWorkflowExecutionHistory },
      withDeadline: <Answer>(_deadline: number, call: () => Promise<Answer>) => call(),
    };
    return { client } as unknown as Longhaul;
  }

  it('reads page after page', async () => {
    const newest = [started(''), scheduled('callModel'), scheduled('callTool')];
    expect(await fetchHistory(aLonghaul({ newest }), 'run')).toEqual({ events: newest });
  });

  it('follows the executions of a run that continued as new, the oldest first', async () => {
    const newest = [started('second')];
    const second = [started('first'), scheduled('callModel')];
    const first = [started(''), scheduled('callTool')];
    expect(await fetchHistories(aLonghaul({ newest, second, first }), 'run')).toEqual([
      { events: first },
      { events: second },
      { events: newest },
    ]);
  });
});
