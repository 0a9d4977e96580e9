// Begins a call that gets its result later. The tool's code starts the work and gets a token. A caller with the token may send the result.
//
// 1. Each attempt draws a token. Before the code gets it, the server keeps what the run needs to recognise it, and the next attempt gets
//    that, too. So a token stays valid if its attempt is lost after the code passed it on.
// 2. Nothing that the server keeps is a token, or proof of one.

import { randomBytes } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { isJsonObject, type Json } from '../../base';
import { keptOf, proofOf, tokenPrefix } from '../../core/people/result-token';
import { type CallToolInput, limits } from '../../protocol';
import { ownWorkflowId } from '../definition/pinned-definition';
import type { Beats, Heartbeat } from '../heartbeat';

const secretBytes = 32;

export type CallToken = {
  /** The token for the code. */
  readonly token: string;
  /** Hashes of the tokens of all attempts so far, for the run. */
  readonly kept: readonly string[];
  /** The heartbeat for the code. The code's details go out together with the kept hashes. */
  readonly heartbeat: Heartbeat;
};

/** Draws a token. Resolves when the server has its hash. */
export async function drawToken(
  { inputId = '' }: Pick<CallToolInput, 'inputId'>,
  beats: Pick<Beats, 'heartbeat' | 'keep' | 'tell'>,
): Promise<CallToken> {
  const secret = randomBytes(secretBytes).toString('base64url');
  const token = [tokenPrefix, base64url(ownWorkflowId()), base64url(inputId), secret].join('.');
  const kept = [...keptBefore(), keptOf(proofOf(token))].slice(-limits.resultTokens);
  beats.keep({ tokens: kept });
  await beats.tell();
  const heartbeat = (details?: Json): void =>
    beats.heartbeat(details === undefined ? undefined : { tokens: kept, details });
  return { token, kept, heartbeat };
}

/** The hashes from the heartbeats of the attempt before. */
function keptBefore(): readonly string[] {
  const details: unknown = Context.current().info.heartbeatDetails;
  const tokens = isJsonObject(details) ? details['tokens'] : undefined;
  return Array.isArray(tokens) ? tokens.filter((kept) => typeof kept === 'string') : [];
}

function base64url(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url');
}
