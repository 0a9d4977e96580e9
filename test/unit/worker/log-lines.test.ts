// Pure: no server.
import { markLogged } from '../../../src/activities/logged';
import {
  formatEntry,
  isForPeople,
  isRepeated,
  type LogEntry,
  logFormat,
} from '../../../src/worker/log-lines';

const timestampNanos = BigInt(Date.UTC(2026, 10, 23, 9, 30)) * 1_000_000n;

const entry = (fields: Partial<LogEntry> = {}): LogEntry => ({
  level: 'WARN',
  message: "tool 'weather' failed: fetch failed",
  timestampNanos,
  ...fields,
});

const failed = Object.assign(new TypeError('fetch failed'), {
  stack: 'TypeError: fetch failed\n    at weather (/app/tools.mts:7:20)',
  cause: Object.assign(new Error('connect ECONNREFUSED ::1:1'), {
    stack: 'Error: connect ECONNREFUSED ::1:1\n    at connect (node:net:1:1)',
  }),
});

describe('a line of the log', () => {
  it('has the time, the level, the message and the fields that somebody reads', () => {
    const meta = {
      workflowId: 'weather-1',
      attempt: 2,
      path: 'plan/day 1',
      options: { metric: true },
      nothing: undefined,
      taskToken: 'CiRh',
      sdkComponent: 'activity',
    };
    expect(formatEntry(entry({ meta }), 'text')).toBe(
      `2026-11-23T09:30:00.000Z WARN  tool 'weather' failed: fetch failed workflowId=weather-1 path="plan/day 1" attempt=2 options={"metric":true}`,
    );
  });

  it('is followed by the stack of an error and of its causes, indented', () => {
    const [, ...lines] = formatEntry(entry({ meta: { error: failed } }), 'text').split('\n');
    expect(lines).toEqual([
      '    TypeError: fetch failed',
      '        at weather (/app/tools.mts:7:20)',
      '    caused by: Error: connect ECONNREFUSED ::1:1',
      '        at connect (node:net:1:1)',
    ]);
  });

  it.each([
    { name: 'a line break', text: 'fine\n2026-11-23T09:30:00.000Z ERROR forged' },
    { name: 'a line separator', text: 'fine\u2028forged' },
    { name: 'an escape of the terminal', text: 'fine\u001b[2Jforged' },
  ])('is one line, and controls no terminal: $name', ({ text }) => {
    const line = formatEntry(entry({ message: text, meta: { said: text } }), 'text');
    expect(line).not.toMatch(/[\n\u2028\u001b]/);
    expect(formatEntry(entry({ message: text }), 'json')).not.toMatch(/[\n\u001b]/);
  });

  it('is a JSON object for machines', () => {
    const meta = { workflowId: 'weather-1', error: failed, taskToken: 'CiRh', size: 7n };
    expect(JSON.parse(formatEntry(entry({ meta }), 'json'))).toEqual({
      time: '2026-11-23T09:30:00.000Z',
      level: 'WARN',
      message: "tool 'weather' failed: fetch failed",
      workflowId: 'weather-1',
      size: '7',
      error: {
        name: 'TypeError',
        message: 'fetch failed',
        stack: failed.stack,
        causes: [expect.objectContaining({ message: 'connect ECONNREFUSED ::1:1' })],
      },
    });
  });

  it.each(['text', 'json'] as const)('takes fields that are not JSON: %s', (format) => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    expect(formatEntry(entry({ meta: { circle } }), format)).toContain('not JSON');
  });
});

describe('what the log shows', () => {
  it.each([
    ['WARN', 'worker', true],
    ['ERROR', 'core', true],
    ['INFO', 'activity', true],
    ['INFO', 'worker', false],
  ] as const)('people: %s of %s is %s', (level, sdkComponent, expected) => {
    expect(isForPeople(entry({ level, meta: { sdkComponent } }))).toBe(expected);
  });

  it('leaves out a failure of which Longhaul has written', () => {
    const [error, other] = [new Error('one'), new Error('two')];
    markLogged(error);
    expect(isRepeated(entry({ message: 'Activity failed', meta: { error } }))).toBe(true);
    expect(isRepeated(entry({ message: 'Activity failed', meta: { error: other } }))).toBe(false);
  });

  it.each([
    ['json', 'json'],
    ['text', 'text'],
    ['', 'text'],
    [undefined, 'text'],
  ])('has the format that LONGHAUL_LOG names: %s', (named, format) => {
    expect(logFormat(named)).toBe(format);
  });
});
