// A workflow file that uses what is ours, but does not export it.

import { executeRunner } from '../../../src/workflows';

export async function answer(runner: string, input: string): Promise<string> {
  return (await executeRunner(runner, input)).finalResponse.text;
}
