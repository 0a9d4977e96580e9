// The reference of what users import, made of its comments: a page for each entry of the package.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Application, Converter } from 'typedoc';
import { entries, nameOfEntry, root } from './pages.mjs';

function sourceOf(entry) {
  const sources = [`src/${entry}.ts`, `src/${entry}/index.ts`];
  return sources.map((path) => join(root, path)).find(existsSync);
}

/** Writes a folder of pages. */
export async function writeApi(folder) {
  const table = 'table';
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: entries.map(sourceOf),
    tsconfig: join(root, 'tsconfig.build.json'),
    readme: 'none',
    out: folder,
    outputFileStrategy: 'modules',
    entryFileName: 'index',
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    disableSources: true,
    hidePageHeader: true,
    hideBreadcrumbs: true,
    // The numbers that it adds to names of which a page has two are not always those of VitePress.
    useHTMLAnchors: true,
    parametersFormat: table,
    typeDeclarationFormat: table,
    // `npm run types` checks them.
    skipErrorChecking: true,
    logLevel: 'Warn',
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) module.name = nameOfEntry(module.name);
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('typedoc made nothing of src');
  await app.generateOutputs(project);
}
