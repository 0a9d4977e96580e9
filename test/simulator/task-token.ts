// The token of an attempt at an activity, by which its worker reports.

export type TaskToken = {
  readonly workflowId: string;
  readonly runId: string;
  readonly scheduledId: number;
  readonly attempt: number;
};

export function taskToken({ workflowId, runId, scheduledId, attempt }: TaskToken): Buffer {
  return Buffer.from(JSON.stringify({ workflowId, runId, scheduledId, attempt }));
}

export function readTaskToken(token: Uint8Array | null | undefined): TaskToken {
  return JSON.parse(Buffer.from(token ?? []).toString()) as TaskToken;
}
