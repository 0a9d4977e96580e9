// Decides what the principal of a request may do with an answer. The run that asked enforces it.

import type { AnswerRight, PendingInput } from '../protocol';
import type { Principal } from './route';

/**
 * A principal that sees only its own runs may end them at the budget, but not raise the budget. It may not give the result of a call with a
 * token, because a browser could only make one up.
 */
export function rightsOf({ sees = 'own' }: Principal): readonly AnswerRight[] {
  return sees === 'own' ? [] : ['raise-budget'];
}

/** True if people may answer the input. */
export function isForPeople({ byToken }: Pick<PendingInput, 'byToken'>): boolean {
  return byToken !== true;
}
