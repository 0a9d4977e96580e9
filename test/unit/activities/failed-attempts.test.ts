// What a worker writes to its log when code throws, in mock activities; no server.

import { CompleteAsyncError, type Info } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { defineCallbacks, defineTool, type Tool } from '../../../src';
import type { WorkerLogger } from '../../../src/activities/call-log';
import { guard } from '../../../src/activities/guard';
import type { CallToolInput } from '../../../src/protocol/activities';
import type { ModelProvider } from '../../../src/providers/provider';
import { inlineWorker, type InlineWorker } from './model/inline-worker';
import { QuietActivity } from './quiet-activity';

type Line = { level: string; message: string; meta: Record<string, unknown> };

function collected(): { readonly lines: Line[]; readonly logger: WorkerLogger } {
  const lines: Line[] = [];
  const write =
    (level: string): WorkerLogger['warn'] =>
    (message, meta = {}) =>
      void lines.push({ level, message, meta });
  const logger = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  return { lines, logger };
}

function fetchWeather(): never {
  const cause = new Error('connect ECONNREFUSED 127.0.0.1:4999');
  throw new TypeError('fetch failed', { cause });
}

const described = {
  name: 'weather',
  description: 'the weather',
  inputSchema: { type: 'object' },
  execute: fetchWeather,
} as const;

const weather = (options: object = {}): Tool => defineTool({ ...described, ...options });

const anAnswer: ModelProvider['call'] = () => Promise.reject(new Error('no model'));

const attemptOf = (attempt: number, maximumAttempts = 3): Partial<Info> => ({
  activityType: 'callTool',
  attempt,
  retryPolicy: { maximumAttempts },
});

const call: Partial<CallToolInput> = { tool: 'weather', callId: 'call_1' };

const whole = "tool 'weather' failed: TypeError: fetch failed: connect ECONNREFUSED 127.0.0.1:4999";

function worker(tool: Tool, provider = anAnswer): InlineWorker & { readonly lines: Line[] } {
  const { lines, logger } = collected();
  return { ...inlineWorker({ tools: [tool] }, provider, { logger }), lines };
}

describe('a failed attempt of a tool', () => {
  it('is a warning that names the call, with the stack of the code that threw', async () => {
    const { lines, attempt, callTool } = worker(weather());
    await expect(callTool(call, attempt(attemptOf(1)))).rejects.toMatchObject({
      type: 'ToolError',
      message: 'TypeError: fetch failed: connect ECONNREFUSED 127.0.0.1:4999',
      nonRetryable: false,
      stack: '',
      cause: { message: 'fetch failed', stack: '' },
    });
    expect(lines).toEqual([
      {
        level: 'warn',
        message: whole,
        meta: expect.objectContaining({
          workflowId: 'test',
          agentId: 'agent',
          turn: 1,
          attempt: 1,
          callId: 'call_1',
          tool: 'weather',
          error: expect.objectContaining({
            name: 'TypeError',
            stack: expect.stringContaining('failed-attempts.test.ts') as string,
            cause: expect.objectContaining({ message: 'connect ECONNREFUSED 127.0.0.1:4999' }),
          }) as unknown,
        }) as Record<string, unknown>,
      },
    ]);
  });

  it.each([
    { name: 'the last attempt', options: {}, attempt: 3 },
    { name: 'a tool with effect once', options: { effect: 'once' as const }, attempt: 1, most: 1 },
  ])('is an error: $name', async ({ options, attempt: number, most }) => {
    const { lines, attempt, callTool } = worker(weather(options));
    const { entry } = await callTool(call, attempt(attemptOf(number, most)));
    expect(JSON.stringify(entry)).toContain('connect ECONNREFUSED 127.0.0.1:4999');
    expect(lines).toMatchObject([{ level: 'error', message: whole }]);
  });

  it("is an error, and the run's, if the tool says so", async () => {
    const { lines, attempt, callTool } = worker(weather({ onError: 'fail' }));
    const failed = callTool(call, attempt(attemptOf(3)));
    await expect(failed).rejects.toMatchObject({
      nonRetryable: true,
      details: [{ tool: 'weather' }],
    });
    expect(lines).toMatchObject([{ level: 'error', message: whole }]);
  });

  it('is an error if the code says that no other attempt helps', async () => {
    const execute = (): never => {
      throw ApplicationFailure.nonRetryable('no such city');
    };
    const { lines, attempt, callTool } = worker(weather({ execute }));
    await callTool(call, attempt(attemptOf(1)));
    expect(lines).toMatchObject([
      { level: 'error', message: "tool 'weather' failed: ApplicationFailure: no such city" },
    ]);
  });

  it('leaves credentials out of its line, its error and its causes', async () => {
    const execute = (): never => {
      throw new Error('password=hunter2secret', { cause: new Error('token=hunter2secret') });
    };
    const { lines, attempt, callTool } = worker(weather({ execute }));
    await callTool(call, attempt(attemptOf(3)));
    const { message, meta } = lines[0] ?? {};
    const { stack, cause } = meta?.['error'] as Error;
    expect([message, stack, (cause as Error).stack].join('\n')).not.toContain('hunter2');
  });

  it('does not end with a logger that throws', async () => {
    const broken = (): never => {
      throw new Error('the disk is full');
    };
    const logger = { debug: broken, info: broken, warn: broken, error: broken };
    const { attempt, callTool } = inlineWorker({ tools: [weather()] }, anAnswer, { logger });
    await expect(callTool(call, attempt(attemptOf(3)))).resolves.toMatchObject({
      entry: { result: { isError: true } },
    });
  });
});

