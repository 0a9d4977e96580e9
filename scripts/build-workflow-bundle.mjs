// Bundles the compiled workflows, so that a worker without workflows of its own starts without webpack.
// Usage: build-workflow-bundle.mjs [folder of the compiled package, default dist]
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { parse } from 'acorn';

const LIMIT = 2_500_000;
const folder = resolve(process.argv[2] ?? 'dist');
const { interceptorModules, sharedModules } = createRequire(import.meta.url)(
  join(folder, 'worker/bundle.js'),
);

/** Names in the bundle and its source map are relative to the package: it is the same wherever it is built. */
function portable(config, filename) {
  const devtoolModuleFilenameTemplate = ({ absoluteResourcePath }) =>
    relative(folder, absoluteResourcePath);
  return {
    ...config,
    context: folder,
    devtool: 'inline-nosources-source-map',
    output: { ...config.output, filename, devtoolModuleFilenameTemplate },
  };
}

/** Comments are a fifth of a bundle. Every line stays where it is, so the source map is right. The map is the last one, and stays. */
function withoutComments(code) {
  const comments = [];
  parse(code, { ecmaVersion: 'latest', onComment: comments });
  comments.pop();
  let end = 0;
  const kept = comments.map(({ value, ...comment }) => {
    const before = code.slice(end, comment.start);
    end = comment.end;
    return before + value.replaceAll(/[^\n]+/g, '');
  });
  return kept.join('') + code.slice(end);
}

/** The packages whose code is in a bundle, by its source map. */
function bundledPackages(code) {
  const [, map] = /sourceMappingURL=data:application\/json[^,]*,(\S+)\s*$/.exec(code);
  const { sources } = JSON.parse(Buffer.from(map, 'base64').toString());
  return sources.flatMap(
    (source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? [],
  );
}

/** Their licences ask that their text goes along with their code. */
function noticeOf(name) {
  const place = join('node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
  const file = readdirSync(place).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry));
  if (file === undefined)
    throw new Error(`${name} is in the bundle, and has no text of its licence`);
  const text = readFileSync(join(place, file), 'utf8').trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
}

/** For workers with `encryption`, and without. */
const variants = [
  { file: 'workflow-bundle.js' },
  { file: 'workflow-bundle-encrypted.js', failureConverterPath: 'workflows/failure-converter.js' },
];

const packages = new Set();
for (const { file, failureConverterPath } of variants) {
  const bundle = await bundleWorkflowCode({
    workflowsPath: join(folder, 'workflows/index.js'),
    logger: new DefaultLogger('WARN'),
    workflowInterceptorModules: interceptorModules(),
    preloadModules: sharedModules(),
    webpackConfigHook: (config) => portable(config, file),
    ...(failureConverterPath && { failureConverterPath: join(folder, failureConverterPath) }),
  });
  const code = withoutComments(bundle.code);
  const size = Buffer.byteLength(code);
  console.log(`${file}: ${(size / 1e6).toFixed(2)} MB (limit ${LIMIT / 1e6} MB)`);
  if (size > LIMIT) process.exit(1);
  writeFileSync(join(folder, file), code);
  for (const name of bundledPackages(code)) packages.add(name);
}
const notices = [...packages].sort().map(noticeOf);
if (notices.length === 0) throw new Error('the source maps name no package');
const opening = 'The workflow bundles in this folder contain code of these packages.\n';
writeFileSync(
  join(folder, 'workflow-bundle.LICENSES.txt'),
  [opening, ...notices].join(`\n${'-'.repeat(80)}\n\n`),
);
