// Pure: compares tables of the docs with the code; no server.

import { errorCodes } from '../../../src/protocol/errors';
import { limits, timeouts } from '../../../src/protocol/limits';
import { codeRowsOf, readPage } from './markdown';

const units: Readonly<Record<string, number>> = {
  KiB: 1024,
  MiB: 1024 ** 2,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
};

/** `256 KiB` in bytes, `10 min` in milliseconds, `4,000` and `32 characters` as they are. */
function numberOf(text: string): number {
  const [, digits = '', unit = ''] = /^([\d.,]+) ?(\w*)$/.exec(text) ?? [];
  return Number(digits.replaceAll(',', '')) * (units[unit] ?? 1);
}

describe('docs/errors.md', () => {
  it('has a row for each code, in order, and no other', () => {
    const { path, text } = readPage('docs/errors.md');
    const [, codes = ''] = /^## Codes\n([\s\S]*?)^## /m.exec(text) ?? [];
    expect([...codeRowsOf({ path, text: codes }).keys()]).toEqual([...errorCodes]);
  });
});

/** Which limit each row of the page's tables means. */
const documentedLimits = {
  'rounds of tools': 'maxIterations',
  'invalid calls that the model is told of': 'invalidToolCalls',
  'calls of one turn at a time': 'toolConcurrency',
  'most that `toolConcurrency` may be': 'maxToolConcurrency',
  'tool result for the model': 'toolResultShown',
  'most that `maxResultBytes` may be': 'toolResultStored',
  'attempts of a tool call': 'toolAttempts',
  'context used before a prompt is made smaller': 'compactAt',
  'turns that a summary leaves as they are': 'keptTurns',
  'turns whose results are never cleared': 'keptResults',
  'result that is never cleared': 'clearedResult',
  'logs that a worker keeps in memory': 'logCacheBytes',
  'input of a run': 'input',
  'part of an input, with a result store': 'inputPart',
  'all parts of an input, with a result store': 'wholeInput',
  'content in a result store': 'storedContent',
  'answer of `read_result` and `find_in_result`': 'resultPage',
  'session, at any time': 'session',
  'context of a run': 'context',
  'answer to a question': 'answer',
  'agent with the schemas of its tools': 'definition',
  'depth of nested runs': 'depth',
  'messages that wait in a thread': 'queuedMessages',
  'size of those messages together': 'queuedBytes',
  'arguments of a tool call': 'toolArguments',
  'answer of a model': 'modelTurn',
  "details of a tool's heartbeat": 'heartbeat',
  'question; also its options together': 'question',
  result: 'result',
  'result of a child run': 'childResult',
  'warnings of child runs in a result': 'warnings',
  'one such warning': 'warning',
  'message of a failure': 'failureMessage',
  memo: 'memo',
  'branches and tasks of an orchestration at a time': 'concurrency',
  'arguments of a tool call shown in the Web UI': 'toolArgumentsInline',
  'tool calls in a turn that a store saves': 'toolTrace',
  'arguments of one of them': 'toolTraceArguments',
  'history of an execution': 'historyBytes',
  'events of an execution': 'historyEvents',
  'answers and waiting callers of an execution': 'historyUpdates',
  'history at which an orchestration starts no more children': 'fullHistoryBytes',
  'events at which an orchestration starts no more children': 'fullHistoryEvents',
  'answers and callers at which an execution starts no more children': 'maxUpdates',
  'history at which a run fails': 'maxHistoryBytes',
  'events at which a run fails': 'maxHistoryEvents',
  'deflated conversation of a thread': 'carriedLog',
  'the same as text': 'carriedText',
  'notices of a run that its workers deliver at a time': 'openNotices',
  'notices that wait': 'waitingNotices',
  'answers that a run remembers, to recognise a repeated one': 'answeredInputs',
  'turns that a thread lists, and whose message ids it knows': 'listedTurns',
  'turns that a thread has yet to save': 'unsavedTurns',
  'size of those turns': 'unsavedBytes',
} as const satisfies Record<string, keyof typeof limits>;

const documentedTimes = {
  'one attempt of a tool call': 'toolStartToClose',
  'all attempts of a tool call': 'toolScheduleToClose',
  'time for running calls when a worker stops': 'shutdownGrace',
  'one attempt of a model call': 'modelStartToClose',
  'all attempts of a model call': 'modelScheduleToClose',
  'provider sends no byte': 'modelIdle',
  'silent worker in a model call': 'modelHeartbeat',
  'silent worker in a tool call': 'toolHeartbeat',
  'waiting run of a killed worker': 'stickyScheduleToStart',
  'search for a worker that knows an agent or its code': 'definitionSearch',
  'listing the tools of MCP servers at the start': 'mcpListing',
  'reading and saving the session in a store': 'store',
  "summary of a thread's older turns": 'compaction',
  '`clear` of a thread waits for its store': 'clearing',
  'a cleared thread without a message': 'cleared',
  'one call of `onPause`': 'notice',
  'all calls of `onPause` for one notice': 'allNotices',
  'check of the signature of an answer': 'signature',
  'halting a run for a reset': 'resetHalt',
  'client waits for a server or a worker': 'serverCheck',
  '`outcome` and `result` wait for a silent server': 'silence',
} as const satisfies Record<string, keyof typeof timeouts>;

describe('docs/operating.md', () => {
  const [, tables = ''] = readPage('docs/operating.md').text.split('\n## Limits\n');
  const rows = [...tables.matchAll(/^\| *([^|]+?) *\| *(\d[^|]*?) *\|/gm)];
  const documented = rows.map(([, label, value = '']) => [label, numberOf(value)]);

  it('gives each limit and time its value in the code', () => {
    const values: readonly (readonly [string, number])[] = [
      ...Object.entries(documentedLimits).map(([label, name]) => [label, limits[name]] as const),
      ...Object.entries(documentedTimes).map(([label, name]) => [label, timeouts[name]] as const),
    ];
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(values));
  });
});
