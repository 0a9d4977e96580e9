// Which activities run a tool, and which tool.

import type { CallToolInput, Definition, LonghaulActivities } from '../../protocol';

const ours: Readonly<Record<keyof LonghaulActivities, true>> = {
  callModel: true,
  callTool: true,
  runToolHooks: true,
  checkArguments: true,
  loadDefinition: true,
  findDefinition: true,
  pullLog: true,
  fetchSession: true,
  fetchInput: true,
  openRun: true,
  closeRun: true,
  eraseContents: true,
  openThread: true,
  saveTurn: true,
  clearTurns: true,
  summarise: true,
  requestCancellation: true,
  reviewCall: true,
  notifyPause: true,
  checkSignature: true,
};

/** Whether the activity runs a tool: of an agent's worker, or the user's own activity. */
export function isToolCall(activity: string): boolean {
  return activity === 'callTool' || !Object.hasOwn(ours, activity);
}

/** The tool that the activity runs; the type of the activity if its input or the definition is unknown. */
export function toolOfActivity(
  activity: string,
  input: unknown,
  definition: Definition | undefined,
): string {
  if (activity === 'callTool') return (input as CallToolInput | undefined)?.tool ?? activity;
  const tools = Object.entries(definition?.tools ?? {});
  const [tool = activity] = tools.find(([, spec]) => spec.activity?.type === activity) ?? [];
  return tool;
}
