import { text } from 'node:stream/consumers';

/** What an argument stands for: itself, or stdin when it is `-`. */
export async function readInput(argument: string): Promise<string> {
  return argument === '-' ? (await text(process.stdin)).trimEnd() : argument;
}
