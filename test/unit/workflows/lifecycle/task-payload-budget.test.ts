// Pure: no server. What one workflow task sends.

import { limits } from '../../../../src/protocol/limits';
import { TaskPayloadBudget } from '../../../../src/workflows/lifecycle/task-payload-budget';

/** As JSON, of so many bytes. */
const ofBytes = (bytes: number): string => 'x'.repeat(bytes - 2);

function openRoom(most: number) {
  let task = 1;
  const next = jest.fn(async () => {
    await Promise.resolve();
    task += 1;
  });
  const room = new TaskPayloadBudget(most, { current: () => task, next });
  return { room, next };
}

describe('the room of a workflow task', () => {
  it('takes what comes up to its bound, and nothing beyond', () => {
    const { room } = openRoom(100);
    const taken = [60, 40, 3].map((bytes) => room.takes(ofBytes(bytes)));
    expect(taken).toEqual([true, true, false]);
  });

  it('lets nothing small pass what did not fit', () => {
    const { room } = openRoom(100);
    const taken = [60, 41, 3].map((bytes) => room.takes(ofBytes(bytes)));
    expect(taken).toEqual([true, false, false]);
  });

  it('takes the first of a task, however large', () => {
    const { room } = openRoom(100);
    expect([room.takes(ofBytes(1_000)), room.takes(ofBytes(3))]).toEqual([true, false]);
  });

  it('has what waits enter in the tasks that follow, in order, one timer a task', async () => {
    const { room, next } = openRoom(100);
    const order: number[] = [];
    const enter = async (index: number): Promise<void> => {
      await room.enter(ofBytes(50));
      order.push(index);
    };
    await Promise.all([0, 1, 2, 3, 4].map(enter));
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect(next).toHaveBeenCalledTimes(2);
  });
});

it('all that one task may send fits the 4 MiB of a message, with a codec that adds a third', () => {
  const { toolCallBytes, childStartBytes, replies, sentInputsBytes } = limits;
  const sent = toolCallBytes + childStartBytes + replies + sentInputsBytes;
  expect((sent * 4) / 3).toBeLessThan(4 * 1024 * 1024 - 64 * 1024);
});
