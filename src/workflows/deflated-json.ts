// JSON as it travels where it is long. Pure, and the only module that imports fflate for workflows: the bundle shares it between runs,
// for fflate's tables would take 200 kB of each (scripts/build-workflow-bundle.mjs).

import { deflateSync, inflateSync, strFromU8, strToU8 } from 'fflate';

export function deflateJson(value: unknown): Uint8Array {
  return deflateSync(strToU8(JSON.stringify(value)));
}

export function inflateJson<Value>(bytes: Uint8Array): Value {
  return JSON.parse(strFromU8(inflateSync(bytes))) as Value;
}
