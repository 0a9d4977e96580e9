// Pure: no server. What the documents promise in numbers: a change here is one of theirs.
import { limits, timeouts } from '../../../src/protocol/limits';

const KiB = 1024;
const seconds = 1_000;
const minutes = 60 * seconds;
const hours = 60 * minutes;

describe('the numbers of the documents', () => {
  it('bound what may be given and kept', () => {
    expect(limits).toMatchObject({
      input: 256 * KiB,
      session: 64 * KiB,
      context: 16 * KiB,
      answer: 64 * KiB,
      toolArguments: 256 * KiB,
      toolArgumentsInline: 8 * KiB,
      modelTurn: 1024 * KiB,
      logPage: 400_000,
      toolResultStored: 256 * KiB,
      toolResultShown: 64 * KiB,
      definition: 512 * KiB,
      failureMessage: 2 * KiB,
      memo: 2 * KiB,
      rideAlongEntry: 2 * KiB,
      sessionInline: 4 * KiB,
      payload: 1_400_000,
      carriedLog: 1_400_000,
      childResult: 256 * KiB,
      childStartBytes: 768 * KiB,
    });
  });

  it('count what may happen', () => {
    expect(limits).toMatchObject({
      maxIterations: 10,
      toolConcurrency: 16,
      invalidToolCalls: 3,
      toolAttempts: 5,
      answeredInputs: 1_000,
      childStarts: 32,
      depth: 20,
    });
  });

  it('say how long things take', () => {
    expect(timeouts).toMatchObject({
      stickyScheduleToStart: 2 * seconds,
      modelStartToClose: 15 * minutes,
      modelScheduleToClose: 1 * hours,
      modelHeartbeat: 5 * seconds,
      modelIdle: 90 * seconds,
      toolStartToClose: 2 * minutes,
      toolScheduleToClose: 10 * minutes,
      toolHeartbeat: 7 * seconds,
      store: 24 * hours,
      logQuery: 15 * seconds,
      definitionSearch: 1 * minutes,
      shutdownGrace: 1 * minutes,
      serverCheck: 5 * seconds,
    });
  });
});
