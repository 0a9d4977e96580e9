import { checkRunInput } from '../core/run-input';
import { knownId, sentSpec } from '../core/run-start';
import { LonghaulError } from '../protocol/errors';
import type { ThreadInput, ThreadKey } from '../protocol/thread';
import type { KnownRunner, RunTypes, RunnerWithSpec, TypeOf } from '../protocol/spec';
import { type Duration, parseDuration } from '../base/duration';
import { checkOptions } from './check-options';
import { createHash, createHmac } from 'node:crypto';

const longestThreadId = 200;

const shortestSecret = 16;

const namePattern = /^[^\p{Cc}]{1,200}$/u;

const threadOptionNames = {
  agent: true,
  spec: true,
  sessionId: true,
  appName: true,
  userId: true,
  idleTimeout: true,
  session: true,
} as const;

// Conversations: how a thread is named, and which are open.

export type ThreadOptions<Types extends RunTypes = RunTypes> = {
  /** The id of a runner the workers know, or the runner itself: only its id travels. A thread keeps it until it ends. */
  readonly agent?: KnownRunner<Types>;
  /** In place of `agent`: a spec that travels along, for workers whose `inlineSpecs` takes it. */
  readonly spec?: RunnerWithSpec<Types>;
  readonly sessionId: string;
  /** Default: the client's application, so that no two applications of a namespace share a conversation. */
  readonly appName?: string;
  /** Default `default`. */
  readonly userId?: string;
  /** How long it stays open with nothing to do. Only for an agent whose memory has a store: what is in none would be lost. */
  readonly idleTimeout?: Duration;
  /** What the session of the first turn starts from. */
  readonly session?: TypeOf<Types, 'session'>;
};

export function threadInput<Types extends RunTypes>(
  options: ThreadOptions<Types>,
  application: string,
): ThreadInput {
  checkOptions('thread', options, threadOptionNames);
  const { idleTimeout, session } = options;
  const runner = threadRunner(options);
  checkRunInput({ runner, input: 'checked', session });
  return {
    runner,
    key: threadKey({ ...options, appName: options.appName ?? application }),
    ...(session && { session }),
    ...(idleTimeout !== undefined && { idleTimeoutMs: milliseconds(idleTimeout) }),
  };
}

function threadRunner({
  agent,
  spec,
}: Pick<ThreadOptions, 'agent' | 'spec'>): ThreadInput['runner'] {
  if ((agent === undefined) === (spec === undefined))
    throw new LonghaulError('InvalidInput', 'give a thread its agent, or a spec in place of it');
  if (spec === undefined) return knownId(agent as KnownRunner);
  return sentSpec(spec);
}

function milliseconds(idleTimeout: Duration): number {
  const parsed = parseDuration(idleTimeout);
  if (parsed.ok) return parsed.ms;
  throw new LonghaulError('InvalidInput', `idleTimeout ${parsed.message}`);
}

// The workflow id of a thread: anyone who knows whose conversation it is finds it, and no two conversations share one.

/** Throws `InvalidInput` for a secret that can be guessed. */
export function checkIdSecret(secret: unknown): void {
  if (secret === undefined) return;
  if (typeof secret === 'string' && secret.length >= shortestSecret) return;
  throw new LonghaulError(
    'InvalidInput',
    `hashIds must be a secret text of at least ${shortestSecret} characters`,
  );
}

/** The user is `default` unless one is named. */
export function threadKey(names: {
  readonly appName: string;
  readonly userId?: string;
  readonly sessionId: string;
}): ThreadKey {
  const { appName, userId = 'default', sessionId } = names;
  const key = { appName, userId, sessionId };
  for (const [name, value] of Object.entries(key)) {
    if (typeof value === 'string' && namePattern.test(value)) continue;
    throw new LonghaulError(
      'InvalidInput',
      `${name} must be a text of 1 to 200 characters without control characters`,
    );
  }
  return key;
}

/**
 * `thread:<app>/<user>/<session>`, percent-encoded; too long a one is cut, and ends in `~` and a hash of the whole. With a secret all of it
 * is a keyed hash: without the key nobody can try out whose it is.
 */
export function threadId({ appName, userId, sessionId }: ThreadKey, secret?: string): string {
  if (secret !== undefined) {
    const whole = JSON.stringify([appName, userId, sessionId]);
    return `thread:${createHmac('sha256', secret).update(whole).digest('hex')}`;
  }
  const id = `thread:${[appName, userId, sessionId].map(encoded).join('/')}`;
  if (id.length <= longestThreadId) return id;
  const hash = createHash('sha256').update(id).digest('hex');
  return `${id.slice(0, longestThreadId - hash.length - 1)}~${hash}`;
}

/** UTF-8 bytes but letters, digits, `.`, `_` and `-`; a lone surrogate, which UTF-8 lacks, as its code unit. */
function encoded(text: string): string {
  return [...text].map(encodedCharacter).join('');
}

function encodedCharacter(character: string): string {
  if (/^[A-Za-z0-9._-]$/.test(character)) return character;
  if (/^\p{Cs}$/u.test(character)) return `%u${character.charCodeAt(0).toString(16)}`;
  const bytes = [...Buffer.from(character, 'utf8')];
  return bytes.map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');
}
