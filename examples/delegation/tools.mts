import { readdir, readFile } from 'node:fs/promises';
import { defineTool } from 'longhaul';
import { z } from 'zod';

const notes = new URL('notes/', import.meta.url);

/** `plan.txt: the line`, for every line of the notes that contains one of the words. */
export const searchNotes = defineTool({
  name: 'search_notes',
  description: 'Finds the lines of the notes that contain at least one of the words.',
  effect: 'read',
  inputSchema: z.object({ words: z.array(z.string().min(2)).min(1).max(10) }),
  execute: async ({ words }) => {
    const found: string[] = [];
    for (const file of (await readdir(notes)).sort()) {
      const lines = (await readFile(new URL(file, notes), 'utf8')).split('\n');
      found.push(...lines.filter(hasOneOf(words)).map((line) => `${file}: ${line}`));
    }
    return found.join('\n') || 'No line contains one of these words.';
  },
});

function hasOneOf(words: readonly string[]): (line: string) => boolean {
  const wanted = words.map((word) => word.toLowerCase());
  return (line) => wanted.some((word) => line.toLowerCase().includes(word));
}
