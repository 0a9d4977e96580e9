// What a provider answers or throws, before anything is built on it: a provider may be the user's own.

import { TemporalFailure } from '@temporalio/common';
import { checkJson } from '../../core/session';
import { LonghaulError } from '../../protocol/errors';
import { isJsonObject } from '../../base/json';
import {
  badResponse,
  isNetworkError,
  providerErrorFromNetwork,
  type CallTarget,
} from '../../providers/errors';
import type { ModelResponse } from '../../providers/provider';
import { describe } from '../failures';

/** The response, if it has what the run needs; otherwise a bad response, which is not asked for again for ever. */
export function checkedResponse(target: CallTarget, response: ModelResponse): ModelResponse {
  const problem = problemOf(response);
  if (problem === undefined) return response;
  throw badResponse(target, `the provider's response cannot be used: ${problem}`);
}

/** An error that no provider of ours throws. Of what is not known nothing says that it will pass. */
export function providerFailure(target: CallTarget, error: unknown): unknown {
  if (LonghaulError.is(error) || error instanceof TemporalFailure) return error;
  if (isNetworkError(error)) return providerErrorFromNetwork(target, error);
  return badResponse(target, describe(error));
}

function problemOf(response: unknown): string | undefined {
  if (!isJsonObject(response)) return 'it is no object';
  const { content, usage, finishReason } = response;
  if (!Array.isArray(content)) return 'content is no list of parts';
  const index = content.findIndex((part) => !isPart(part));
  if (index >= 0) return `content[${index}] is no part of a message`;
  if (!isJsonObject(usage)) return 'usage is missing';
  if (typeof finishReason !== 'string') return 'finishReason is missing';
  const violation = checkJson({ content, usage });
  return violation && `${violation.path}: ${violation.problem}`;
}

function isPart(part: unknown): boolean {
  if (!isJsonObject(part) || typeof part['type'] !== 'string') return false;
  const { type, text, callId, name, args } = part;
  if (type === 'text' || type === 'reasoning' || type === 'refusal')
    return typeof text === 'string';
  if (type !== 'tool_call') return true;
  const isNamed = typeof callId === 'string' && typeof name === 'string';
  return isNamed && (args === null || isJsonObject(args));
}
