// The seed of a run's random numbers follows from its run id: SipHash 1-3 with the key 0, as SDK Core has it. So the histories of the simulator
// replay on a real worker.

import Long from 'long';

const mask = (1n << 64n) - 1n;

const rotate = (value: bigint, bits: bigint): bigint =>
  ((value << bits) | (value >> (64n - bits))) & mask;

export function randomnessSeed(runId: string): Long {
  // Rust ends the bytes of a string with 0xff before it hashes them.
  const bytes = Buffer.concat([Buffer.from(runId), Buffer.of(0xff)]);
  let [v0, v1] = [0x736f6d6570736575n, 0x646f72616e646f6dn];
  let [v2, v3] = [0x6c7967656e657261n, 0x7465646279746573n];
  const round = (): void => {
    v0 = (v0 + v1) & mask;
    v1 = rotate(v1, 13n) ^ v0;
    v0 = rotate(v0, 32n);
    v2 = (v2 + v3) & mask;
    v3 = rotate(v3, 16n) ^ v2;
    v0 = (v0 + v3) & mask;
    v3 = rotate(v3, 21n) ^ v0;
    v2 = (v2 + v1) & mask;
    v1 = rotate(v1, 17n) ^ v2;
    v2 = rotate(v2, 32n);
  };
  const padded = Buffer.alloc(bytes.length + 8 - (bytes.length % 8));
  bytes.copy(padded);
  padded[padded.length - 1] = bytes.length % 256;
  for (let at = 0; at < padded.length; at += 8) {
    const word = padded.readBigUInt64LE(at);
    v3 ^= word;
    round();
    v0 ^= word;
  }
  v2 ^= 0xffn;
  for (let time = 0; time < 3; time += 1) round();
  const hash = v0 ^ v1 ^ v2 ^ v3;
  return Long.fromString(hash.toString(), true);
}
