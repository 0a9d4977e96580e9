import type { ClientOptions } from 'openai';
import { boundedFetch } from '../bounded-body';

const listener = Symbol('onActivity');

type FetchOptions = NonNullable<ClientOptions['fetchOptions']>;
type Reported = { readonly [listener]?: () => void };

/** Request options that tell `reportingFetch` whom to report to: a client has one fetch, each call its own listener. */
export function reportingTo(onActivity: () => void): FetchOptions {
  const options: Reported = { [listener]: onActivity };
  return options as FetchOptions;
}

/**
 * Reports every chunk off the wire. The SDK swallows the comments that servers send to keep a stream alive, and they are all
 * that comes while a model works through a long prompt.
 */
export const reportingFetch: typeof fetch = async (url, init) => {
  const { [listener]: onActivity } = { ...init } as Reported;
  return await boundedFetch(url, init, onActivity);
};
