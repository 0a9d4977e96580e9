// Pure: no server.

import { activitySlots, type TaskSlots, workflowSlots } from '../../../src/worker/task-slots';

type Permit = Awaited<ReturnType<TaskSlots<never>['reserveSlot']>>;

const cold = { isSticky: false };
const warm = { isSticky: true };
const { signal } = new AbortController();

function permitOf(slots: Pick<TaskSlots<never>, 'tryReserveSlot'>, kind = cold): Permit {
  const permit = slots.tryReserveSlot(kind);
  if (permit === null) throw new Error('no slot is free');
  return permit;
}

/** Takes slots until none is free. */
function fill(slots: Pick<TaskSlots<never>, 'tryReserveSlot'>, kind = cold): readonly Permit[] {
  const permits: Permit[] = [];
  for (;;) {
    const permit = slots.tryReserveSlot(kind);
    if (permit === null) return permits;
    permits.push(permit);
  }
}

describe('the slots of workflow tasks', () => {
  const use = (slots: ReturnType<typeof workflowSlots>, permit: Permit, workflowType: string) =>
    slots.markSlotUsed({ permit, slotInfo: { type: 'workflow', workflowType, isSticky: false } });

  it('bound tasks that may replay apart from those whose run is in memory', () => {
    const slots = workflowSlots(2);
    expect(fill(slots, cold)).toHaveLength(3);
    expect(fill(slots, warm)).toHaveLength(40);
  });

  it('hand a free slot to who waits for one of its kind, in order', async () => {
    const slots = workflowSlots(1);
    permitOf(slots);
    const first = permitOf(slots);
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
    const slots = workflowSlots(1);
    const [ours, foreign] = fill(slots) as [Permit, Permit];
    use(slots, ours, 'agentWorkflow');
    expect(slots.tryReserveSlot(cold)).toBeNull();
    use(slots, foreign, 'payroll');
    expect(fill(slots, cold)).toHaveLength(1);
    expect(fill(slots, warm)).toHaveLength(39);
    slots.releaseSlot({ permit: foreign });
    expect(fill(slots, warm)).toHaveLength(1);
  });

  it('give up a wait that is aborted, and hand its slot to nobody', async () => {
    const slots = workflowSlots(1);
    const [first] = fill(slots) as [Permit];
    const aborted = new AbortController();
    const waiting = slots.reserveSlot(cold, aborted.signal);
    aborted.abort(new Error('not needed any more'));
    await expect(waiting).rejects.toThrow('not needed any more');
    slots.releaseSlot({ permit: first });
    expect(slots.tryReserveSlot(cold)).not.toBeNull();
  });
});

describe('the slots of activities', () => {
  const use = (slots: ReturnType<typeof activitySlots>, permit: Permit, activityType: string) =>
    slots.markSlotUsed({ permit, slotInfo: { type: 'activity', activityType } });

  it('free the slot of a model call for activities that compute', async () => {
    const slots = activitySlots(1_000);
    const [model, summary, tool] = fill(slots) as [Permit, Permit, Permit];
    use(slots, tool, 'callTool');
    const waiting = slots.reserveSlot(cold, signal);
    use(slots, model, 'callModel');
    await expect(waiting).resolves.toBeDefined();
    use(slots, summary, 'summarise');
    expect(fill(slots)).toHaveLength(1);
    slots.releaseSlot({ permit: model });
    slots.releaseSlot({ permit: summary });
    expect(fill(slots)).toHaveLength(0);
    slots.releaseSlot({ permit: tool });
    expect(fill(slots)).toHaveLength(1);
  });

  it('bound model calls: those that are too many keep the slots of activities that compute', () => {
    const slots = activitySlots(2);
    const models = fill(slots);
    for (const permit of models) use(slots, permit, 'callModel');
    expect(models).toHaveLength(100);
    const tools = fill(slots);
    expect(tools).toHaveLength(2);
    slots.releaseSlot({ permit: models[0] as Permit });
    expect(fill(slots)).toHaveLength(1);
    for (const permit of models.slice(1)) slots.releaseSlot({ permit });
    expect(fill(slots)).toHaveLength(97);
  });
});
