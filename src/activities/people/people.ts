// The functions of a tool's approval policy: who may decide about a call, and what they see.

import type { CallToolInput, ReviewCallResult } from '../../protocol/activities';
import type { ActivityDependencies } from '../dependencies';

export async function reviewCall(
  _dependencies: ActivityDependencies,
  _input: CallToolInput,
): Promise<ReviewCallResult> {
  return await Promise.resolve({});
}
