// Bundles the compiled workflows, so that a worker without workflows of its own starts without webpack.
// Usage: build-workflow-bundle.mjs [folder of the compiled package, default dist]
import { globSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const LIMIT = 2_500_000;
const folder = resolve(process.argv[2] ?? 'dist');

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

/**
 * Modules that keep nothing of a run: evaluated once for all runs of a worker, not once for each, which is most of what a run that waits
 * takes of memory. Never \`@temporalio/workflow\` or what imports it.
 */
const preloadModules = [
  '@temporalio/common',
  ...globSync(['{base,core,protocol}/**/*.js', 'workflows/deflated-json.js'], { cwd: folder })
    .sort()
    .map((file) => join(folder, file)),
];

/** For workers with `encryption`, and without. */
const variants = [
  { file: 'workflow-bundle.js' },
  { file: 'workflow-bundle-encrypted.js', failureConverterPath: 'workflows/failure-converter.js' },
];

for (const { file, failureConverterPath } of variants) {
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(folder, 'workflows/index.js'),
    logger: new DefaultLogger('WARN'),
    workflowInterceptorModules: [join(folder, 'workflows/encryption.js')],
    preloadModules,
    webpackConfigHook: (config) => portable(config, file),
    ...(failureConverterPath && { failureConverterPath: join(folder, failureConverterPath) }),
  });
  const size = Buffer.byteLength(code);
  console.log(`${file}: ${(size / 1e6).toFixed(2)} MB (limit ${LIMIT / 1e6} MB)`);
  if (size > LIMIT) process.exit(1);
  writeFileSync(join(folder, file), code);
}
