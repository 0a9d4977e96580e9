// `npm run example <name>`: runs the demo of one example. What follows the name is the demo's.
import { existsSync, readdirSync } from 'node:fs';

const folder = new URL('.', import.meta.url);
const names = readdirSync(folder).filter((name) => existsSync(new URL(`${name}/demo.mts`, folder)));
const [name = ''] = process.argv.splice(2, 1);

if (names.includes(name)) await import(new URL(`${name}/demo.mts`, folder).href);
else {
  console.error(`usage: npm run example <name>; there are ${names.join(', ')}`);
  process.exitCode = 2;
}
