import { unwatchFile, watchFile, type Stats } from 'node:fs';

export type WatchedFiles = {
  watched(): readonly string[];
  /** Watches these from now on, and no others. */
  watch(files: readonly string[]): void;
  close(): void;
};

const everyMs = 300;

/**
 * Calls `onChange` when a file changes, appears or goes. Files are looked at again and again: editors replace a file instead of
 * writing it, and notifications do not cross every file system.
 */
export function watchFiles(onChange: () => void): WatchedFiles {
  let watched: readonly string[] = [];
  const look = (now: Stats, before: Stats): void => {
    if (now.mtimeMs !== before.mtimeMs || now.size !== before.size) onChange();
  };
  const watch = (files: readonly string[]): void => {
    const wanted = [...new Set(files)];
    for (const file of watched) if (!wanted.includes(file)) unwatchFile(file, look);
    for (const file of wanted) {
      if (!watched.includes(file)) watchFile(file, { interval: everyMs, persistent: false }, look);
    }
    watched = wanted;
  };
  return { watched: () => watched, watch, close: () => watch([]) };
}
