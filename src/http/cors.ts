// Allows cross-origin requests. Without the option, a browser lets no foreign page read an answer or send JSON.

import { checkKnown } from '../core/run-input';
import { isJsonObject } from '../base';
import { LonghaulError } from '../protocol';

export type CorsOptions = {
  /** Origins like `https://app.example.com`. `*` is every origin, without cookies. */
  readonly origins: readonly string[] | '*';
  /** Whether browsers may send cookies. Default false. */
  readonly credentials?: boolean;
  /** More request headers that pages may send. `content-type`, `authorization` and `last-event-id` are always allowed. */
  readonly headers?: readonly string[];
};

const usualHeaders = ['content-type', 'authorization', 'last-event-id'];

const preflightSeconds = 600;

export function checkCors(value: unknown): void {
  if (value === undefined) return;
  const { origins, credentials, headers, ...others } = isJsonObject(value) ? value : {};
  checkKnown(others, 'cors', []);
  const areOrigins = origins === '*' || areTexts(origins);
  const isFlag = credentials === undefined || typeof credentials === 'boolean';
  if (!areOrigins || !isFlag || !(headers === undefined || areTexts(headers)))
    throw invalid("cors must be {origins: ['https://…'] or '*', credentials?, headers?}");
  if (origins === '*' && credentials === true)
    throw invalid('cors cannot let every origin send cookies: name the origins');
}

/** The headers that an answer to this request gets. */
export function corsHeaders(
  cors: CorsOptions | undefined,
  { method, headers }: Request,
): Readonly<Record<string, string>> {
  if (cors === undefined) return {};
  const { origins, credentials = false, headers: more = [] } = cors;
  const vary = origins === '*' ? {} : { vary: 'Origin' };
  const origin = headers.get('origin');
  if (origin === null || (origins !== '*' && !origins.includes(origin))) return vary;
  const isPreflight = method === 'OPTIONS' && headers.has('access-control-request-method');
  return {
    ...vary,
    'access-control-allow-origin': origins === '*' ? '*' : origin,
    ...(credentials && { 'access-control-allow-credentials': 'true' }),
    ...(isPreflight && {
      'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
      'access-control-allow-headers': [...usualHeaders, ...more].join(', '),
      'access-control-max-age': String(preflightSeconds),
    }),
  };
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === 'string' && text !== '');
}

function invalid(message: string): LonghaulError {
  return new LonghaulError('InvalidInput', message);
}
