// SHA-256 (FIPS 180-4) for the sandbox, which has no crypto. It is slow, so use it for short texts. Pure.

const initial: State = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

const constants: readonly number[] = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

type State = readonly [number, number, number, number, number, number, number, number];

const blockBytes = 64;

/** In hex. `ascii`: characters up to U+007F, which are a byte each. */
export function sha256(ascii: string): string {
  const bytes = padded(ascii);
  let state = initial;
  for (let at = 0; at < bytes.byteLength; at += blockBytes) {
    state = compress(state, new DataView(bytes.buffer, at, blockBytes));
  }
  return state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** The text, a bit, zeros, and the length in bits, in whole blocks. */
function padded(ascii: string): DataView<ArrayBuffer> {
  const blocks = Math.ceil((ascii.length + 9) / blockBytes);
  const bytes = new DataView(new ArrayBuffer(blocks * blockBytes));
  for (let at = 0; at < ascii.length; at += 1) bytes.setUint8(at, ascii.charCodeAt(at));
  bytes.setUint8(ascii.length, 0x80);
  bytes.setUint32(bytes.byteLength - 4, ascii.length * 8);
  return bytes;
}

function compress(state: State, block: DataView): State {
  const schedule = expanded(block);
  let working = state;
  for (const [round, constant] of constants.entries()) {
    const [a, b, c, d, e, f, g, h] = working;
    const sumE = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const sumA = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const first = (h + sumE + choice + constant + wordAt(schedule, round)) | 0;
    working = [(first + sumA + majority) | 0, a, b, c, (d + first) | 0, e, f, g];
  }
  return added(state, working);
}

function added([a, b, c, d, e, f, g, h]: State, [i, j, k, l, m, n, o, p]: State): State {
  return [a + i, b + j, c + k, d + l, e + m, f + n, g + o, h + p].map(
    (sum) => sum | 0,
  ) as unknown as State;
}

function expanded(block: DataView): DataView {
  const words = new DataView(new ArrayBuffer(constants.length * 4));
  for (let index = 0; index < 16; index += 1) words.setUint32(index * 4, wordAt(block, index));
  for (let index = 16; index < constants.length; index += 1) {
    const early = wordAt(words, index - 15);
    const late = wordAt(words, index - 2);
    const small0 = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
    const small1 = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
    const sum = wordAt(words, index - 16) + small0 + wordAt(words, index - 7) + small1;
    words.setUint32(index * 4, sum);
  }
  return words;
}

function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function wordAt(words: DataView, index: number): number {
  return words.getUint32(index * 4);
}
