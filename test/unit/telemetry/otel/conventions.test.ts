// Pure: compares our names with those that OpenTelemetry publishes, and the tables of readers with ours; no server.

import * as published from '@opentelemetry/semantic-conventions/incubating';
import {
  errorType,
  genAi,
  longhaul,
  metricNames,
  sessionId,
  spanNames,
} from '../../../../src/telemetry/otel/conventions';
import { readPage } from '../../docs/markdown';

/** They are in the repository of the conventions for generative AI only. The package does not have it. */
const unpublished = ['gen_ai.execute_tool.duration', 'gen_ai.workflow.duration'];

describe('names of the conventions', () => {
  const values = Object.values<unknown>(published);
  const isPublished = (name: string): boolean => values.includes(name);

  it('are published by OpenTelemetry, but for two metrics', () => {
    const metrics = Object.values(metricNames).filter((name) => name.startsWith('gen_ai.'));
    const names = [...Object.values(genAi), ...Object.values(spanNames), errorType, sessionId];
    expect([...names, ...metrics].filter((name) => !isPublished(name))).toEqual(unpublished);
  });
});

/** The names in the first cells of the tables of a file. */
function namedIn(path: string): readonly string[] {
  const rows = readPage(path).text.matchAll(
    /^(?: \* )?\| *(`(?:gen_ai|longhaul|error|session)\.[^|]*)\|/gm,
  );
  return [...rows]
    .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
    .toSorted();
}

describe('the tables of names', () => {
  it('have each attribute in the comment of `openTelemetry`, and no other', () => {
    const ours = [genAi, longhaul].flatMap((names) => Object.values<string>(names));
    const named = namedIn('src/telemetry/otel/open-telemetry.ts');
    expect(named).toEqual([...ours, errorType, sessionId].toSorted());
  });

  it('have each metric in docs/operating.md, and no other', () => {
    expect(namedIn('docs/operating.md')).toEqual(Object.values(metricNames).toSorted());
  });
});
