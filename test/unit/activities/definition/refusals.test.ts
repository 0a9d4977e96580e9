import { refusedHere } from '../../../../src/activities/definition/refusals';
import { LonghaulError } from '../../../../src/protocol/errors';
import { QuietActivity } from '../quiet-activity';

const unknown = new LonghaulError('AgentNotFound', "Runner 'x' is not registered here.");

describe('refusedHere', () => {
  it.each<{
    name: string;
    before?: readonly string[];
    polling: readonly string[] | undefined;
    afterMs?: number;
    retryable: boolean;
  }>([
    { name: 'ends the search of the only worker', polling: ['me'], retryable: false },
    { name: 'asks a worker that was not asked', polling: ['me', 'other'], retryable: true },
    {
      name: 'ends the search after the last worker',
      before: ['other'],
      polling: ['me', 'other'],
      retryable: false,
    },
    {
      name: 'gives a worker that just started the time to poll',
      polling: ['me'],
      afterMs: 2_000,
      retryable: true,
    },
    { name: 'goes on if the server cannot say who polls', polling: undefined, retryable: true },
    {
      name: 'ends after a minute, whoever polls',
      polling: undefined,
      afterMs: 60_000,
      retryable: false,
    },
  ])('$name', async ({ before, polling, afterMs = 3_000, retryable }) => {
    const environment = new QuietActivity({
      scheduledTimestampMs: 1_000,
      currentAttemptScheduledTimestampMs: 1_000 + afterMs,
      heartbeatDetails: before && { refusedBy: before },
    });
    const kept: unknown[] = [];
    const pollers = { identity: 'me', polling: () => Promise.resolve(polling) };
    const keep = (details: unknown): void => void kept.push(details);

    const error = await environment.run(() => refusedHere(pollers, unknown, { keep }));

    expect(error).toMatchObject({ code: 'AgentNotFound', message: unknown.message, retryable });
    expect(kept).toEqual([{ refusedBy: [...(before ?? []), 'me'] }]);
  });
});
