import { defineConfig } from 'eslint/config';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';
import { importBoundaries } from './scripts/import-boundaries.mjs';

const ban = (names, message) => names.map((name) => ({ name, message }));
const host = ban(
  ['process', 'Buffer', 'crypto', 'fetch', 'require', 'globalThis'],
  'The workflow sandbox does not have it.',
);
const clocks = ban(
  ['Date', 'performance', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'Promise'],
  'Pure code: the caller passes the value in.',
);
/** Runs share these modules (`sharedModules` in src/worker/bundle.ts), so state at module level would leak from run to run. */
const moduleState = [
  'Program > VariableDeclaration[kind!="const"]',
  'Program > ExportNamedDeclaration > VariableDeclaration[kind!="const"]',
  'Program VariableDeclarator[init.callee.name=/^(Weak)?(Map|Set)$/]:not([id.typeAnnotation.typeAnnotation.typeName.name=/^Readonly/]):not(:function *)',
].map((selector) => ({ selector, message: 'Keep state in the run: runs share this module.' }));

/** One form for a member that may be missing: `...defined({ name })`. */
const optionalMembers = [
  {
    selector:
      "ObjectExpression > SpreadElement > LogicalExpression[operator='&&'][left.operator='!=='][left.right.type='Identifier'][left.right.name='undefined'][right.properties.length=1][right.properties.0.shorthand=true]",
    message: 'Write ...defined({ name }).',
  },
];

export default defineConfig(
  {
    ignores: [
      'dist/',
      'coverage/',
      '.build-*/',
      'test/fixtures/',
      'bench/peers/',
      'bench/survival/systems/',
      'site/dist/',
      'site/pages/',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.{ts,tsx,mts}'],
    extends: [tseslint.configs.recommendedTypeChecked, importX.flatConfigs.typescript],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { 'import-x': importX },
    settings: {
      'import-x/resolver-next': [
        createNodeResolver({ extensions: ['.ts', '.tsx', '.mts', '.js'] }),
      ],
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      'import-x/no-cycle': 'error',
      complexity: ['error', 16],
      'max-lines': ['error', 500],
      'no-console': 'error',
    },
  },
  {
    // Its own tsconfig.json is for where it is written to: here the package is its source.
    files: ['template/**/*.ts'],
    languageOptions: { parserOptions: { projectService: false, project: 'tsconfig.json' } },
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', name: 'test', package: 'node:test' }] },
      ],
    },
  },
  {
    files: ['site/*.mts'],
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', name: ['describe', 'it'], package: 'node:test' },
          ],
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      'import-x/no-default-export': 'error',
      'max-lines-per-function': ['error', 60],
      'max-params': ['error', 3],
    },
  },
  {
    // One file for one thing of Temporal's: its commands, its events, its API. A table that is cut in pieces is harder to compare with it.
    files: ['test/simulator/**/*.ts'],
    rules: { complexity: 'off', 'max-lines': ['error', 800] },
  },
  {
    // A schema is its own type: nobody writes it a second time.
    files: ['src/define/schema/*.ts'],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  ...importBoundaries,
  {
    files: ['src/{base,protocol,core,workflows,agent-run}/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', ...host],
      'no-restricted-syntax': ['error', 'ImportExpression', ...moduleState, ...optionalMembers],
    },
  },
  {
    files: ['src/{base,protocol,core,agent-run}/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', ...host, ...clocks],
      'no-restricted-properties': ['error', { object: 'Math', property: 'random' }],
      'no-restricted-syntax': [
        'error',
        'ImportExpression',
        ':function[async=true]',
        ...moduleState,
        ...optionalMembers,
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/{base,protocol,core,agent-run,workflows}/**'],
    rules: {
      'no-restricted-syntax': ['error', ...optionalMembers],
      'no-restricted-properties': [
        'error',
        {
          object: 'AbortSignal',
          property: 'any',
          message:
            'Node keeps what listens to it for as long as a source lives: see anySignal in activities/user-code.ts.',
        },
      ],
    },
  },
  {
    files: ['src/cli/**', '{examples,bench,scripts,template,site}/**'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
);
