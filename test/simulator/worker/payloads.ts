// What a worker of the SDK does with payloads between the server and the code: its codecs, and a storage for what is too large.

import type { LoadedDataConverter, Payload } from '@temporalio/common';
import { internal } from '../internals';

/** Of the run, or of the call in it, that has the payload. */
export type PayloadContext = {
  readonly type: 'workflow' | 'activity';
  readonly namespace: string;
  readonly workflowId: string;
  readonly isLocal?: boolean;
};

/** Nobody encodes them: the server and interceptors read them. */
const inClear: ReadonlySet<string> = new Set(['header', 'headers', 'searchAttributes']);

/** The jobs and commands that are of an activity. */
const ofActivity = ['scheduleActivity', 'resolveActivity'] as const;

export class PayloadCodecs {
  readonly #converter: LoadedDataConverter;

  constructor(converter: LoadedDataConverter) {
    this.#converter = converter;
  }

  /** The same with payloads as code reads them. Throws what a codec throws, and for what is in a storage that the worker lacks. */
  async decoded<Value>(value: Value, context: PayloadContext): Promise<Value> {
    const { payloadCodecs } = this.#converter;
    const retrieved = await this.retrieved(value, context);
    return await changed(retrieved, context, async (payload, of) =>
      internal.decode(payloadCodecs, [payload], of as never),
    );
  }

  /** The same with what is in the storage, still encoded. */
  async retrieved<Value>(value: Value, context: PayloadContext): Promise<Value> {
    const { transformPayloads } = internal.extstoreInboundOptions(this.#converter.externalStorage);
    return await changed(value, context, async (payload) =>
      transformPayloads([payload], undefined, undefined as never),
    );
  }

  /** The same with payloads as the server gets them. */
  async encoded<Value>(value: Value, context: PayloadContext): Promise<Value> {
    const { payloadCodecs } = this.#converter;
    return await changed(value, context, async (payload, of) =>
      this.#stored(await internal.encode(payloadCodecs, [payload], of as never), of),
    );
  }

  /** What stands for those that go into the storage, of payloads that are encoded. */
  async stored<Value>(value: Value, context: PayloadContext): Promise<Value> {
    return await changed(value, context, async (payload, of) => this.#stored([payload], of));
  }

  async #stored(payloads: Payload[], { namespace, workflowId }: PayloadContext) {
    const { externalStorage } = this.#converter;
    if (externalStorage === undefined) return payloads;
    const { transformPayloads: store } = internal.extstoreStoreOptions(externalStorage);
    const target = { kind: 'workflow', namespace, id: workflowId } as const;
    return await store(payloads, target, undefined);
  }
}

type Change = (payload: Payload, context: PayloadContext) => Promise<readonly Payload[]>;

async function changed<Value>(
  value: Value,
  context: PayloadContext,
  change: Change,
): Promise<Value> {
  const found = new Map<object, PayloadContext>();
  collect(value, context, found);
  const changes = new Map<object, unknown>();
  for (const [payload, of] of found) {
    const [next] = await change(payload, of);
    if (next !== payload) changes.set(payload, next);
  }
  return changes.size === 0 ? value : (replaced(value, changes) as Value);
}

function collect(
  value: unknown,
  context: PayloadContext,
  found: Map<object, PayloadContext>,
): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  if (isPayload(value)) found.set(value, context);
  else {
    const isOfActivity = ofActivity.some((name) => name in value && Reflect.get(value, name));
    const of = isOfActivity ? ({ ...context, type: 'activity', isLocal: false } as const) : context;
    for (const [name, member] of Object.entries(value))
      if (!inClear.has(name)) collect(member, of, found);
  }
}

/** A copy, where something in it changes: histories hold the same objects. */
function replaced(value: unknown, changes: ReadonlyMap<object, unknown>): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  const change = changes.get(value);
  if (change !== undefined) return change;
  const members = Object.entries(value).map(
    ([name, member]) => [name, replaced(member, changes)] as const,
  );
  if (members.every(([name, member]) => Reflect.get(value, name) === member)) return value;
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
}

function isPayload(value: object): value is Payload {
  const { metadata } = value as { readonly metadata?: Payload['metadata'] };
  return ArrayBuffer.isView(metadata?.['encoding']);
}
