// Pure: compares our names with those that OpenTelemetry publishes, and the tables of docs/operating.md with ours; no server.

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

describe('docs/operating.md', () => {
  const { text } = readPage('docs/operating.md');
  /** The names in the first cells of its tables. */
  const named = [...text.matchAll(/^\| *(`(?:gen_ai|longhaul|error|session)\.[^|]*)\|/gm)].flatMap(
    ([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );

  it('has each attribute and each metric in a table, and no other', () => {
    const ours = [genAi, longhaul, metricNames].flatMap((names) => Object.values<string>(names));
    expect(named.toSorted()).toEqual([...ours, errorType, sessionId].toSorted());
  });
});
