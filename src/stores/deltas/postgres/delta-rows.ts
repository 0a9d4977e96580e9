import { isJsonObject } from '../../../base';
import { type LiveEvent, LonghaulError } from '../../../protocol';
import { decodeContent, encodeContent, isEncoded } from '../../results/encoded-content';
import { contentCodecs, type EncryptionOptions } from '../../../server';

/** The value of a row: the events of one run, as JSON. With a codec, it neither writes nor reads anything in clear. */
export class DeltaRows {
  readonly #codecs: ReturnType<typeof contentCodecs>;

  constructor({ encryption }: Pick<EncryptionOptions, 'encryption'>) {
    this.#codecs = encryption === undefined ? [] : contentCodecs({ encryption });
  }

  async write(events: readonly LiveEvent[]): Promise<Uint8Array> {
    const bytes = new TextEncoder().encode(JSON.stringify(events));
    return this.#codecs.length === 0 ? bytes : await encodeContent(this.#codecs, bytes);
  }

  /** Throws `EncryptionMismatch` if the other side has other options, and other errors if another program wrote the row. */
  async read(value: unknown): Promise<readonly LiveEvent[]> {
    if (!Buffer.isBuffer(value)) throw new TypeError('a row has no bytes');
    const encodes = this.#codecs.length > 0;
    if (encodes !== isEncoded(value))
      throw new LonghaulError('EncryptionMismatch', encodes ? inClear : encoded);
    const bytes = encodes ? await decodeContent(this.#codecs, value) : value;
    const events: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (!Array.isArray(events) || !events.every(isLiveEvent))
      throw new TypeError('a row has no events');
    return events;
  }
}

const inClear =
  'rows are in clear: give the workers the `encryption` of this side, in PostgresDeltas';
const encoded =
  'rows are encrypted: give this side the `encryption` of the workers, in PostgresDeltas';

function isLiveEvent(value: unknown): value is LiveEvent {
  if (!isJsonObject(value)) return false;
  const { kind, root, workflowId, path, agent, turn, calledAt, attempt, seq, delta } = value;
  if (![root, workflowId, path, agent].every((text) => typeof text === 'string')) return false;
  if (kind === 'moved') return true;
  if (![turn, calledAt, attempt].every((count) => typeof count === 'number')) return false;
  return kind === 'begin' || (kind === 'delta' && typeof seq === 'number' && isJsonObject(delta));
}
