// Stacks of workflow code name lines of the bundle. Here they get the lines of our sources.

import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';

export const bundlePath = join(process.cwd(), 'dist/workflow-bundle.js');

let map: SourceMap | undefined;

function bundleMap(): SourceMap {
  if (map === undefined) {
    const text = readFileSync(bundlePath, 'utf8');
    const base64 = text.slice(text.lastIndexOf('base64,') + 'base64,'.length);
    map = new SourceMap(JSON.parse(Buffer.from(base64, 'base64').toString()) as never);
  }
  return map;
}

export function withSourceLines(stack: string): string {
  const place = /[^\s(]*workflow-bundle\.js:(\d+):(\d+)/g;
  return stack.replace(place, (bundled, line: string, column: string) => {
    const entry = bundleMap().findEntry(Number(line) - 1, Number(column) - 1);
    return 'originalSource' in entry
      ? `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
      : bundled;
  });
}
