// The history of one run, and what waits to enter it while a workflow task is under way.

import type { Attributes, EventName, SimEvent, UserMetadata } from '../core/events';

type Waiting = { readonly name: EventName; readonly attributes: object };

/** They enter after all others that waited with them: a worker must not see the end of something before its beginning. */
const enterLast: ReadonlySet<EventName> = new Set<EventName>([
  'activityTaskCompleted',
  'activityTaskFailed',
  'activityTaskCanceled',
  'activityTaskTimedOut',
  'childWorkflowExecutionCompleted',
  'childWorkflowExecutionFailed',
  'childWorkflowExecutionCanceled',
  'childWorkflowExecutionTimedOut',
  'childWorkflowExecutionTerminated',
]);

export class History {
  readonly events: SimEvent[];
  /** An estimate: what the buffers in the events hold, and a little for each event. */
  bytes: number;
  readonly #now: () => number;
  #waiting: Waiting[] = [];

  constructor(now: () => number, events: readonly SimEvent[] = []) {
    this.#now = now;
    this.events = [...events];
    this.bytes = events.reduce((sum, event) => sum + bytesOf(event.attributes), 0);
  }

  get nextId(): number {
    return this.events.length + 1;
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  get waitingBytes(): number {
    return this.#waiting.reduce((sum, { attributes }) => sum + bytesOf(attributes), 0);
  }

  append<Name extends EventName>(
    name: Name,
    attributes: Attributes<Name>,
    at = this.#now(),
    userMetadata?: UserMetadata | null,
  ): SimEvent<Name> {
    const named = userMetadata ? { userMetadata } : {};
    const event: SimEvent<Name> = { id: this.nextId, at, name, attributes, ...named };
    this.events.push(event);
    this.bytes += bytesOf({ ...attributes, ...named });
    return event;
  }

  wait<Name extends EventName>(name: Name, attributes: Attributes<Name>): void {
    this.#waiting.push({ name, attributes });
  }

  /** Takes out what waits and is about this timer, which is cancelled. */
  dropTimer(timerId: string): void {
    this.#waiting = this.#waiting.filter(
      ({ name, attributes }) =>
        name !== 'timerFired' || (attributes as { timerId?: string }).timerId !== timerId,
    );
  }

  /** The task is over: what waited enters. Returns whether there was anything. */
  flush(): boolean {
    const waiting = this.#waiting;
    this.#waiting = [];
    const isLate = ({ name }: Waiting): boolean => enterLast.has(name);
    const inOrder = [...waiting.filter((one) => !isLate(one)), ...waiting.filter(isLate)];
    for (const { name, attributes } of inOrder) this.append(name, attributes);
    return inOrder.length > 0;
  }
}

const headBytes = 100;

/** Buffers count as they are, whatever realm they are from: a workflow's own are of its sandbox. */
function bytesOf(attributes: unknown): number {
  return headBytes + heldBytes(attributes);
}

function heldBytes(value: unknown): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + heldBytes(member), 0);
}
