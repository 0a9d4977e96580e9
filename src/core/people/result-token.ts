// The token that lets somebody outside bring the result of one call. Pure.
//
// 1. A run keeps a hash of a hash of the token. Whoever brings the result shows the hash between them, the proof. So history has no token,
//    and what history has before the result is no proof.

import { sha256 } from '../../base';

/** Starts a token. Says the format. */
export const tokenPrefix = 'lh1';

const proofPattern = /^[0-9a-f]{64}$/;
const keptLength = 32;

/** What the holder of a token shows to the run. */
export const proofOf = (token: string): string => sha256(token);

/** What a run keeps of a token. */
export const keptOf = (proof: string): string => sha256(proof).slice(0, keptLength);

/** Anybody may send a proof. */
export const isProof = (value: unknown): value is string =>
  typeof value === 'string' && proofPattern.test(value);
