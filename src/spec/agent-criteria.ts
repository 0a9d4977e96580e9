import type { CriterionSpec } from '../protocol/agent-run';
import { isJsonObject } from '../base/json';
import type { CustomCriterion } from './criteria';
import { parseSchemaOption } from './schema-option';
import { describeValue, type Problem } from './problem';

export type ParsedCriteria = {
  readonly specs: readonly CriterionSpec[];
  readonly custom: readonly CustomCriterion[];
  /** Set by `criteria.maxIterations`; the last one counts. */
  readonly maxIterations?: number;
  readonly problems: readonly Problem[];
};

type Parsed = {
  specs: CriterionSpec[];
  custom: CustomCriterion[];
  maxIterations?: number;
  problems: Problem[];
};

const makers = 'criteria.keyword, structuredOutput, maxIterations or custom';

/** Splits the criteria of an agent's definition into their data and their code. */
export function parseCriteria(value: unknown): ParsedCriteria {
  const parsed: Parsed = { specs: [], custom: [], problems: [] };
  if (value === undefined) return parsed;
  if (!Array.isArray(value)) {
    const message = `must be an array of what ${makers} return, not ${describeValue(value)}`;
    parsed.problems.push({ path: 'criteria', message });
    return parsed;
  }
  value.forEach((criterion: unknown, index) => {
    const path = `criteria[${index}]`;
    const message = isJsonObject(criterion)
      ? readCriterion(criterion, path, parsed)
      : `must come from ${makers}, not be ${describeValue(criterion)}`;
    if (message !== undefined) parsed.problems.push({ path, message });
  });
  return parsed;
}

/** What is wrong with the criterion as a whole, if anything is. */
function readCriterion(
  criterion: Readonly<Record<string, unknown>>,
  path: string,
  parsed: Parsed,
): string | undefined {
  switch (criterion.kind) {
    case 'keyword':
      return readKeyword(criterion.keyword, parsed);
    case 'structured-output':
      return readStructuredOutput(criterion.schema, path, parsed);
    case 'max-iterations':
      return readMaxIterations(criterion.limit, parsed);
    case 'custom':
      return readCustom(criterion, parsed);
    default:
      return `must come from ${makers}, not be ${describeValue(criterion)}`;
  }
}

function readKeyword(keyword: unknown, { specs }: Parsed): string | undefined {
  if (typeof keyword !== 'string' || keyword === '') {
    return `must have a keyword of at least one character, not ${describeValue(keyword)}`;
  }
  specs.push({ kind: 'keyword', keyword });
  return undefined;
}

function readStructuredOutput(schema: unknown, path: string, parsed: Parsed): undefined {
  if (schema === undefined) {
    parsed.specs.push({ kind: 'structured-output' });
    return;
  }
  const option = parseSchemaOption(schema, `${path}.schema`);
  if (option.ok) parsed.specs.push({ kind: 'structured-output', schema: option.schema });
  else parsed.problems.push(option.problem);
}

function readMaxIterations(limit: unknown, parsed: Parsed): string | undefined {
  if (typeof limit !== 'number' || !Number.isSafeInteger(limit) || limit < 0) {
    return `must have a limit that is a whole number of at least 0, not ${describeValue(limit)}`;
  }
  parsed.maxIterations = limit;
  return undefined;
}

function readCustom(
  criterion: Readonly<Record<string, unknown>>,
  { specs, custom }: Parsed,
): string | undefined {
  const { name, evaluate, session } = criterion as Partial<CustomCriterion>;
  if (typeof name !== 'string') return `must have a name, not ${describeValue(name)}`;
  if (typeof evaluate !== 'function') {
    return `must have a function that decides: criteria.custom(name, (context) => boolean)`;
  }
  specs.push({ kind: 'custom', name, ...(session === undefined ? {} : { session }) });
  custom.push(criterion as CustomCriterion);
  return undefined;
}
