import { LonghaulError } from '../protocol';

/** The error for content that is still in the result store. The worker puts such content into the request before a provider gets it. */
export function unreadContent(): never {
  throw new LonghaulError('InternalError', 'a request contains stored content without its bytes');
}
