import type {
  Content,
  FunctionCallingConfig,
  FunctionCallingConfigMode,
  FunctionDeclaration,
  GenerationConfig,
  Tool,
  ToolConfig,
} from '@google/genai';
import type { JsonObject } from '../../base/json';
import { mergeExtra } from '../merge-extra';
import type { ModelRequest, RequestToolChoice } from '../provider';
import { takesSchemaWithTools } from './model-family';
import { toResponseSchema } from './response-schema';
import { toThinkingConfig } from './thinking-config';
import { toContents } from './to-contents';

/** The body of one call, as it is on the wire; the model stands in the URL. */
export type GenerateBody = {
  readonly systemInstruction?: Content;
  readonly tools?: Tool[];
  readonly toolConfig?: ToolConfig;
  readonly generationConfig?: GenerationConfig;
  readonly contents: Content[];
};

/** Equal requests give equal bytes, and the turns of a longer conversation start with those of the shorter one. */
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

/** Models before 3 refuse an output schema beside tools. Where no tool can take it, the system instruction asks for it. */
export function hasNativeOutput({ model, tools }: ModelRequest): boolean {
  return tools.length === 0 || takesSchemaWithTools(model);
}

/** The schema goes as it is; only the name of its dialect is not taken. */
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

/** The values of the SDK's enum, which is not loaded for them. */
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
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(stop === undefined || stop.length === 0 ? {} : { stopSequences: [...stop] }),
    ...(output === undefined || !hasNativeOutput(request)
      ? {}
      : {
          responseMimeType: 'application/json',
          responseJsonSchema: toResponseSchema(output.schema),
        }),
    ...(thinkingConfig === undefined ? {} : { thinkingConfig }),
  };
}