it('what a tool writes names the call', async () => {
  const tool = defineTool({
    ...described,
    execute: (_, { log }) => log.info('asked', { city: 'Oslo' }),
  });
  const { lines, attempt, callTool } = worker(tool);
  await callTool(call, attempt(attemptOf(2)));
  expect(lines).toMatchObject([
    {
      level: 'info',
      message: 'asked',
      meta: { city: 'Oslo', agentId: 'agent', callId: 'call_1', attempt: 2 },
    },
  ]);
});

describe('a failed model call', () => {
  it("has the error of the user's provider", async () => {
    const { lines, callModel, attempt } = worker(weather(), () => fetchWeather());
    const info = { ...attemptOf(1), activityType: 'callModel' };
    await expect(callModel({}, attempt(info))).rejects.toMatchObject({ type: 'ProviderError' });
    expect(lines).toMatchObject([
      {
        level: 'warn',
        message: expect.stringMatching(/^model call failed: .*ECONNREFUSED/) as string,
        meta: { code: 'ProviderError', turn: 1 },
      },
    ]);
    const { stack } = lines[0]?.meta['error'] as Error;
    expect(stack).toContain('fetchWeather');
  });

  it('has the error of a callback', async () => {
    const callbacks = defineCallbacks({ name: 'audit', beforeModelCall: fetchWeather });
    const { lines, logger } = collected();
    const { callModel, attempt } = inlineWorker({ callbacks: [callbacks] }, anAnswer, { logger });
    await expect(callModel({}, attempt(attemptOf(3)))).rejects.toMatchObject({
      type: 'InternalError',
    });
    expect(lines).toMatchObject([{ level: 'error', meta: { error: { name: 'TypeError' } } }]);
    expect(lines[0]?.message).toContain("callbacks 'audit', beforeModelCall");
  });
});

it('is silent about a cancelled call that has told the server itself', async () => {
  const { lines, logger } = collected();
  const left = guard({ logger })(() => Promise.reject(new CompleteAsyncError()));
  const environment = new QuietActivity();
  await expect(environment.run(() => left({}))).rejects.toBeInstanceOf(CompleteAsyncError);
  expect(lines).toEqual([]);
});
