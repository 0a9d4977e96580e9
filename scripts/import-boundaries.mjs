// Which room of src may import which, as ESLint configuration. test/unit/boundaries.test.ts proves every arrow.
//
// `core` is imported file by file. Every other room is imported by its door: `<room>/index.ts`, or one of the folders in `DOORS`. A file
// imports what it likes of its own room. The parts in `BELOW_SPECS` take files of `protocol`: its door also has the types of specs, which
// are made of these parts.

const SDKS = 'openai|@anthropic-ai/sdk|@google/genai';
const NONE = '(?!)';
const anyBut = (packages) => `(?!(?:${packages}|longhaul)(?:/|$))`;
const PLAIN = anyBut(`@temporalio/[^/]+|${SDKS}`);

export const WORDS = ['core'];

/** Folders that have a door of their own, because who needs them must not load the rest of their room. */
export const DOORS = {
  activities: ['options'],
  define: ['arguments', 'schema'],
  server: ['dev', 'machine'],
  telemetry: ['otel'],
};

export const BELOW_SPECS = ['core/', 'define/schema/'];

const CLIENT = {
  rooms: 'base protocol core define server stores telemetry',
  typesOnly: 'workflows',
  packages: anyBut(`@temporalio/(?:worker|workflow|activity|testing)|${SDKS}`),
};
const WORKER = {
  rooms: 'base protocol core define activities providers server stores telemetry',
  packages: anyBut(`@temporalio/testing|${SDKS}`),
};

/** What each room may import; a folder's rule holds for its subfolders too, a later row wins. */
const TABLE = [
  { part: 'base/', packages: NONE },
  { part: 'protocol/', rooms: 'base', typesOnly: 'define/schema', packages: NONE },
  { part: 'core/', rooms: 'base protocol', packages: NONE },
  {
    part: 'workflows/',
    rooms: 'base protocol core',
    packages: '(?:@temporalio/(?:workflow|common)|fflate)(?:/|$)',
  },
  { part: 'providers/', rooms: 'base protocol', packages: PLAIN },
  { part: 'providers/openai/', rooms: 'base protocol', packages: `openai(?:/|$)|${PLAIN}` },
  {
    part: 'providers/anthropic/',
    rooms: 'base protocol',
    packages: `@anthropic-ai/sdk(?:/|$)|${PLAIN}`,
  },
  { part: 'providers/google/', rooms: 'base protocol', packages: `@google/genai(?:/|$)|${PLAIN}` },
  { part: 'server/', rooms: 'base protocol', packages: anyBut(SDKS) },
  { part: 'stores/', rooms: 'base protocol server', packages: PLAIN },
  { part: 'stores.ts', own: 'stores', rooms: 'protocol core', packages: NONE },
  { part: 'telemetry/', rooms: 'base protocol', typesOnly: 'providers', packages: NONE },
  {
    part: 'telemetry/otel/',
    rooms: 'base protocol define',
    typesOnly: 'providers',
    packages: PLAIN,
  },
  { part: 'define/', rooms: 'base protocol core', packages: PLAIN },
  { part: 'define/schema/', rooms: 'base protocol core', packages: PLAIN },
  { part: 'agent-run/', rooms: 'base protocol core', packages: NONE },
  { part: 'agent-run.ts', own: 'agent-run', rooms: 'base protocol core', packages: NONE },
  {
    part: 'activities/',
    rooms: 'base protocol core agent-run define providers stores telemetry',
    packages: `@temporalio/(?:activity|common)(?:/|$)|${PLAIN}`,
  },
  { part: 'client/', ...CLIENT },
  { part: 'client/index.ts', ...CLIENT, rooms: `client ${CLIENT.rooms}` },
  { part: 'client.ts', own: 'client', ...CLIENT },
  { part: 'http/', ...CLIENT, rooms: `client ${CLIENT.rooms}` },
  { part: 'worker/', ...WORKER },
  { part: 'worker.ts', own: 'worker', ...WORKER },
  {
    part: 'testing/',
    rooms: 'base protocol core define activities providers server stores worker client',
    packages: anyBut(SDKS),
  },
  {
    part: 'cli/',
    rooms: 'base protocol core define providers server stores client worker',
    packages: anyBut(SDKS),
  },
  { part: 'index.ts', rooms: 'base protocol core define telemetry', packages: NONE },
];

/** The paths by which a room may be imported, as a regular expression. */
function pathsOf(rooms, { own, words = WORDS } = {}) {
  const paths = rooms.split(' ').map((room) => {
    if (words.includes(room)) return `${room}(?:/|$)`;
    const folders = (DOORS[room] ?? []).map((folder) => `/${folder}`);
    return `${room}(?:${['', '/index', ...folders].join('|')})$`;
  });
  return [...paths, ...(own === undefined ? [] : [`${own}/`])].join('|');
}

function restrict({ part, own, rooms = '', typesOnly = '', packages }, nesting) {
  const depth = part.split('/').length - 1 + nesting;
  const root = depth === 0 ? '\\./' : '\\.\\./'.repeat(depth);
  const message = `src/${part} may not import this: see the table of arrows in CONTRIBUTING.md. Other rooms are imported by their door.`;
  const words = BELOW_SPECS.includes(part) ? [...WORDS, 'protocol'] : WORDS;
  const allowed = rooms === '' ? NONE : pathsOf(rooms, { own, words });
  const types = typesOnly === '' ? NONE : pathsOf(typesOnly);
  const patterns = [
    { regex: `^${root}(?!${allowed}|${types})`, message },
    { regex: `^${root}(?:${types})`, allowTypeImports: true, message },
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
