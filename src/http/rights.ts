// What the principal of a request may do with an answer. The run that asked decides by it.

import type { AnswerRight, PendingInput } from '../protocol';
import type { Principal } from './route';

/**
 * Somebody who sees only their own runs may end them at the budget, but not raise it. Whoever has the token of a call gives its result: a
 * browser could only make one up.
 */
export function rightsOf({ sees = 'own' }: Principal): readonly AnswerRight[] {
  return sees === 'own' ? [] : ['raise-budget'];
}

/** Whether people may answer it at all. */
export function isForPeople({ byToken }: Pick<PendingInput, 'byToken'>): boolean {
  return byToken !== true;
}
