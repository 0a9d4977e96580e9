// Makes the site in site/dist. Usage: build.mjs [--base /path/], the path below which it is served. Once installed, it needs no network.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, globSync, mkdirSync } from 'node:fs';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { homeOf } from './home.mjs';
import { grouped, readPages, root } from './pages.mjs';

const { values: options } = parseArgs({ options: { base: { type: 'string', default: '/' } } });
const begun = performance.now();
const here = import.meta.dirname;
/** What VitePress reads: the pages with links of the site. */
const staged = join(here, 'pages');
const made = join(here, 'dist');
/** What typedoc puts before its headings. */
const anchors = /<a id="[^"]*"><\/a>\n*/g;

function install() {
  const [lock, installed] = ['package-lock.json', 'node_modules/.package-lock.json'];
  const isThere = existsSync(join(here, installed));
  const age = (file) => statSync(join(here, file)).mtimeMs;
  if (!isThere || age(installed) < age(lock))
    execFileSync('npm', ['ci', '--no-progress'], { cwd: here, stdio: 'inherit' });
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

/** The pages for those who read without a browser: a list, and each page as it was written. */
function writeForReaders({ groups, readme }) {
  const lines = groups.flatMap(({ name, pages }) => {
    const items = pages.map(({ address, title, description }) => {
      return `- [${title}](${options.base}${address}): ${description}`;
    });
    return [`## ${name}`, '', ...items, ''];
  });
  const head = [`# ${readme.title}`, '', `> ${readme.description}`, ''];
  write(join(made, 'llms.txt'), [...head, ...lines].join('\n'));
  for (const page of globSync('**/*.md', { cwd: staged }))
    write(join(made, page), readFileSync(join(staged, page), 'utf8').replaceAll(anchors, ''));
  write(join(made, readme.address), readme.text);
}

install();
const { writeApi } = await import('./api.mjs');
const { build } = await import('vitepress');
for (const folder of [staged, made]) rmSync(folder, { recursive: true, force: true });

const { pages, images } = readPages();
const readme = pages.get('README.md');
const groups = grouped(pages);
const [start] = groups
  .flatMap((group) => group.pages)
  .filter(({ address }) => /start/.test(address));
for (const { address, text } of pages.values()) write(join(staged, address), text);
write(join(staged, readme.address), homeOf(readme.text, start));
for (const image of images) copy(join(root, image), join(staged, 'public/images', basename(image)));
const mermaid = join(here, 'node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js');
copy(mermaid, join(staged, 'public/mermaid.js'));
await writeApi(join(staged, 'api'));
await build(here, { base: options.base });
writeForReaders({ groups, readme });
const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
console.log(`${globSync('**/*.html', { cwd: made }).length} pages in site/dist, ${seconds} s`);
