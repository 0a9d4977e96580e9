// Reads specs in four phases: files into documents, documents into drafts, drafts linked with each other and with code, drafts into
// runners. It returns all that it could make. Problems go into `reading`, and each phase goes on where something is wrong.

import type { CodeOptions } from '../registry';
import type { Runner } from '../runner';
import type { Tool } from '../tool';
import { buildRunners } from './build';
import { specCode, withStubs } from './code';
import { draftRunners, type Document, type Draft } from './drafts';
import { findSpecFiles, type SpecFile, type SpecSource } from './find';
import { checkNames, linkDrafts } from './links';
import { withOurNames } from './names';
import { mergeOverlay } from './overlay';
import { Reading, startOf, type Environment, type Source } from './places';
import { parseText } from './source';
import { approvedTools, checkApprovals, toolsOf } from './tools';

export type ReadSpecOptions = CodeOptions & {
  readonly overlays?: readonly SpecSource[];
  readonly env?: Environment;
  /** What to do about missing code. `ignored`: the approval of tools is not checked, either. */
  readonly missingCode: 'refused' | 'stubbed' | 'ignored';
};

export type ReadSpecs = {
  readonly reading: Reading;
  readonly drafts: readonly Draft[];
  /** The runners by id, in the order of the files, without those inside others. Use them only if there are no problems. */
  readonly runners: ReadonlyMap<string, Runner>;
  /** The files of the specs and of their overlays. */
  readonly files: readonly string[];
  readonly promptFiles: readonly string[];
  /** Names of code that a stub replaces. */
  readonly missing: readonly string[];
  /** Tools that need approval because of the specs, each with the tool in its place. */
  readonly approved: ReadonlyMap<Tool, Tool>;
  /** The tools that the specs define. */
  readonly tools: readonly Tool[];
};

export function readSpecs(
  source: SpecSource | readonly SpecSource[],
  { overlays = [], env = process.env, missingCode, ...options }: ReadSpecOptions,
): ReadSpecs {
  const found = findSpecFiles(source, overlays);
  const reading = new Reading(env);
  const documents = readDocuments(found, reading);
  const promptFiles: string[] = [];
  const drafts = draftRunners(documents, reading, promptFiles);

  const own = toolsOf(documents, options.tools ?? [], reading);
  const given = specCode(options, own);
  const filled = withStubs(given, drafts);
  if (missingCode !== 'ignored') {
    const code = missingCode === 'refused' ? given : filled.code;
    checkNames(drafts, code, reading);
    checkApprovals(drafts, code, reading);
  }
  const linked = linkDrafts(drafts, reading);

  const tools = approvedTools(drafts, filled.code);
  const code = { ...filled.code, tools };
  const asWanted = (tool: Tool) => tools.get(tool.name) ?? tool;
  const changed = [...given.tools.values()].filter((tool) => asWanted(tool) !== tool);
  return {
    reading,
    drafts,
    runners: buildRunners(drafts, { code, linked, reading }),
    files: [...found.specs, ...found.overlays].map(({ name }) => name),
    promptFiles,
    missing: filled.missing,
    approved: new Map(changed.map((tool) => [tool, asWanted(tool)])),
    tools: own.map(asWanted),
  };
}

/** The documents of the specs with their overlays, by our own names for all fields. */
function readDocuments(
  found: { readonly specs: readonly SpecFile[]; readonly overlays: readonly SpecFile[] },
  reading: Reading,
): readonly Document[] {
  const specs = found.specs.flatMap((file) => readFile(file, reading));
  const overlays = found.overlays.flatMap((file) => readFile(file, reading));
  const sources = overlays.reduce<readonly Source[]>(
    (merged, overlay) => mergeOverlay(merged, overlay.source, reading),
    specs.map(({ source }) => source),
  );
  return sources.map((source, index) => ({
    source: withOurNames(source, reading),
    folder: specs[index]?.folder,
  }));
}

function readFile({ name, folder, content }: SpecFile, reading: Reading): readonly Document[] {
  const before = reading.problems.length;
  const sources = content.ok ? parseText(name, content.text, reading) : [];
  if (sources.length === 0) {
    reading.hasUnreadFile = true;
    const message = content.ok
      ? 'has nothing in it: it needs agents, workflows or tools'
      : content.message;
    if (reading.problems.length === before) reading.reportAt(startOf(name), '', message);
  }
  return sources.map((source) => ({ source, folder }));
}
