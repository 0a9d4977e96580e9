// Parses the prompt templates of a graph's tasks into parts, and renders them with values. Pure. It does not know specs or runs.
//
// 1. Only `${` starts a reference. Any other `$` and `{` is text, so that prompts may contain JSON. `$${` is a literal `${`.
// 2. An inserted value is not parsed: a reference in it stays text.
// 3. The time to parse grows only with the length of the template.

import { LonghaulError } from '../../protocol/errors';
import { type Json, oneLine, textOfParts } from '../../base';
import { limits } from '../../protocol/limits';
import { idPatterns } from '../../protocol/names';
import type { TextPart, UserInput } from '../../protocol/message';

export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'input' }
  | { readonly kind: 'output'; readonly task: string }
  | { readonly kind: 'structured'; readonly task: string; readonly path: readonly string[] }
  | { readonly kind: 'param'; readonly name: string };

/** `reference` is the text in the template, cut if it is long. */
export type TemplateProblem =
  | { readonly kind: 'unclosed' | 'malformed'; readonly reference: string }
  | { readonly kind: 'unknown-task'; readonly reference: string; readonly task: string };

export type Template = {
  readonly parts: readonly TemplatePart[];
  /** The parts, without malformed references. */
  readonly problems: readonly TemplateProblem[];
};

export type TemplateValues = {
  readonly input: UserInput;
  /** Results by task. */
  readonly results: {
    readonly [task: string]: { readonly output: string; readonly structured?: Json };
  };
  /** Values by plain name. */
  readonly params: { readonly [name: string]: Json };
};

type Reference = Exclude<TemplatePart, { kind: 'text' }>;

const longestTaskId = 100;
const shownReference = 80;

/** `tasks` are the ids that a dotted reference may begin with. An id may contain dots, and the longest match counts. */
export function parseTemplate(template: string, tasks: ReadonlySet<string>): Template {
  const parts: TemplatePart[] = [];
  const problems: TemplateProblem[] = [];
  let position = 0;
  for (let start = 0; (start = template.indexOf('${', position)) >= 0;) {
    if (start > position && template[start - 1] === '$') {
      addText(parts, `${template.slice(position, start - 1)}\${`);
      position = start + 2;
      continue;
    }
    addText(parts, template.slice(position, start));
    const end = template.indexOf('}', start);
    position = end < 0 ? template.length : end + 1;
    const parsed =
      end < 0
        ? { kind: 'unclosed' as const, reference: oneLine(template.slice(start), shownReference) }
        : parseReference(template.slice(start + 2, end), tasks);
    if ('reference' in parsed) problems.push(parsed);
    else parts.push(parsed);
  }
  addText(parts, template.slice(position));
  return { parts, problems };
}

/** The plain names that a template uses, sorted, each once. */
export function paramsOf(parts: readonly TemplatePart[]): readonly string[] {
  return [...new Set(parts.flatMap((part) => (part.kind === 'param' ? [part.name] : [])))].sort();
}

/** The tasks that a template uses results of, in order, each once. */
export function tasksOf(parts: readonly TemplatePart[]): readonly string[] {
  return [...new Set(parts.flatMap((part) => ('task' in part ? [part.task] : [])))];
}

/** Inserts strings as they are and other values as JSON. Throws `InvalidInput` with the reference that has no value. */
export function renderTemplate(parts: readonly TemplatePart[], values: TemplateValues): string {
  let text = '';
  for (const part of parts) {
    text += part.kind === 'text' ? part.text : toText(valueOf(part, values));
    if (text.length > limits.input) {
      const message = `The prompt with its values is longer than the limit of ${limits.input} bytes: use fewer or shorter values.`;
      throw new LonghaulError('PayloadTooLarge', message, { details: { limit: limits.input } });
    }
  }
  return text;
}

