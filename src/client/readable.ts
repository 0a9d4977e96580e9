import { isJsonObject } from '../base/json';
import { unreadableKey } from '../protocol/encryption';
import { EncryptionMismatch } from '../protocol/error-classes';

/** What a worker sent, unless it is encrypted and this client has no codec: throws `EncryptionMismatch`. */
export function readable<Value>(value: Value): Value {
  if (!isJsonObject(value) || !Object.hasOwn(value, unreadableKey)) return value;
  throw new EncryptionMismatch(
    `what the worker sends is encrypted (${JSON.stringify(value[unreadableKey])}), and this client does not encrypt: give connect the worker's \`encryption\``,
  );
}
