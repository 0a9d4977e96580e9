import type { z } from 'zod';
import { isJsonObject, quote } from '../../base';
import { toolFile } from '../schema/file';
import { toolOf, type Tool } from '../tool';
import { check, formatPlace, type At, type Place, type Reading, type Source } from './places';
import { stubTool } from './references';

// The tools that files define whole. No code runs for them: the client of a run gives their results.

type Naming = { readonly registered: readonly Tool[]; readonly reading: Reading };

/** Each name once. Of a tool that is wrong there is a stub, so that its name is known. */
export function toolsOf(
  documents: readonly { readonly source: Source }[],
  { registered, reading }: Naming,
): readonly Tool[] {
  const found = new Map<string, { readonly tool: Tool; readonly place: Place }>();
  for (const at of documents.flatMap(placesOf)) {
    const { value, wrong } = check(toolFile, at, reading);
    const name = isJsonObject(value) ? value.name : undefined;
    if (typeof name !== 'string' || wrong.includes('name')) continue;
    const inside = { ...at, path: [...at.path, 'name'] };
    const earlier = found.get(name)?.place;
    const message = takenMessage(name, earlier, registered);
    if (message !== undefined) reading.problems.push(...reading.places.locate(inside, { message }));
    if (earlier !== undefined) continue;
    const tool = wrong.length > 0 ? stubTool(name) : specTool(value);
    found.set(name, { tool, place: reading.places.find(inside).mark.value });
  }
  return [...found.values()].map(({ tool }) => tool);
}

function placesOf({ source }: { readonly source: Source }): readonly At[] {
  const tools = isJsonObject(source.value) ? source.value.tools : undefined;
  if (!Array.isArray(tools)) return [];
  // What is no object is refused with the document.
  return tools.flatMap((tool, index) =>
    isJsonObject(tool) ? [{ source, path: ['tools', index] }] : [],
  );
}

function takenMessage(
  name: string,
  earlier: Place | undefined,
  registered: readonly Tool[],
): string | undefined {
  if (earlier !== undefined)
    return `is ${quote(name)}, which the tool at ${formatPlace(earlier)} has, too: rename one`;
  if (registered.every((tool) => tool.name !== name)) return undefined;
  return `is ${quote(name)}, which a tool in code has, too: rename one, or define it in one place only`;
}

/** The value is as its schema makes it. */
function specTool(value: unknown): Tool {
  return Object.freeze({ ...toolOf(value as z.output<typeof toolFile>, {}), inSpec: true });
}
