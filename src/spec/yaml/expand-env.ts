import { didYouMean } from '../../base/nearest';
import { formatPath, quote } from '../../base/problem';
import type { Located, LocatedEntry, LocatedScalar } from './located';
import { problemAt, type SpecProblem } from './spec-problem';

export type Environment = Readonly<Record<string, string | undefined>>;

type Path = readonly (string | number)[];
type Expansion = { readonly env: Environment; readonly problems: SpecProblem[] };
type Reference = { readonly text: string } | { readonly problem: string };

/** One `$` more keeps a reference as it is written: `$${env:NAME}` is the text `${env:NAME}`. */
const reference = /(?<!\$)\$(\$+)\{env:|\$\{env:([^}]*)(\}?)/g;
const wellFormed = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;
const secret = /key|token|secret|password/i;

/** Values with their `${env:NAME}` and `${env:NAME:-default}` replaced. Keys stay as they are. */
export function expandEnvironment(node: Located, expansion: Expansion, path: Path = []): Located {
  if (node.kind === 'scalar') return expandScalar(node, expansion, path);
  if (node.kind === 'list') {
    const items = node.items.map((item, index) =>
      expandEnvironment(item, expansion, [...path, index]),
    );
    return { ...node, items };
  }
  const entries = new Map<string, LocatedEntry>();
  for (const [name, { key, value }] of node.entries) {
    entries.set(name, { key, value: expandEnvironment(value, expansion, [...path, name]) });
  }
  return { ...node, entries };
}

function expandScalar(node: LocatedScalar, { env, problems }: Expansion, path: Path): Located {
  if (typeof node.value !== 'string' || !node.value.includes('{env:')) return node;
  let isExpanded = false;
  let isBroken = false;
  const value = node.value.replace(reference, (whole, ...groups: (string | undefined)[]) => {
    const [escaped, body = '', end = ''] = groups;
    if (escaped !== undefined) return whole.slice(1);
    isExpanded = true;
    const found = end === '' ? unclosed(whole) : resolve(body, env);
    if ('text' in found) return found.text;
    problems.push(problemAt(node.place, formatPath(path), found.problem));
    isBroken = true;
    return '';
  });
  return { ...node, value, isExpanded, isBroken };
}

/** The text with every `$` that would be read as the start of a reference doubled. */
export function escapeEnvironment(text: string): string {
  return text.replace(/\$+\{env:/g, (start) => `$${start}`);
}

function resolve(body: string, env: Environment): Reference {
  const [, name, fallback] = wellFormed.exec(body) ?? [];
  if (name === undefined || fallback?.includes('${') === true) return malformed(body);
  if (secret.test(name)) {
    return {
      problem: `must not use the variable ${name}: a spec is kept in the history of its runs, where no secret belongs. Give it to the worker, in the configuration of its providers, tools or MCP servers`,
    };
  }
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value !== undefined && (value !== '' || fallback === undefined)) return { text: value };
  if (fallback !== undefined) return { text: fallback };
  const near = didYouMean(
    name,
    Object.keys(env).filter((other) => !secret.test(other)),
  );
  return {
    problem: `needs the environment variable ${name}, which is not set${near}${near === '' ? '; ' : ' Or '}give a default as in \${env:${name}:-default}`,
  };
}

function malformed(body: string): Reference {
  const problem = `has a reference to the environment that cannot be read, ${quote(`\${env:${body}}`)}: write \${env:NAME} or \${env:NAME:-default}`;
  return { problem };
}

function unclosed(whole: string): Reference {
  return {
    problem: `has a reference to the environment without its closing brace, ${quote(whole)}`,
  };
}
