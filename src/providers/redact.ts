// Removes credentials from texts for logs, workflow histories and models. Each rule takes time in proportion to the length of the text:
// no repetition can start at many places and run to the end from each.

import type { ReadError } from '../base';

const gone = '[redacted]';
/** A value after a name, with or without quotes. */
const value = `(?:(")(?:[^"\\\\]|\\\\.)*|(')[^']*|[^\\s"',;}&<>)\\]]+)`;
/** Names of secrets: members, headers, variables, parameters. */
const names = [
  'api[-_]?key',
  'access[-_]?key(?:[-_]?id)?',
  'account[-_]?key',
  'secret[-_]?access[-_]?key',
  'private[-_]?key',
  'client[-_]?secret',
  'shared[-_]?access[-_]?(?:key|signature)',
  '(?:access|refresh|id|auth|session|security|csrf)[-_]?token',
  'token',
  'secret',
  'password',
  'passwd',
  'passphrase',
  'pwd',
  'credentials?',
].join('|');

const rules: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,30}-----)?/g, gone],
  // Up to the end of the line, because a cookie or a credential has many parts. In JSON up to the end of the string.
  [/\b((?:set-)?cookie["']?[ \t]*[:=][ \t]*["']?)[^\r\n"']+/gi, `$1${gone}`],
  [
    /\b(authorization["']?\s{0,9}[:=]\s{0,9}["']?(?:Digest|OAuth|Signature|AWS4[\w-]{0,20}) )[^\r\n]+/gi,
    `$1${gone}`,
  ],
  [
    /\b(authorization["']?\s{0,9}[:=]\s{0,9}["']?(?:[a-z]{1,12}\s{1,9}(?=\S))?)(?!\[redacted\])[^\s"',;}]+/gi,
    `$1${gone}`,
  ],
  [/\b(Bearer|Basic)\s{1,9}(?=\S{0,200}[\d=_.+/-]\S|\S{20})[^\s"',;}]+/gi, `$1 ${gone}`],
  [
    new RegExp(`((?:${names})\\\\?["']?\\s{0,9}(?:=>|[:=])\\s{0,9}\\\\?)${value}`, 'gi'),
    `$1$2$3${gone}`,
  ],
  [
    /([?&;](?:key|sig|signature|sv_sig|x-amz-(?:signature|credential|security-token)|code|auth)=)[^&\s"'<>)]+/gi,
    `$1${gone}`,
  ],
  [/(?<![\w-])(?:sk|rk|pk)[-_][\w*.-]{6,}/g, gone],
  [
    /(?<![\w-])(?:gsk|hf|xai|pplx|nvapi|whsec|glpat|npm|dop_v1|shpat|lin_api|r8)[_-][\w*-]{8,}/g,
    gone,
  ],
  [/(?<!\w)(?:gh[pousr]_|github_pat_)[\w*]{8,}/g, gone],
  [/(?<!\w)xox[a-z](?:\.xox[a-z])?-[\w*-]{6,}/g, gone],
  [/(?<!\w)xapp-[\w*-]{6,}/g, gone],
  [/(?<!\w)(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9*]{12,}/g, gone],
  [/(?<!\w)AIza[\w*-]{6,}/g, gone],
  [/(?<!\w)ya29\.[\w*.-]+/g, gone],
  [/(?<!\w)SG\.[\w-]{16,}\.[\w-]+/g, gone],
  [/(?<![\w-])eyJ[\w-]{8,}(?:\.[\w-]*){1,4}/g, gone],
];

/** A password may contain `@`, `/` or `:`. It ends at the last `@` before the path. */
const userInfo = /:\/\/[^\s"'<>]*/g;

/** Removes credentials from a text. `secrets` are known values. They are removed in any form. */
export function redact(text: string, secrets: readonly string[] = []): string {
  const known = secrets.filter((secret) => secret.length >= 4);
  const withoutKnown = known.reduce((kept, secret) => kept.replaceAll(secret, gone), text);
  const withoutUsers = withoutKnown.replace(userInfo, withoutUserInfo);
  return rules.reduce(
    (kept, [pattern, replacement]) => kept.replace(pattern, replacement),
    withoutUsers,
  );
}

/** For `copyError`: removes credentials from an error. */
export function redactError(
  { name, message, stack }: ReadError,
  secrets: readonly string[] = [],
): ReadError {
  return {
    name,
    message: redact(message, secrets),
    ...(stack !== undefined && { stack: redact(stack, secrets) }),
  };
}

function withoutUserInfo(address: string): string {
  const query = address.search(/[?#]/);
  const place = query < 0 ? address : address.slice(0, query);
  const at = place.lastIndexOf('@');
  const colon = place.indexOf(':', '://'.length);
  const slash = place.indexOf('/', '://'.length);
  const isInAuthority = slash < 0 || at < slash;
  const isPort = /^\d{1,5}$/.test(place.slice(colon + 1, slash));
  const isUserInfo = colon > 0 && colon < at && (isInAuthority || (colon < slash && !isPort));
  return isUserInfo ? `://${gone}${address.slice(at)}` : address;
}
