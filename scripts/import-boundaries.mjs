// Which part of src may import which, as ESLint configuration. test/unit/boundaries.test.ts proves every arrow.

const SDKS = 'openai|@anthropic-ai/sdk|@google/genai';
const NONE = '(?!)';
const anyBut = (packages) => `(?!(?:${packages}|longhaul)(?:/|$))`;
const PLAIN = anyBut(`@temporalio/[^/]+|${SDKS}`);

const CLIENT = {
  parts: 'base|protocol|core|define|deltas|results|server|stream|telemetry',
  typesOnly: 'workflows',
  packages: anyBut(`@temporalio/(?:worker|workflow|activity|testing)|${SDKS}`),
};
const WORKER = {
  parts: 'base|protocol|core|define|activities|deltas|providers|stores|results|server|telemetry',
  packages: anyBut(`@temporalio/testing|${SDKS}`),
};

/** Patterns of what each part may import; a folder's rule holds for its subfolders too, a later row wins. */
const TABLE = [
  { part: 'base/', parts: NONE, packages: NONE },
  { part: 'protocol/', parts: 'base', typesOnly: 'define', packages: NONE },
  { part: 'core/', parts: 'base|protocol', packages: NONE },
  {
    part: 'workflows/',
    parts: 'base|protocol|core',
    packages: '(?:@temporalio/(?:workflow|common)|fflate)(?:/|$)',
  },
  { part: 'providers/', parts: 'base|protocol', packages: PLAIN },
  { part: 'providers/openai/', parts: 'base|protocol', packages: `openai(?:/|$)|${PLAIN}` },
  {
    part: 'providers/anthropic/',
    parts: 'base|protocol',
    packages: `@anthropic-ai/sdk(?:/|$)|${PLAIN}`,
  },
  { part: 'providers/google/', parts: 'base|protocol', packages: `@google/genai(?:/|$)|${PLAIN}` },
  { part: 'server/', parts: 'base|protocol', packages: anyBut(SDKS) },
  { part: 'stores/', parts: 'base|protocol', packages: PLAIN },
  { part: 'results/', parts: 'base|protocol|stores', packages: PLAIN },
  { part: 'results.ts', parts: 'base|protocol|results', packages: NONE },
  { part: 'deltas/', parts: 'base|protocol|stores|results|server/encryption$', packages: PLAIN },
  { part: 'deltas.ts', parts: 'protocol|deltas', packages: NONE },
  { part: 'stream/', parts: 'base|protocol|core', packages: NONE },
  { part: 'telemetry/', parts: 'base|protocol', typesOnly: 'providers/[^/]+$', packages: NONE },
  {
    part: 'otel/',
    parts: 'base|protocol|define|telemetry',
    typesOnly: 'client|providers/[^/]+$',
    packages: PLAIN,
  },
  { part: 'otel.ts', parts: 'otel|telemetry', packages: NONE },
  { part: 'define/', parts: 'base|protocol|core', packages: PLAIN },
  { part: 'agent-run/', parts: 'base|protocol|core', packages: NONE },
  {
    part: 'activities/',
    parts: 'base|protocol|core|agent-run|define|deltas|stores|results|telemetry|providers/[^/]+$',
    packages: `@temporalio/(?:activity|common)(?:/|$)|${PLAIN}`,
  },
  {
    part: 'testing/',
    parts: 'base|protocol|core|define|activities|providers/[^/]+$|server|worker|client',
    packages: anyBut(SDKS),
  },
  {
    part: 'cli/',
    parts:
      'base|protocol|define|deltas|server|stream|client|worker|providers/redact$|core/transcript/compactions$',
    packages: anyBut(SDKS),
  },
  { part: 'index.ts', parts: 'base|protocol|core|define', packages: NONE },
  { part: 'agent-run.ts', parts: 'base|protocol|core|agent-run', packages: NONE },
  { part: 'client.ts', ...CLIENT, parts: `client|${CLIENT.parts}` },
  { part: 'client/', ...CLIENT },
  { part: 'http.ts', parts: 'http', packages: NONE },
  { part: 'http/', ...CLIENT, parts: `client|${CLIENT.parts}` },
  { part: 'worker.ts', ...WORKER, parts: `worker|${WORKER.parts}` },
  { part: 'worker/', ...WORKER },
];

function restrict({ part, parts, packages, typesOnly = NONE }, nesting) {
  const depth = part.split('/').length - 1 + nesting;
  const root = depth === 0 ? '\\./' : '\\.\\./'.repeat(depth);
  const message = `src/${part} may not import this: see the table of arrows in CONTRIBUTING.md.`;
  const patterns = [
    { regex: `^${root}(?!(?:${parts}|${typesOnly})(?:/|$))`, message },
    { regex: `^${root}(?:${typesOnly})(?:/|$)`, allowTypeImports: true, message },
    { regex: `^(?![./])(?!${packages})`, message },
    { regex: '^\\.\\./(?:openai|anthropic|google)/|^[./]*$', message },
  ];
  return {
    files: [`src/${part}${part.endsWith('/') ? `${'*/'.repeat(nesting)}*.ts` : ''}`],
    rules: { 'no-restricted-imports': ['error', { patterns }] },
  };
}

export const importBoundaries = TABLE.flatMap((row) => {
  const nestings = row.part.endsWith('/') ? [0, 1, 2] : [0];
  return nestings.map((nesting) => restrict(row, nesting));
});
