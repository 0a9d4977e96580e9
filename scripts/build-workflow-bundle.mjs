// Bundles the compiled workflows, so that a worker without workflows of its own starts without webpack.
// Usage: build-workflow-bundle.mjs [folder of the compiled package, default dist]
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

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

/** For workers with `encryption`, and without. */
const variants = [
  { file: 'workflow-bundle.js' },
  { file: 'workflow-bundle-encrypted.js', failureConverterPath: 'workflows/failure-converter.js' },
];

for (const { file, failureConverterPath } of variants) {
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(folder, 'workflows/index.js'),
    logger: new DefaultLogger('WARN'),
    workflowInterceptorModules: interceptorModules(),
    preloadModules: sharedModules(),
    webpackConfigHook: (config) => portable(config, file),
    ...(failureConverterPath && { failureConverterPath: join(folder, failureConverterPath) }),
  });
  const size = Buffer.byteLength(code);
  console.log(`${file}: ${(size / 1e6).toFixed(2)} MB (limit ${LIMIT / 1e6} MB)`);
  if (size > LIMIT) process.exit(1);
  writeFileSync(join(folder, file), code);
}
