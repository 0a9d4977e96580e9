// The pages of the site, made of those of the repository: which there are, where they are, and where their links lead.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '..');

/** The groups of the sidebar. A page of docs/ that is in none fails the build. */
const groups = {
  'The path': ['index', 'path/start', 'path/tools', 'path/people', 'path/deploy', 'path/operate'],
  Agents: ['agents', 'tools', 'orchestration', 'context', 'memory', 'specs'],
  'People and programs': ['approvals', 'running', 'cli', 'http', 'testing'],
  'In production': ['workers', 'operating', 'upgrading', 'errors', 'security'],
  'To decide': ['architecture', 'compare'],
};

/** What users import from, the first things first. */
// prettier-ignore
export const entries = ['index', 'client', 'worker', 'http', 'testing', 'stores', 'workflows', 'agent-run'];

const sourcesOf = (group) => group.map((name) => `docs/${name}.md`);
const isThere = (source) => existsSync(join(root, source));
/** Their list comes first. */
const decisions = ['docs/adr/README.md', ...globSync('docs/adr/[0-9]*.md', { cwd: root }).sort()];

/** What a match of it is not code or a comment has a label and a target: a link or an image. */
const marks =
  /^ *```[\s\S]*?^ *```$|<!--[\s\S]*?-->\n?|`[^`\n]+`|(?<image>!?)\[(?<label>(?:[^[\]]|\[[^\]]*\])*)\]\((?<target>[^)\s]+)\)/gm;

/** The README is the home, docs/ is at the top, and what else they link to is below repository/. */
function addressOf(source) {
  if (source === 'README.md') return 'index.md';
  if (source === 'docs/index.md') return 'overview.md';
  return source.startsWith('docs/') ? source.slice('docs/'.length) : `repository/${source}`;
}

/** The page that a link means: a file, or the README of a folder. */
function pageAt(path) {
  return [path, posix.join(path, 'README.md')].find((it) => it.endsWith('.md') && isThere(it));
}

/** The same text with links that lead somewhere on the site. A link to a file that is no page becomes its label. */
function onSite(text, source, { found, images }) {
  return text.replaceAll(marks, (whole, ...rest) => {
    const { image, label, target } = rest.at(-1);
    if (target === undefined) return whole.startsWith('<!--') ? '' : whole;
    if (/^([a-z]+:|#)/.test(target)) return whole;
    const [file, anchor] = target.split('#');
    const path = posix.join(posix.dirname(source), file);
    if (image === '!') {
      images.add(path);
      return `![${label}](/images/${posix.basename(path)})`;
    }
    const page = pageAt(path);
    if (page === undefined) return label;
    found(page);
    const way = posix.relative(posix.dirname(addressOf(source)), addressOf(page));
    return `[${label}](${way.startsWith('.') ? way : `./${way}`}${anchor ? `#${anchor}` : ''})`;
  });
}

const titleOf = (text) => /^# (.+)$/m.exec(text)?.[1].replaceAll('`', '');

/** The first sentence, and the next as long as that is short. */
function descriptionOf(text) {
  const prose = text.replaceAll(/^#.*$|^Status: .*$|^```[\s\S]*?^```$|\*\*/gm, '').trim();
  const [paragraph = ''] = prose.split(/\n\s*\n/);
  const plain = paragraph.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/\s+/g, ' ');
  const sentences = plain.split(/(?<=[.:]) (?=[A-Z])/);
  let said = sentences.shift();
  while (said.length < 60 && sentences.length > 0) said = `${said} ${sentences.shift()}`;
  return said.replace(/:$/, '.');
}

/** All pages by their source, from those of the sidebar to whatever their links lead to; and the images in them. */
export function readPages() {
  const listed = Object.values(groups).flatMap(sourcesOf);
  const there = globSync('docs/{,path/}*.md', { cwd: root });
  const unlisted = there.filter((it) => !listed.includes(it));
  const missing = listed.filter((it) => !there.includes(it));
  if (unlisted.length + missing.length > 0)
    throw new Error(
      `The groups in site/pages.mjs lack ${unlisted.join(', ') || 'nothing'}; docs/ lacks ${missing.join(', ') || 'nothing'}.`,
    );
  const pages = new Map();
  const images = new Set();
  const open = ['README.md', ...listed, ...decisions];
  const found = (source) => open.includes(source) || open.push(source);
  // It grows while it is read.
  for (const source of open) {
    const raw = readFileSync(join(root, source), 'utf8');
    const text = onSite(raw, source, { found, images });
    const title = source === 'docs/index.md' ? 'Overview' : titleOf(text);
    const address = addressOf(source);
    pages.set(source, { address, title, text, description: descriptionOf(text) });
  }
  return { pages, images };
}

export const nameOfEntry = (entry) => (entry === 'index' ? 'longhaul' : `longhaul/${entry}`);

function apiPageOf(entry) {
  const title = nameOfEntry(entry);
  return { address: `api/${title}.md`, title, description: `What \`${title}\` exports.` };
}

/** The groups as the sidebar and llms.txt show them: those that one reads, then those that are `closed` at first. */
export function grouped(pages) {
  const group = (name, sources, closed = false) => {
    const found = sources.flatMap((source) => pages.get(source) ?? []);
    return { name, closed, pages: found };
  };
  const read = Object.entries(groups).map(([name, names]) => group(name, sourcesOf(names)));
  const known = new Set([...read.flatMap((it) => it.pages), pages.get('README.md')]);
  const isOther = (source) => !known.has(pages.get(source)) && !decisions.includes(source);
  return [
    ...read,
    { name: 'API', pages: entries.map(apiPageOf) },
    group('Decisions', decisions, true),
    group('The repository', [...pages.keys()].filter(isOther), true),
  ].filter((it) => it.pages.length > 0);
}
