import type {
  Content,
  FunctionCallingConfig,
  FunctionCallingConfigMode,
  FunctionDeclaration,
  GenerationConfig,
  ThinkingConfig,
  ThinkingLevel,
  Tool,
  ToolConfig,
} from '@google/genai';
import { defined, isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../base';
import { mergeExtra } from '../wire';
import type { ModelRequest, RequestToolChoice } from '../provider';
import { hasThinkingLevels, takesSchemaWithTools } from './parts';
import { toContents } from './to-contents';
import type { ModelSettings } from '../../protocol';

/** The keywords that the API takes in `responseJsonSchema`. It refuses a request with any other keyword. */
const keywords = new Set(
  (
    '$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems ' +
    'minimum maximum anyOf oneOf properties additionalProperties required propertyOrdering'
  ).split(' '),
);

const schemaMaps = new Set(['properties', '$defs']);

const schemaLists = new Set(['prefixItems', 'anyOf', 'oneOf']);

const schemas = new Set(['items', 'additionalProperties']);

/** The tokens of an effort, for models that only take a number of tokens. */
const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
};

/** The body of one call. The model is in the URL. */
export type GenerateBody = {
  readonly systemInstruction?: Content;
  readonly tools?: Tool[];
  readonly toolConfig?: ToolConfig;
  readonly generationConfig?: GenerationConfig;
  readonly contents: Content[];
};

/** Equal requests give equal bytes. The turns of a longer conversation start with those of the shorter one. */
export function toGenerateRequest(request: ModelRequest, configured?: JsonObject): GenerateBody {
  const system = systemTexts(request).filter((text) => text !== '');
  const generationConfig = toGenerationConfig(request);
  const hasTools = request.tools.length > 0;
  const body = {
    ...(system.length === 0
      ? {}
      : { systemInstruction: { parts: system.map((text) => ({ text })) } }),
    ...(hasTools ? { tools: [{ functionDeclarations: request.tools.map(toDeclaration) }] } : {}),
    ...(hasTools
      ? { toolConfig: { functionCallingConfig: toCallingConfig(request.toolChoice) } }
      : {}),
    ...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig }),
    contents: toContents(request.messages, request.model),
  } satisfies GenerateBody;
  const merged = mergeExtra(body as unknown as JsonObject, configured);
  return mergeExtra(merged, request.settings.extra) as unknown as GenerateBody;
}

function systemTexts(request: ModelRequest): string[] {
  const { instructions, messages, output } = request;
  const history = messages.flatMap((message) =>
    message.role === 'system' ? message.parts.map((part) => part.text) : [],
  );
  const format =
    output === undefined || hasNativeOutput(request)
      ? []
      : [
          'Answer in the end with JSON alone, no other text around it, that matches this JSON Schema: ' +
            JSON.stringify(output.schema),
        ];
  return [...(instructions === undefined ? [] : [instructions]), ...history, ...format];
}

/** Models before 3 refuse an output schema if there are tools. The system instruction then asks for the schema. */
export function hasNativeOutput({ model, tools }: ModelRequest): boolean {
  return tools.length === 0 || takesSchemaWithTools(model);
}

/** The API takes the whole schema, but not the name of its dialect. */
function toDeclaration(tool: ModelRequest['tools'][number]): FunctionDeclaration {
  const { $schema: _dialect, ...parametersJsonSchema } = tool.inputSchema;
  return { name: tool.name, description: tool.description, parametersJsonSchema };
}

function toCallingConfig(choice: RequestToolChoice): FunctionCallingConfig {
  if (typeof choice === 'object' && choice.only.length > 0) {
    return { mode: modes.required, allowedFunctionNames: [...choice.only] };
  }
  return { mode: typeof choice === 'object' ? modes.none : modes[choice] };
}

/** The values of an enum of the SDK, so that the SDK need not be loaded. */
const modes = {
  auto: 'AUTO' as FunctionCallingConfigMode,
  none: 'NONE' as FunctionCallingConfigMode,
  required: 'ANY' as FunctionCallingConfigMode,
};

function toGenerationConfig(request: ModelRequest): GenerationConfig {
  const { maxOutputTokens, temperature, stop, reasoning } = request.settings;
  const { output } = request;
  const thinkingConfig = toThinkingConfig(reasoning, request.model);
  return {
    ...defined({ temperature, maxOutputTokens }),
    ...(stop === undefined || stop.length === 0 ? {} : { stopSequences: [...stop] }),
    ...(output === undefined || !hasNativeOutput(request)
      ? {}
      : {
          responseMimeType: 'application/json',
          responseJsonSchema: toResponseSchema(output.schema),
        }),
    ...defined({ thinkingConfig }),
  };
}

type Effort = NonNullable<NonNullable<ModelSettings['reasoning']>['effort']>;

/** Asks for summaries of thoughts if the request asks for thinking. A model that has levels cannot switch thinking off. */
function toThinkingConfig(
  reasoning: ModelSettings['reasoning'],
  model: string,
): ThinkingConfig | undefined {
  const { effort, budgetTokens } = reasoning ?? {};
  if (budgetTokens !== undefined) {
    return { includeThoughts: budgetTokens !== 0, thinkingBudget: budgetTokens };
  }
  if (effort === undefined) return undefined;
  const includeThoughts = effort !== 'none';
  if (!hasThinkingLevels(model)) return { includeThoughts, thinkingBudget: budgets[effort] };
  const level = effort === 'none' ? 'minimal' : effort;
  return { includeThoughts, thinkingLevel: level.toUpperCase() as ThinkingLevel };
}

/**
 * The schema, with only the keywords that the API takes. It is looser than the whole schema, but the run checks the answer against that.
 * `const` and `definitions` get their other form.
 */
export function toResponseSchema(schema: JsonSchema): JsonSchema {
  const fields = Object.entries(inOtherForm(schema)).flatMap(([key, value]): [string, Json][] =>
    keywords.has(key) ? [[key, keywordValue(key, value)]] : [],
  );
  return Object.fromEntries(fields);
}

function keywordValue(key: string, value: Json): Json {
  if (key === '$ref' && typeof value === 'string') {
    return value.replace(/^#\/definitions\//, '#/$defs/');
  }
  if (schemaMaps.has(key) && isJsonObject(value)) {
    const members = Object.entries(value).map(([name, member]) => [name, subschema(member)]);
    return Object.fromEntries(members) as JsonObject;
  }
  if (schemaLists.has(key) && Array.isArray(value)) return value.map(subschema);
  return schemas.has(key) ? subschema(value) : value;
}

function subschema(value: Json): Json {
  return isJsonObject(value) ? toResponseSchema(value) : value;
}

function inOtherForm({ const: only, definitions, ...schema }: JsonSchema): JsonSchema {
  return {
    ...schema,
    ...(only === undefined || schema['enum'] !== undefined ? {} : { enum: [only] }),
    ...(definitions === undefined || schema['$defs'] !== undefined ? {} : { $defs: definitions }),
  };
}
