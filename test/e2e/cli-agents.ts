/** Agents of a project, as a `longhaul.config.mjs`. The model answers by what it is asked, so that any number of runs and processes share it. */
export const cliAgents = `
import { defineAgent, defineTool, parallel, sequential } from 'longhaul';
import { scriptedModel } from 'longhaul/testing';

const getWeather = defineTool({
  name: 'get_weather',
  description: 'The weather of a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: ({ city }) => \`\${city}: \\u001b[31m22 degrees\\u001b]0;owned\\u0007\`,
});
const sendMail = defineTool({
  name: 'send_mail',
  description: 'Sends a mail',
  needsApproval: true,
  inputSchema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
  execute: ({ to }) => \`sent to \${to}\`,
});
const findCity = defineTool({
  name: 'find_city',
  description: 'Finds a city',
  retry: { maximumAttempts: 1 },
  inputSchema: { type: 'object', properties: { order: { type: 'string' } } },
  execute: ({ order }) => order.city.name,
});
const call = (name, args) => ({ toolCalls: [{ name, args }] });
const first = {
  weather: call('get_weather', { city: 'Paris' }),
  ask: call('ask_user', { question: 'Which city?', options: ['Paris', 'Rome'] }),
  mail: call('send_mail', { to: 'bob' }),
  broken: call('find_city', { order: '7' }),
  loop: call('get_weather', { city: 'Paris' }),
  slow: { text: 'late', delayMs: 60_000 },
};

function answer({ messages, model }) {
  if (model === 'polite') return 'Hello.';
  const [topic] = messages.find(({ role }) => role === 'user').parts[0].text.split(' ');
  const last = messages.at(-1);
  if (last.role === 'user' || topic === 'loop') return first[topic] ?? 'Hello.';
  return 'It is \\u001b[32mthis\\u001b[0m: ' + last.parts.flatMap(({ content }) => content).map(({ text }) => text).join(' ');
}

const provider = {
  name: 'scripted',
  call: (request, options) => scriptedModel([answer]).call(request, options),
};
const helper = defineAgent({ id: 'helper', model: 'scripted/one', tools: [getWeather, sendMail, findCity], askUser: 'tool', maxIterations: 2 });
const greeter = defineAgent({ id: 'greeter', model: 'scripted/polite' });
export default {
  runners: [
    helper,
    sequential({ id: 'desk', steps: [greeter, parallel({ id: 'both', branches: [helper, greeter] })] }),
  ],
  providers: { scripted: provider },
};
`;

/** Control characters that no output may have. */

export const escapes = /[\u001b\u009b\u0007]/;
