// Types: checked by tsc; at run time only that the definitions are accepted.
import { z } from 'zod';
import {
  defineAgent,
  defineTool,
  type JsonObject,
  type Tool,
  type ToolContext,
} from '../../../src';

type Equal<Left, Right> =
  (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;

function expectType<Expected>() {
  return <Actual>(_value: Actual, _isEqual: Equal<Actual, Expected>): void => undefined;
}

const options = { name: 'get_weather', description: 'Weather' };
const citySchema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
} as const;

describe('arguments of upgrade', () => {
  it('are what each earlier schema makes of them', () => {
    const tool = defineTool({
      ...options,
      inputSchema: z.object({ cents: z.number() }),
      accepts: [
        {
          schema: z.object({ amount: z.number(), rate: z.number().default(1) }),
          upgrade: ({ amount, rate }) => {
            expectType<number>()(rate, true);
            return { cents: amount * rate };
          },
        },
        {
          schema: { type: 'object', properties: { pence: { type: 'number' } } },
          upgrade: (args) => {
            expectType<JsonObject>()(args, true);
            return { cents: Number(args['pence']) };
          },
        },
      ],
      execute: ({ cents }) => cents,
    });
    expect(tool.accepts).toHaveLength(2);
    expect(tool.spec).not.toHaveProperty('accepts');
  });
});

describe('arguments of execute', () => {
  it('are what a zod schema makes of them', () => {
    const tool = defineTool({
      ...options,
      inputSchema: z.object({
        city: z.string(),
        days: z.number().default(1),
        unit: z.enum(['celsius', 'kelvin']).optional(),
        length: z.string().transform((text) => text.length),
      }),
      execute: (args, context) => {
        expectType<{
          city: string;
          days: number;
          unit?: 'celsius' | 'kelvin' | undefined;
          length: number;
        }>()(args, true);
        expectType<ToolContext>()(context, true);
        // @ts-expect-error The schema has no such property.
        void args.town;
      },
      needsApproval: ({ city }) => {
        expectType<string>()(city, true);
        return city === 'Paris';
      },
    });
    expect(tool.name).toBe('get_weather');
  });

  it('are a JSON object with a JSON Schema', () => {
    const tool = defineTool({
      ...options,
      inputSchema: citySchema,
      execute: (args) => {
        expectType<JsonObject>()(args, true);
        return args.city ?? null;
      },
    });
    expectType<Tool<JsonObject>>()(tool, true);
    expect(tool.name).toBe('get_weather');
  });

  it('are the type parameter with a JSON Schema', () => {
    const tool = defineTool<{ city: string }>({
      ...options,
      inputSchema: citySchema,
      execute: async ({ city }, { session, signal, idempotencyKey }) => {
        expectType<string>()(city, true);
        expectType<JsonObject>()(session, true);
        expectType<AbortSignal>()(signal, true);
        return `${city} ${idempotencyKey}`;
      },
      needsApproval: ({ city }, context) => {
        // @ts-expect-error There is no call to beat for yet.
        void context.heartbeat;
        return city === 'Paris';
      },
    });
    expectType<Tool<{ city: string }>>()(tool, true);
    expect(tool.name).toBe('get_weather');
  });

  it('are checked where a tool is called', () => {
    const tool = defineTool({
      ...options,
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => city,
    });
    const call = (context: ToolContext) => [
      tool.execute({ city: 'Paris' }, context),
      // @ts-expect-error The city is missing.
      tool.execute({}, context),
    ];
    expect(call).toHaveLength(1);
  });
});

describe('definitions', () => {
  it('take tools of all arguments in one list', () => {
    const tools = [
      defineTool({ ...options, inputSchema: z.object({ a: z.string() }), execute: ({ a }) => a }),
      defineTool<{ b: number }>({
        ...options,
        name: 'b',
        inputSchema: citySchema,
        execute: ({ b }) => b,
      }),
    ];
    expect(defineAgent({ id: 'a', model: 'openai/gpt-5-mini', tools }).tools).toEqual(tools);
  });

  it('know their options', () => {
    const wrong = [
      () =>
        defineTool({
          ...options,
          inputSchema: citySchema,
          execute: () => null,
          // @ts-expect-error There is no such effect.
          effect: 'write',
        }),
      // @ts-expect-error The model is missing.
      () => defineAgent({ id: 'a' }),
      // @ts-expect-error A tool is no name.
      () => defineAgent({ id: 'a', model: 'openai/gpt-5-mini', tools: ['search'] }),
      // @ts-expect-error There is no such option.
      () => defineAgent({ id: 'a', model: 'openai/gpt-5-mini', maxIteration: 3 }),
    ];
    for (const define of wrong) expect(define).toThrow();
  });
});
