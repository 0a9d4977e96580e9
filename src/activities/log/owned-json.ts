// JSON that a cache keeps, as bytes of its own. A value as it comes must not be kept: a string that was cut from a longer one holds
// all of it, objects hold what they refer to, and neither says how much that is.

/** What V8 and a place in a cache take besides the bytes. */
const overhead = 400;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class OwnedJson<Value> {
  readonly #bytes: Uint8Array;

  constructor(value: Value) {
    this.#bytes = encoder.encode(JSON.stringify(value));
  }

  /** The memory that this takes. */
  get held(): number {
    return this.#bytes.byteLength + overhead;
  }

  /** A copy each time: who changes it changes nothing here. */
  read(): Value {
    return JSON.parse(decoder.decode(this.#bytes)) as Value;
  }
}
