// Lets a process of its own load the sources as they are. Their imports have no extensions, and name a folder for its index.

import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) => {
    if (!/^\.\.?\/(?:.*\/)?[\w-]+$/.test(specifier)) return next(specifier, context);
    const source = [`${specifier}.ts`, `${specifier}/index.ts`].find((path) =>
      existsSync(new URL(path, context.parentURL)),
    );
    return next(source ?? specifier, context);
  },
});
