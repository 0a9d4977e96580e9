// Pure: no server. What programs without our client rely on: a change here breaks them, and runs that are open.
import * as names from '../../../src/protocol/names';

describe('the names on the wire', () => {
  it('of workflows and of what one may say to them', () => {
    const { allWorkflowTypes, signalNames, updateNames, queryNames } = names;
    expect(allWorkflowTypes).toEqual([
      'agentWorkflow',
      'sequentialWorkflow',
      'parallelWorkflow',
      'graphWorkflow',
      'threadWorkflow',
    ]);
    expect(Object.values(signalNames)).toEqual([
      'resume',
      'cancelRun',
      'childInputs',
      'answer',
      'childResult',
      'detach',
      'halt',
      'askAgain',
      'steer',
      'giveBack',
      'retrying',
    ]);
    expect(Object.values(updateNames)).toEqual([
      'resume',
      'outcome',
      'approve',
      'reject',
      'complete',
      'fail',
      'send',
      'migrate',
      'clear',
    ]);
    expect(Object.values(queryNames)).toEqual([
      'state',
      'log',
      'pending',
      'nonce',
      'usage',
      'definition',
      'context',
      'session',
      'runner',
      'clientTools',
      'childInput',
      'children',
      'turns',
      'erasures',
    ]);
  });

  it('of what stands beside a run', () => {
    const { memoKey, threadMemoKey, searchAttributes, defaults } = names;
    expect({ memoKey, threadMemoKey, searchAttributes, defaults }).toEqual({
      memoKey: 'longhaul',
      threadMemoKey: 'longhaulThread',
      searchAttributes: { agent: 'LonghaulAgent', status: 'LonghaulStatus', key: 'LonghaulKey' },
      defaults: { taskQueue: 'longhaul', namespace: 'default', address: '127.0.0.1:7233' },
    });
  });

  it("of the header with the caller's trace, which Temporal's own interceptors send", () => {
    expect(names.traceHeader).toBe('_tracer-data');
  });

  it('of what the model is offered', () => {
    const { askUserTool, askUserMarker, subAgentInputSchema } = names;
    expect([askUserTool.name, askUserMarker]).toEqual(['ask_user', '__ask_user__:']);
    expect(subAgentInputSchema.required).toEqual(['input']);
  });

  it.each([
    ['agent', 'a'.repeat(100), true],
    ['agent', 'a'.repeat(101), false],
    ['agent', 'support.v2_b-1', true],
    ['agent', '-a', false],
    ['agent', 'a/b', false],
    ['tool', 'get_weather-2', true],
    ['tool', 'a'.repeat(65), false],
    ['tool', 'a.b', false],
    ['workflow', 'trip/42:a.b', true],
    ['workflow', 'a'.repeat(201), false],
    ['workflow', '', false],
  ] as const)('of %ss: %p is one: %p', (kind, id, isOne) => {
    expect(names.idPatterns[kind].test(id)).toBe(isOne);
  });
});
