// The hooks of a worker and of its tools around people: who may decide about a call, what they see, and who is told.

import type {
  CallToolInput,
  CheckSignatureInput,
  CheckSignatureResult,
  NotifyPauseInput,
  ReviewCallResult,
} from '../../protocol/activities';
import type { ActivityDependencies } from '../dependencies';

export async function reviewCall(
  _dependencies: ActivityDependencies,
  _input: CallToolInput,
): Promise<ReviewCallResult> {
  return await Promise.resolve({});
}

export async function notifyPause(
  _dependencies: ActivityDependencies,
  _input: NotifyPauseInput,
): Promise<void> {
  await Promise.resolve();
}

export async function checkSignature(
  _dependencies: ActivityDependencies,
  _input: CheckSignatureInput,
): Promise<CheckSignatureResult> {
  return await Promise.resolve({});
}
