// Pure: no server.
import { timeOrderedId } from '../../../../src/workflows/thread/thread-run';

const random = '9b2e7f10-1234-4abc-8def-0123456789ab';

it('is a UUID of version 7 that begins with its time', () => {
  expect(timeOrderedId(Date.UTC(2026, 0, 1), random)).toBe('019b76da-a800-7abc-8def-0123456789ab');
  expect(timeOrderedId(0, random)).toBe('00000000-0000-7abc-8def-0123456789ab');
});

it('orders by time', () => {
  const times = [1, 255, 256, Date.UTC(2026, 0, 1), Date.UTC(2400, 0, 1)];
  const ids = times.map((time) => timeOrderedId(time, random));
  expect([...ids].sort()).toEqual(ids);
});
