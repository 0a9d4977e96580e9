import * as nodeModule from 'node:module';
import { dirname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ownFolder = dirname(dirname(__dirname));

export type LoadedFiles = {
  /** The user's own modules that were loaded since. */
  files(): readonly string[];
  stop(): void;
};

/** Notes the modules that are loaded, packages left out. Node before 22.15 cannot tell: then there are none. */
export function noteLoadedFiles(): LoadedFiles {
  const { registerHooks } = nodeModule as { registerHooks?: typeof nodeModule.registerHooks };
  const urls = new Set<string>();
  const hooks = registerHooks?.({
    load: (url, context, nextLoad) => {
      urls.add(url);
      return nextLoad(url, context);
    },
  });
  return {
    files: () =>
      [...urls]
        .filter((url) => url.startsWith('file:'))
        .map(toPath)
        .filter(isOwn),
    stop: () => hooks?.deregister(),
  };
}

function toPath(url: string): string {
  return fileURLToPath(url);
}

function isOwn(file: string): boolean {
  return !file.includes(`${sep}node_modules${sep}`) && !file.startsWith(ownFolder + sep);
}
