// Makes the tools that files define, and applies the rules of approval that agents of files give to tools.

import type { z } from 'zod';
import { canonicalJson, deepFreeze, defined, isJsonObject, quote } from '../../base';
import { policyOf } from '../schema/approval';
import { toolFile } from '../schema/file';
import { toolOf, type Tool } from '../tool';
import { stubs, type SpecCode } from './code';
import { usesOf, type Asks, type Document, type Draft, type Use } from './drafts';
import { check, formatPlace, type Place, type Reading } from './places';

/**
 * The tools that documents define, each name once. No code runs for them: the client of a run gives their results. A wrong tool becomes a
 * stub, so that its name is known.
 */
export function toolsOf(
  documents: readonly Document[],
  registered: readonly Tool[],
  reading: Reading,
): readonly Tool[] {
  const found = new Map<string, { readonly tool: Tool; readonly place: Place }>();
  for (const { source } of documents) {
    const tools = isJsonObject(source.value) ? source.value.tools : undefined;
    for (const [index, item] of Array.isArray(tools) ? tools.entries() : []) {
      // An item that is no object is refused with the document.
      if (!isJsonObject(item)) continue;
      const at = { source, path: ['tools', index] };
      const { value, wrong } = check(toolFile, at, reading);
      const { name } = item;
      if (typeof name !== 'string' || wrong.some(([field]) => field === 'name')) continue;
      const earlier = found.get(name)?.place;
      const message = takenMessage(name, earlier, registered);
      if (message !== undefined) reading.report(at, ['name'], { message });
      if (earlier !== undefined) continue;
      const fields = value as unknown as z.output<typeof toolFile>;
      const tool =
        wrong.length > 0
          ? stubs.tools(name)
          : Object.freeze({ ...toolOf(fields, {}), inSpec: true });
      const { mark } = reading.places.find({ source, path: [...at.path, 'name'] });
      found.set(name, { tool, place: mark.value });
    }
  }
  return [...found.values()].map(({ tool }) => tool);
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

/** Reports agents that give a tool other rules of approval than the tool itself, or than another agent. */
export function checkApprovals(drafts: readonly Draft[], code: SpecCode, reading: Reading): void {
  const uses = usesOf(drafts).filter(({ list }) => list === 'tools');
  for (const use of uses) {
    const message = ruleProblem(use, uses, { code, reading });
    if (message !== undefined) reading.report(use.draft.at, use.path, { message });
  }
}

/** A tool has one rule: its own rules, or else those of the first agent with rules for it. */
function ruleProblem(
  { name, needsApproval: asks }: Use,
  uses: readonly Use[],
  { code, reading }: { readonly code: SpecCode; readonly reading: Reading },
): string | undefined {
  const spec = code.tools.get(name)?.spec;
  const own = spec?.approval;
  if (own !== undefined && isJsonObject(asks) && !isEqual(policyOf(asks), own))
    return `gives ${quote(name)} other rules than the tool has itself: write needsApproval: true`;
  // Without rules the agent leaves them to a tool that asks by itself.
  if (asks === undefined && spec?.needsApproval === true) return undefined;
  const other = uses.find((one) => one.name === name && one.needsApproval !== undefined);
  if (other === undefined || isEqual(asks ?? null, other.needsApproval)) return undefined;
  const place = reading.placeOf(other.draft.at, other.path);
  const at = place === undefined ? 'another place' : formatPlace(place);
  const oneRule = 'a tool has one rule for all agents';
  return asks === undefined
    ? `uses ${quote(name)} without needsApproval, which it has at ${at}: ${oneRule}`
    : `gives ${quote(name)} other rules than ${at}: ${oneRule}`;
}

const isEqual = (one: unknown, other: unknown): boolean =>
  canonicalJson(one) === canonicalJson(other);

/** The tools as the agents of the specs want them: a spec may ask for approval, and never drops it. */
export function approvedTools(drafts: readonly Draft[], code: SpecCode): ReadonlyMap<string, Tool> {
  const tools = new Map(code.tools);
  for (const { list, name, needsApproval } of usesOf(drafts)) {
    const tool = list === 'tools' ? tools.get(name) : undefined;
    if (tool !== undefined && needsApproval !== undefined)
      tools.set(name, withApproval(tool, needsApproval));
  }
  return tools;
}

function withApproval(tool: Tool, asks: Asks): Tool {
  const { spec } = tool;
  const approval = spec.approval ?? (asks === true ? {} : policyOf(asks));
  const rules = Object.keys(approval).length > 0 ? { approval } : {};
  if (spec.needsApproval === true && isEqual(rules, defined({ approval: spec.approval })))
    return tool;
  const asked = { ...tool, spec: deepFreeze({ ...spec, needsApproval: true, ...rules }) };
  // A function that decides per call has nothing left to decide.
  delete asked.needsApproval;
  return Object.freeze(asked);
}
