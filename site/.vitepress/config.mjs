import { defineConfig } from 'vitepress';
import { grouped, readPages } from '../pages.mjs';

const { pages } = readPages();
const groups = grouped(pages);
const all = groups.flatMap((group) => group.pages);
const described = new Map(all.map(({ address, description }) => [address, description]));
const readme = pages.get('README.md');
const addressOf = (page) => `/${page.address.replace(/\.md$/, '')}`;
const icon =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='7' fill='%233451b2'/><path d='M10 7v18h13' fill='none' stroke='white' stroke-width='4'/></svg>";

/** As GitHub makes them, on which the links of docs/ rely. */
function anchorOf(title) {
  const kept = title.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
  return kept.trim().replaceAll(/\s/g, '-');
}

/** A diagram is drawn in the browser. A first line `// file: name.ts` becomes the title of the code. */
function drawFences(md) {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const token = tokens[index];
    if (token.info === 'mermaid') return `<Diagram code="${encodeURIComponent(token.content)}" />`;
    const [line, file] = /^\/\/ file: (\S+)\n/.exec(token.content) ?? [];
    if (line === undefined) return fence(tokens, index, ...rest);
    token.content = token.content.slice(line.length);
    return `<div class="file"><p>${file}</p>${fence(tokens, index, ...rest)}</div>`;
  };
}

export default defineConfig({
  srcDir: 'pages',
  outDir: 'dist',
  title: readme.title,
  description: readme.description,
  head: [['link', { rel: 'icon', href: icon }]],
  markdown: { anchor: { slugify: anchorOf }, config: drawFences },
  transformPageData: ({ relativePath, frontmatter }) => ({
    description: described.get(relativePath) ?? readme.description,
    frontmatter: { ...frontmatter, pageClass: relativePath.startsWith('api/') ? 'reference' : '' },
  }),
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: {
            // It runs in the browser, by itself.
            boostDocument: (id) => (/\/(api|adr|repository)\//.test(id) ? 0.4 : 1),
          },
        },
      },
    },
    nav: [
      ...all
        .filter(({ address }) => /(^|\/)(start|overview)\.md$/.test(address))
        .map((page) => ({ text: page.title, link: addressOf(page) })),
      { text: 'API', link: '/api/longhaul', activeMatch: '/api/' },
    ],
    sidebar: groups.map(({ name, closed, pages: inGroup }) => ({
      text: name,
      collapsed: closed ?? false,
      items: inGroup.map((page) => ({ text: page.title, link: addressOf(page) })),
    })),
    outline: [2, 3],
    docFooter: { prev: false, next: false },
  },
});