function addText(parts: TemplatePart[], text: string): void {
  const last = parts.at(-1);
  if (text === '') return;
  if (last?.kind === 'text') parts[parts.length - 1] = { kind: 'text', text: last.text + text };
  else parts.push({ kind: 'text', text });
}

function parseReference(inside: string, tasks: ReadonlySet<string>): Reference | TemplateProblem {
  if (inside === 'input') return { kind: 'input' };
  if (isName(inside)) return { kind: 'param', name: inside };
  const reference = oneLine(`\${${inside}}`, shownReference);
  let isKnown = false;
  for (const dot of dotsIn(inside)) {
    const task = inside.slice(0, dot);
    if (!tasks.has(task)) continue;
    isKnown = true;
    const result = parseResult(task, inside.slice(dot + 1));
    if (result !== undefined) return result;
  }
  const task = isKnown ? undefined : unknownTask(inside);
  return task === undefined
    ? { kind: 'malformed', reference }
    : { kind: 'unknown-task', reference, task };
}

/** The places of dots that may end a task's id, the last one first. */
function dotsIn(inside: string): readonly number[] {
  const dots: number[] = [];
  for (let dot = inside.indexOf('.'); dot >= 0 && dot <= longestTaskId;) {
    dots.unshift(dot);
    dot = inside.indexOf('.', dot + 1);
  }
  return dots;
}

function parseResult(task: string, rest: string): Reference | undefined {
  if (rest === 'output') return { kind: 'output', task };
  const [first, ...path] = rest.split('.');
  const isField = first === 'structured' && path.length > 0 && path.every(isName);
  return isField ? { kind: 'structured', task, path } : undefined;
}

/** Returns the shortest id if there are several readings. */
function unknownTask(inside: string): string | undefined {
  const dot = dotsIn(inside).findLast((at) => parseResult('', inside.slice(at + 1)) !== undefined);
  const task = dot === undefined ? '' : inside.slice(0, dot);
  return idPatterns.agent.test(task) ? task : undefined;
}

/** A key of a reply or of the session, with letters of any language. */
function isName(text: string): boolean {
  return /^[\p{L}\p{M}\p{N}_-]+$/u.test(text);
}

function valueOf(part: Reference, values: TemplateValues): Json | UserInput {
  const value = lookUp(part, values);
  if (value !== undefined) return value;
  const reference = nameOf(part);
  const message = `The prompt uses \${${reference}}, which has no value: ${originOf(part)}.`;
  throw new LonghaulError('InvalidInput', message, { details: { missing: reference } });
}

function lookUp(part: Reference, { input, results, params }: TemplateValues) {
  if (part.kind === 'input') return isStoredText(input) ? textOfParts(input) : input;
  if (part.kind === 'param') return memberOf(params, part.name);
  const result = Object.hasOwn(results, part.task) ? results[part.task] : undefined;
  return part.kind === 'output' ? result?.output : part.path.reduce(memberOf, result?.structured);
}

/** The client put a long text into the result store. The prompt gets the beginning of it, with a note on how to read the rest. */
function isStoredText(input: UserInput): input is readonly TextPart[] {
  if (typeof input === 'string' || input.length !== 1) return false;
  return input[0]?.type === 'text' && input[0].stored !== undefined;
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  // Take own members only, and not the length of an array.
  const isMember = Object.prototype.propertyIsEnumerable.call(value, name);
  return isMember ? (value as { readonly [key: string]: Json })[name] : undefined;
}

function nameOf(part: Reference): string {
  if (part.kind === 'input') return 'input';
  if (part.kind === 'param') return part.name;
  return [part.task, part.kind, ...(part.kind === 'structured' ? part.path : [])].join('.');
}

function originOf(part: Reference): string {
  if (part.kind === 'structured') return `the JSON reply of task '${part.task}' has no such field`;
  if (part.kind === 'output') return `task '${part.task}' has no result`;
  return 'neither the JSON reply of a dependency nor the session has this key';
}

function toText(value: Json | UserInput): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
