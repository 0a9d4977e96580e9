import {
  criteria,
  defineCallbacks,
  loadSpec,
  mcpTools,
  type LoadSpecOptions,
  type Runners,
} from '../../../../src';
import { aTool } from '../../define/builders';

const url = 'http://127.0.0.1:9/mcp';

/** The code that the examples of specs name. */
export const exampleCode: LoadSpecOptions = {
  env: {},
  tools: ['find_order', 'order_lookup', 'refund', 'search_web'].map((name) => aTool(name)),
  callbacks: ['audit', 'audit_trail'].map((name) =>
    defineCallbacks({ name, beforeModelCall: () => undefined }),
  ),
  criteria: [criteria.custom('names-the-order', () => true, { session: ['order'] })],
  mcpServers: ['files', 'library'].map((name) => mcpTools({ name, url })),
};

/** Folders of examples/specs, with the runners in each. */
export const exampleFolders: readonly (readonly [string, readonly string[]])[] = [
  [
    '',
    [
      'assistant',
      'analyst',
      'due-diligence',
      'editor',
      'facts',
      'angles',
      'newsroom',
      'second-opinion',
      'travel',
      'triage',
      'tutor',
      'examiner',
    ],
  ],
  ['environments', ['clerk']],
  ['potato', ['w', 'invoice_check', 'security', 'cost', 'board', 'draft', 'desk']],
  ['with-code', ['refunds', 'repo-guide', 'manager', 'researcher']],
];

export function loadExamples(folder: string, options: LoadSpecOptions = {}): Runners {
  return loadSpec(`examples/specs/${folder}`, { ...exampleCode, ...options });
}
