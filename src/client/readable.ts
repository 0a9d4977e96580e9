import { isJsonObject } from '../base/json';
import { unreadableKey } from '../protocol/encryption';
import { LonghaulError } from '../protocol/errors';

/** What a worker sent, unless it is encrypted and this client has no codec: throws `EncryptionMismatch`. */
export function readable<Value>(value: Value): Value {
  if (!isJsonObject(value) || !Object.hasOwn(value, unreadableKey)) return value;
  throw new LonghaulError(
    'EncryptionMismatch',
    `what the worker sends is encrypted (${JSON.stringify(value[unreadableKey])}), and this client does not encrypt: give connect the worker's \`encryption\``,
  );
}
