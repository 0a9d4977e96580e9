// Pure: no server.
import { desk, refusals } from './bad-specs';

describe('loadSpec', () => {
  it.each<[string, string, string[]]>([
    [
      'a variable that is not set',
      desk('    instructions: Hi ${env:NAM}\n'),
      [
        "4:19 agents[0].instructions needs the environment variable NAM, which is not set; did you mean 'NAME'? Or give a default as in ${env:NAM:-default}",
      ],
    ],
    [
      'a variable for a secret',
      desk('    instructions: ${env:OPENAI_API_KEY}\n'),
      [
        '4:19 agents[0].instructions must not use the variable OPENAI_API_KEY: the history of a run keeps the spec, and no secret belongs there. Give it to the worker, in the configuration of its providers, tools or MCP servers',
      ],
    ],
    [
      'a variable for a secret, with default',
      desk('    settings: { extra: { auth: "${env:my_secret:-none}" } }\n'),
      [
        '4:32 agents[0].settings.extra.auth must not use the variable my_secret: the history of a run keeps the spec, and no secret belongs there. Give it to the worker, in the configuration of its providers, tools or MCP servers',
      ],
    ],
    [
      'a variable without name',
      desk('    instructions: ${env:}\n'),
      [
        "4:19 agents[0].instructions has a reference to the environment that cannot be read, '${env:}': write ${env:NAME} or ${env:NAME:-default}",
      ],
    ],
    [
      'a default without colon',
      desk('    instructions: ${env:NAME-x}\n'),
      [
        "4:19 agents[0].instructions has a reference to the environment that cannot be read, '${env:NAME-x}': write ${env:NAME} or ${env:NAME:-default}",
      ],
    ],
    [
      'a reference that is not closed',
      desk('    instructions: ${env:NAME\n'),
      [
        "4:19 agents[0].instructions has a reference to the environment without its closing brace, '${env:NAME'",
      ],
    ],
    [
      'a reference in a default',
      desk('    instructions: ${env:NONE:-${env:NAME}}\n'),
      [
        "4:19 agents[0].instructions has a reference to the environment that cannot be read, '${env:NONE:-${env:NAME}': write ${env:NAME} or ${env:NAME:-default}",
      ],
    ],
    [
      'a number that is text',
      desk('    maxIterations: ${env:NAME}\n'),
      ["4:20 agents[0].maxIterations must be a whole number of at least 0, not 'Ada'"],
    ],
  ])('refuses with its place %s', (_, text, expected) => {
    expect(refusals(text)).toEqual(expected);
  });
});
