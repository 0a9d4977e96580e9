// Pure: no server.

import { WorkflowTaskSlots } from '../../../src/worker/replay-pace';

type Permit = Awaited<ReturnType<WorkflowTaskSlots['reserveSlot']>>;

const cold = { isSticky: false };
const warm = { isSticky: true };

function slotsOf(): WorkflowTaskSlots {
  return new WorkflowTaskSlots({ warm: 2, cold: 1, isOurs: (type) => type === 'agent' });
}

function use(slots: WorkflowTaskSlots, permit: Permit, workflowType: string): void {
  slots.markSlotUsed({ permit, slotInfo: { type: 'workflow', workflowType, isSticky: false } });
}

function permitOf(slots: WorkflowTaskSlots, kind: { isSticky: boolean }): Permit {
  const permit = slots.tryReserveSlot(kind);
  if (permit === null) throw new Error('no slot is free');
  return permit;
}

describe('the slots of workflow tasks', () => {
  const { signal } = new AbortController();

  it('bound tasks that may replay apart from those whose run is in memory', () => {
    const slots = slotsOf();
    const taken = [cold, cold, warm, warm, warm].map((kind) => slots.tryReserveSlot(kind) !== null);
    expect(taken).toEqual([true, false, true, true, false]);
  });

  it('hand a free slot to who waits for one of its kind, in order', async () => {
    const slots = slotsOf();
    const first = permitOf(slots, cold);
    const order: string[] = [];
    const waiting = ['second', 'third'].map(async (name) => {
      const permit = await slots.reserveSlot(cold, signal);
      order.push(name);
      slots.releaseSlot({ permit });
    });
    slots.releaseSlot({ permit: permitOf(slots, warm) });
    await Promise.resolve();
    expect(order).toEqual([]);
    slots.releaseSlot({ permit: first });
    await Promise.all(waiting);
    expect(order).toEqual(['second', 'third']);
  });

  it('let a task of somebody else’s workflow, which may stay open for long, block none of ours', () => {
    const slots = slotsOf();
    const ours = permitOf(slots, cold);
    use(slots, ours, 'agent');
    expect(slots.tryReserveSlot(cold)).toBeNull();
    slots.releaseSlot({ permit: ours });
    const foreign = permitOf(slots, cold);
    use(slots, foreign, 'payroll');
    expect(slots.tryReserveSlot(cold)).not.toBeNull();
    permitOf(slots, warm);
    expect(slots.tryReserveSlot(warm)).toBeNull();
    slots.releaseSlot({ permit: foreign });
    expect(slots.tryReserveSlot(warm)).not.toBeNull();
  });

  it('give up a wait that is aborted, and hand its slot to nobody', async () => {
    const slots = slotsOf();
    const first = permitOf(slots, cold);
    const aborted = new AbortController();
    const waiting = slots.reserveSlot(cold, aborted.signal);
    aborted.abort(new Error('not needed any more'));
    await expect(waiting).rejects.toThrow('not needed any more');
    slots.releaseSlot({ permit: first });
    expect(slots.tryReserveSlot(cold)).not.toBeNull();
  });
});
