// Pure: no server.
import {
  CallbackAbort,
  InvalidToolCall,
  MaxIterationsExceeded,
  MaxTurnsExceeded,
  RunCancelled,
  TurnCut,
} from '../../../src/core/errors';
import { LonghaulError } from '../../../src/protocol/errors';
import { user } from './builders';

const history = [user('go')];
const cases = [
  {
    type: MaxTurnsExceeded,
    error: new MaxTurnsExceeded({ limit: 3, unsent: user('go'), history }),
    message: 'The run used its 3 model calls without finishing; raise maxTurns or narrow the task.',
    details: { limit: 3 },
  },
  {
    type: MaxIterationsExceeded,
    error: new MaxIterationsExceeded({ limit: 3, history }),
    message:
      'The model asked for tools again after 3 rounds of tool calls; raise maxIterations or narrow the task.',
    details: { limit: 3 },
  },
  {
    type: InvalidToolCall,
    error: new InvalidToolCall('no such tool', {
      toolName: 'x',
      executable: ['a'],
      allowed: [],
      history,
    }),
    message: 'no such tool',
    details: { toolName: 'x', executable: ['a'], allowed: [] },
  },
  {
    type: TurnCut,
    error: new TurnCut({ finishReason: 'length', history }),
    message:
      'The model\'s turn ended with "length" before it held an answer; ' +
      'the output token limit was reached: raise it or lower the reasoning effort.',
    details: { finishReason: 'length' },
  },
  {
    type: RunCancelled,
    error: new RunCancelled({ reason: 'enough', history }),
    message: 'The run was cancelled: enough',
    details: { reason: 'enough' },
  },
  {
    type: CallbackAbort,
    error: new CallbackAbort({ reason: 'no', history }),
    message: 'A callback aborted the run: no',
    details: { reason: 'no' },
  },
];

describe('Rule 12: errors', () => {
  it.each(cases)(
    '$type.name says what happened and what to do',
    ({ type, error, message, details }) => {
      expect(error).toMatchObject({
        code: type.name,
        name: type.name,
        message,
        details,
        retryable: false,
      });
      expect(LonghaulError.is(error)).toBe(true);
    },
  );

  it.each(cases)('$type.name is known by its code alone', ({ type, error }) => {
    expect(cases.filter((other) => other.type.is(error))).toEqual([
      expect.objectContaining({ type }),
    ]);
    expect(type.is(new Error(error.message))).toBe(false);
    expect(type.is(undefined)).toBe(false);
  });
});
