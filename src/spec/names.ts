import { idPatterns } from '../protocol/names';
import { describeValue, quote, type Problem } from '../base/problem';

export const runnerIdPattern = idPatterns.agent.source;
export const runnerIdRule =
  "1 to 100 letters, digits, '.', '_' or '-', starting with a letter or digit";
/** `__proto__` would be lost as a key of an object. */
export const toolNamePattern = `^(?!__proto__$)${idPatterns.tool.source.slice(1)}`;
export const toolNameRule = "1 to 64 letters, digits, '_' or '-'";

/** Short, because the names of its tools follow it. */
export const mcpServerPattern = '^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,30}[A-Za-z0-9])?$';
export const mcpServerRule =
  "1 to 32 letters, digits, '_' or '-', starting and ending with a letter or digit";

const refusedKeys = ['__proto__', 'constructor', 'prototype'];
const sessionKeyLength = 200;

/** What is wrong with a list of session keys that code declares it reads and changes. */
export function sessionKeyProblems(keys: unknown, path: string): Problem[] {
  if (!Array.isArray(keys)) {
    return [{ path, message: `must be an array of session keys, not ${describeValue(keys)}` }];
  }
  return keys.flatMap((key: unknown, index) => {
    const message = sessionKeyMessage(key) ?? duplicateMessage(keys, key, index);
    return message === undefined ? [] : [{ path: `${path}[${index}]`, message }];
  });
}

function sessionKeyMessage(key: unknown): string | undefined {
  if (typeof key !== 'string' || key === '' || key.length > sessionKeyLength) {
    return `must be a session key of 1 to ${sessionKeyLength} characters, not ${describeValue(key)}`;
  }
  if (key.startsWith('__') || refusedKeys.includes(key)) {
    return `must not be ${quote(key)}: that key is reserved`;
  }
  return undefined;
}

function duplicateMessage(keys: readonly unknown[], key: unknown, index: number) {
  return keys.indexOf(key) < index ? `lists ${describeValue(key)} a second time` : undefined;
}
