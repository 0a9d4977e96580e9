// The key of a state or a conversation in a store, and the default application of a key. Pure.
//
// 1. The tenant is part of the stored user. Two pairs of tenant and user never share a stored user.
// 2. A key without a tenant is stored as it is.

import { sha256, utf8Length } from '../base';
import type { RunKey } from '../protocol/run';

/** Stands between tenant and user. No user that a principal or a thread names has a control character. */
const separator = '\u001f';

/** The bytes that a store takes for a part of a key. */
const longestPart = 512;

/**
 * The key that stores have: the tenant is in its `userId`. Use it in your own calls of a store, for the state of users with a tenant.
 *
 * @example
 * await stores.user.save(storedKey({ appName: 'travel', userId: 'ada', tenant: 'acme' }), { plan: 'free' });
 */
export function storedKey<Key extends { readonly userId: string }>(
  key: Key & Pick<RunKey, 'tenant'>,
): Omit<Key, 'tenant'> {
  const { tenant, ...rest } = key;
  if (typeof tenant !== 'string' || tenant === '') return rest;
  return { ...rest, userId: storedUser(tenant, key.userId) };
}

function storedUser(tenant: string, user: string): string {
  const escaped = tenant.replaceAll(/[%\u001f]/g, encodeURIComponent);
  const whole = `${escaped}${separator}${user}`;
  // JSON escapes lone surrogates, which all have the same UTF-8.
  return utf8Length(whole) <= longestPart ? whole : separator + sha256(JSON.stringify(whole));
}

/** The application is the `appName` of a key that names none. */
export function withApplication<Key extends RunKey | undefined>(
  key: Key,
  application: string,
): Key {
  return key && { ...key, appName: key.appName ?? application };
}
