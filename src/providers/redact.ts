const rules: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer)\s+[^\s"',;}]+/gi, '$1 [redacted]'],
  [
    /\b((?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:(?:Bearer|Basic|Token)\s+)?)[^\s"',;}]+/gi,
    '$1[redacted]',
  ],
  [/\b((?:x-)?(?:goog-)?api[-_]?key["']?\s*[:=]\s*["']?)[^\s"',;}&]+/gi, '$1[redacted]'],
  [/([?&](?:key|token|access_token|api-key)=)[^&\s"'<>)]+/gi, '$1[redacted]'],
  [/\b(?:sk|rk|pk)-[\w*.-]{6,}/g, '[redacted]'],
  [/\b(?:gsk|hf|xai|pplx|nvapi)[_-][\w*-]{8,}/g, '[redacted]'],
  [/\bAIza[\w*-]{6,}/g, '[redacted]'],
  [/\bya29\.[\w*.-]+/g, '[redacted]'],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, '[redacted]'],
  [/(:\/\/)[^/\s:@]+:[^/\s@]+@/g, '$1[redacted]@'],
];

/**
 * Takes credentials out of a text on its way into a log or a workflow history. `secrets` are the values in use, removed
 * whatever they look like.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  const known = secrets.filter((secret) => secret.length >= 4);
  const withoutKnown = known.reduce((kept, secret) => kept.replaceAll(secret, '[redacted]'), text);
  return rules.reduce(
    (kept, [pattern, replacement]) => kept.replace(pattern, replacement),
    withoutKnown,
  );
}
