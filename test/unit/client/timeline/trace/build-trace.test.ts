// Pure: no server.
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import {
  type Below,
  buildTrace,
  type PastRun,
} from '../../../../../src/client/timeline/trace/build-trace';
import { Decoder } from '../../../../../src/client/timeline/payloads';
import type { TraceStep } from '../../../../../src/client/timeline/trace/run-trace';
import type { HistoryEvent } from '../../../../../src/client/timeline/events';
import { type Step, stepOf } from '../../../../../src/client/timeline/steps';
import { memoKey } from '../../../../../src/protocol/names';
import type { RunMemo } from '../../../../../src/protocol/run';

const at = (second: number): string => new Date(second * 1_000).toISOString();
const usage = {
  inputTokens: 812,
  outputTokens: 120,
  totalTokens: 932,
  cacheReadTokens: 600,
  cacheWriteTokens: null,
  reasoningTokens: null,
};
const origin = { provider: 'openai', api: 'responses', model: 'gpt-5' };
const turn = {
  entry: { id: 'e', kind: 'model-turn', content: [], usage, origin },
  costUsd: 0.0031,
};

const stored = (...values: object[]) => ({
  payloads: values.map((value) => defaultPayloadConverter.toPayload(value)),
});

/** A step from the event that the server stores. */
const stepAt = (second: number, eventId: number, attributes: object): Step =>
  stepOf({ eventId, eventTime: { seconds: second }, ...attributes } as unknown as HistoryEvent);

const begin = stepAt(0, 1, {
  workflowExecutionStartedEventAttributes: {
    workflowType: { name: 'agentWorkflow' },
    input: stored({ runner: 'helper', input: 'hi' }),
  },
});
const called = (id: number, name: string, second: number, input: object = {}): Step =>
  stepAt(second, id, {
    activityTaskScheduledEventAttributes: {
      activityType: { name },
      activityId: String(id),
      input: stored(input),
    },
  });
/** `error`: a type and a message. */
const attempt = (id: number, number: number, second: number, error?: string): Step => {
  const [type, message] = error?.split(': ') ?? [];
  const lastFailure = error && { message, applicationFailureInfo: { type } };
  return stepAt(second, id + 1, {
    activityTaskStartedEventAttributes: { scheduledEventId: id, attempt: number, lastFailure },
  });
};
const ended = (id: number, second: number, result: object): Step =>
  stepAt(second, id + 2, {
    activityTaskCompletedEventAttributes: { scheduledEventId: id, result: stored(result) },
  });
const close = (second: number): Step =>
  stepAt(second, 100, { workflowExecutionCompletedEventAttributes: {} });
const memo = (second: number, asks: readonly string[], path = 'helper'): Step => {
  const shownMemo = {
    agent: 'helper',
    ...(asks.length > 0 && { status: 'needs-input' }),
    pending: asks.map((inputId) => ({
      inputId,
      kind: 'approval',
      question: 'May it?',
      agentId: 'helper',
      path,
      since: at(second),
    })),
  } satisfies RunMemo;
  const fields = { [memoKey]: defaultPayloadConverter.toPayload(shownMemo) };
  return stepAt(second, 20 + second, {
    workflowPropertiesModifiedEventAttributes: { upsertedMemo: { fields } },
  });
};

const client = { options: { loadedDataConverter: loadDataConverter() } } as Client;

const traceOf = async (steps: readonly Step[], rest: Partial<PastRun> = {}) =>
  await buildTrace(
    {
      workflowId: 'r1',
      executions: [steps],
      pending: new Map(),
      children: new Map(),
      now: at(100),
      gaps: [],
      ...rest,
    },
    new Decoder(client),
  );

const stepsOf = (trace: Awaited<ReturnType<typeof traceOf>>): readonly TraceStep[] =>
  trace.segments.flatMap(({ steps }) => steps);

const chat = called(5, 'callModel', 1, { turn: 1, agentId: 'helper' });
const shown = { kind: 'chat', turn: 1, startedAt: at(1) };
const cost = { model: 'openai/gpt-5', usage, costUsd: 0.0031 };

