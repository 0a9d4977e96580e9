// The input of a thread, and its workflow id, which follows from application, user and session.

import { checkRunInput } from '../../core/run-input';
import { knownId, sentSpec } from '../../core/run-start';
import {
  type KnownRunner,
  LonghaulError,
  type RunnerWithSpec,
  type RunTypes,
  type StoredKey,
  type ThreadInput,
  type ThreadKey,
  type TypeOf,
} from '../../protocol';
import { defined, type Duration, parseDuration } from '../../base';
import { checkOptions } from '../server/check-options';
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
  tenant: true,
  idleTimeout: true,
  session: true,
} as const;

export type ThreadOptions<Types extends RunTypes = RunTypes> = {
  /**
   * The id of a runner that the workers know, or the runner itself; only its id goes to the server. It stays the same until the thread
   * ends.
   */
  readonly agent?: KnownRunner<Types>;
  /** Instead of `agent`: a spec to send. The option `inlineSpecs` of the workers must allow it. */
  readonly spec?: RunnerWithSpec<Types>;
  readonly sessionId: string;
  /** Default: the client's application. */
  readonly appName?: string;
  /** Default `default`. */
  readonly userId?: string;
  /** Part of the key in lists and stores, but not of the thread's id: users of two tenants need different ids or sessions. */
  readonly tenant?: string;
  /** How long the idle thread stays open, such as `30m`. Only for an agent with a memory store: without a store the thread would forget. */
  readonly idleTimeout?: Duration;
  /** The session that the first turn starts with. */
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
    throw new LonghaulError('InvalidInput', 'thread takes either agent or spec');
  if (spec === undefined) return knownId(agent as KnownRunner);
  return sentSpec(spec);
}

function milliseconds(idleTimeout: Duration): number {
  const parsed = parseDuration(idleTimeout);
  if (parsed.ok) return parsed.ms;
  throw new LonghaulError('InvalidInput', `idleTimeout ${parsed.message}`);
}

/** Throws `InvalidInput` for a secret that is too short. */
export function checkIdSecret(secret: unknown): void {
  if (secret === undefined) return;
  if (typeof secret === 'string' && secret.length >= shortestSecret) return;
  throw new LonghaulError(
    'InvalidInput',
    `hashIds must be a secret of at least ${shortestSecret} characters`,
  );
}

type Names = Pick<ThreadOptions, 'userId' | 'sessionId' | 'tenant'> & { readonly appName: string };

export function threadKey(names: Names): ThreadKey {
  const { appName, userId = 'default', sessionId, tenant } = names;
  const key = { appName, userId, sessionId, ...defined({ tenant }) };
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
 * `thread:<app>/<user>/<session>`, percent-encoded. If that is too long, it is cut and ends in `~` and a hash of the whole. With a secret
 * it is a keyed hash, so that nobody without the secret can test guesses.
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

/** The key in a thread's id. Undefined if the id is a hash, or was cut. */
export function keyOfThread(id: string): StoredKey | undefined {
  try {
    const [appName = '', userId = '', sessionId = ''] = id
      .slice('thread:'.length)
      .split('/')
      .map(decodeURIComponent);
    const key = { appName, userId, sessionId };
    return threadId(key) === id ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Encodes all but letters, digits, `.`, `_` and `-`, as UTF-8 bytes. A lone surrogate, which UTF-8 lacks, becomes its code unit. */
function encoded(text: string): string {
  return [...text].map(encodedCharacter).join('');
}

function encodedCharacter(character: string): string {
  if (/^[A-Za-z0-9._-]$/.test(character)) return character;
  if (/^\p{Cs}$/u.test(character)) return `%u${character.charCodeAt(0).toString(16)}`;
  const bytes = [...Buffer.from(character, 'utf8')];
  return bytes.map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');
}
