// Who may answer what. The rules of an approval are the run's own, and its workers check them.

import type { Json } from '../base/json';
import type { PendingInput } from '../protocol/run';
import { HttpProblem } from './problems';
import type { Principal } from './route';

type Asked = Pick<PendingInput, 'kind' | 'byToken'>;

/** Whether people may answer it at all. Whoever has the token of a call gives its result; a browser could only make one up. */
export function isForPeople({ byToken }: Asked): boolean {
  return byToken !== true;
}

/** `value`: of an answer. Somebody who sees only their own runs may end them at the budget, but not raise it. */
export function requireMay(
  { sees = 'own' }: Principal,
  input: Asked | undefined,
  value: Json | undefined,
): void {
  if (input === undefined) return;
  if (!isForPeople(input)) throw refused('the result of this call comes by its token');
  if (input.kind === 'budget' && sees === 'own' && value !== 'stop')
    throw refused('somebody else must raise the budget: you may only answer "stop"');
}

function refused(detail: string): HttpProblem {
  return new HttpProblem('NotPermitted', { detail });
}
