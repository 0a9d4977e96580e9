// The token with which somebody outside may send the result of one call. Pure.
//
// 1. A run keeps a hash of a hash of the token. The sender of the result shows the first hash, the proof. So history has no token, and
//    before the result it has no proof.

import { sha256 } from '../../base';

/** The beginning of a token, which names the format. */
export const tokenPrefix = 'lh1';

const proofPattern = /^[0-9a-f]{64}$/;
const keptLength = 32;

/** What the holder of a token shows to the run. */
export const proofOf = (token: string): string => sha256(token);

/** What a run keeps of a token. */
export const keptOf = (proof: string): string => sha256(proof).slice(0, keptLength);

/** Checks the form, because anybody may send a proof. */
export const isProof = (value: unknown): value is string =>
  typeof value === 'string' && proofPattern.test(value);