describe('a call', () => {
  it.each<{ name: string; events: Step[]; pending?: PastRun['pending']; step: object }>([
    {
      name: 'that waited for a worker',
      events: [chat, attempt(5, 1, 3), ended(5, 4, turn)],
      step: {
        ...cost,
        status: 'completed',
        ms: 3_000,
        attempts: 1,
        waitMs: 2_000,
        attemptMs: 1_000,
      },
    },
    {
      name: 'with a lost attempt',
      events: [chat, attempt(5, 2, 3, 'ProviderError: down'), ended(5, 4, turn)],
      step: {
        ...cost,
        status: 'completed',
        ms: 3_000,
        attempts: 2,
        attemptMs: 1_000,
        error: 'ProviderError: down',
      },
    },
    {
      name: 'that no worker has taken',
      events: [chat],
      pending: new Map([['5', { attempts: 0 }]]),
      step: { status: 'open', ms: 99_000, attempts: 0, waitMs: 99_000 },
    },
    {
      name: 'that is tried again',
      events: [chat],
      pending: new Map([['5', { attempts: 3, error: 'down' }]]),
      step: { status: 'open', ms: 99_000, attempts: 3, error: 'down' },
    },
    {
      name: 'that the end of its run ended',
      events: [chat, close(9)],
      step: { status: 'cancelled', ms: 8_000, attempts: 0 },
    },
  ])('$name', async ({ events, pending = new Map(), step }) => {
    expect(stepsOf(await traceOf([begin, ...events], { pending }))).toEqual([
      { ...shown, ...step },
    ]);
  });

  it('of a tool has the error that the model got', async () => {
    const content = [{ type: 'text', text: 'no such file' }];
    const result = { entry: { result: { isError: true, content } } };
    const events = [
      called(5, 'callTool', 1, { tool: 'read' }),
      attempt(5, 1, 1),
      ended(5, 2, result),
    ];
    expect(stepsOf(await traceOf([begin, ...events]))).toMatchObject([
      { kind: 'tool', name: 'read', status: 'completed', isError: true, error: 'no such file' },
    ]);
  });
});

describe('a run', () => {
  it('is cut into segments by its own pauses only', async () => {
    const answer = stepAt(50, 50, {
      workflowExecutionUpdateAcceptedEventAttributes: {
        acceptedRequest: {
          input: { name: 'approve', args: stored({ inputId: 'a1.0', by: { id: 'ada' } }) },
        },
      },
    });
    const trace = await traceOf([
      begin,
      memo(5, ['b1.0'], 'helper/below'),
      memo(10, ['a1.0']),
      answer,
      memo(50, []),
      close(60),
    ]);
    expect(trace).toMatchObject({ status: 'completed', ms: 60_000, pausedMs: 40_000 });
    expect(trace.segments.map(({ ms }) => ms)).toEqual([10_000, 10_000]);
    expect(stepsOf(trace)).toMatchObject([
      { kind: 'pause', asks: 'approval', ms: 40_000, end: 'approved', by: 'ada' },
    ]);
  });

  it('waits for a pause without an answer until now', async () => {
    const trace = await traceOf([begin, memo(10, ['a1.0'])]);
    expect(trace).toMatchObject({ status: 'needs-input', ms: 100_000, pausedMs: 90_000 });
    expect(stepsOf(trace)).toEqual([
      expect.not.objectContaining({ end: expect.anything() as unknown }),
    ]);
  });

  it('adds the totals of the runs below, and says which ones nobody read', async () => {
    const child = (id: number, workflowId: string): Step =>
      stepAt(2, id, {
        startChildWorkflowExecutionInitiatedEventAttributes: {
          workflowType: { name: 'agentWorkflow' },
          workflowId,
          input: stored({ runner: 'below', lineage: { path: `helper/${workflowId}` } }),
        },
      });
    const below = await traceOf([begin, chat, ended(5, 2, turn), close(3)]);
    const trace = await traceOf(
      [begin, chat, ended(5, 2, turn), child(7, 'read'), child(8, 'gone'), child(9, 'cut')],
      {
        children: new Map<string, Below>([
          ['read', below],
          ['gone', { gap: 'deleted' }],
          ['cut', { cut: 'runs' }],
        ]),
      },
    );
    expect(trace.usage).toMatchObject({ inputTokens: 1_624, cacheReadTokens: 1_200 });
    expect(trace.costUsd).toBeCloseTo(0.0062);
    expect(stepsOf(trace).slice(2)).toMatchObject([
      { run: { path: 'helper/gone', gaps: ['deleted'], executions: 0 } },
      { run: { path: 'helper/cut', cut: 'runs' } },
    ]);
  });
});
