import { didYouMean, quote } from '../../base/problem';

export type Environment = Readonly<Record<string, string | undefined>>;

export type Expanded = {
  readonly text: string;
  /** Part of the text came from the environment. */
  readonly isExpanded: boolean;
  readonly problems: readonly string[];
};

/** One more `$` keeps a reference as it is: `$${env:NAME}` is the text `${env:NAME}`. */
const reference = /(?<!\$)\$(\$+)\{env:|\$\{env:([^}]*)(\}?)/g;
const wellFormed = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;
const secret = /key|token|secret|password/i;

/** Replaces `${env:NAME}` and `${env:NAME:-default}`. */
export function expandEnvironment(source: string, env: Environment): Expanded {
  let isExpanded = false;
  const problems: string[] = [];
  const text = source.replace(reference, (whole, ...groups: (string | undefined)[]) => {
    const [escaped, body = '', end = ''] = groups;
    if (escaped !== undefined) return whole.slice(1);
    isExpanded = true;
    const found = end === '' ? unclosed(whole) : lookUp(body, env);
    if ('problem' in found) problems.push(found.problem);
    return 'text' in found ? found.text : '';
  });
  return { text, isExpanded, problems };
}

/** Doubles every `$` that would start a reference. */
export function escapeEnvironment(text: string): string {
  return text.replace(/\$+\{env:/g, (start) => `$${start}`);
}

type EnvValue = { readonly text: string } | { readonly problem: string };

function lookUp(body: string, env: Environment): EnvValue {
  const [, name, fallback] = wellFormed.exec(body) ?? [];
  if (name === undefined || fallback?.includes('${') === true) return malformed(body);
  if (secret.test(name)) {
    return {
      problem: `must not use the variable ${name}: the history of a run keeps the spec, and no secret belongs there. Give it to the worker, in the configuration of its providers, tools or MCP servers`,
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

function malformed(body: string): EnvValue {
  const problem = `has a reference to the environment that cannot be read, ${quote(`\${env:${body}}`)}: write \${env:NAME} or \${env:NAME:-default}`;
  return { problem };
}

function unclosed(whole: string): EnvValue {
  return {
    problem: `has a reference to the environment without its closing brace, ${quote(whole)}`,
  };
}
