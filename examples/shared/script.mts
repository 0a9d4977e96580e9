// What a script that stands in for a model is given and says. It knows no more than a model does: the conversation it is sent.

export type Call = { readonly name: string; readonly args: { readonly [key: string]: unknown } };
export type PastCall = Call & { readonly result: string };
export type Turn = { readonly text: string; readonly calls: readonly Call[] };

export type Conversation = {
  /** The system prompt. */
  readonly instructions: string;
  /** Names of the tools that are offered. */
  readonly tools: readonly string[];
  /** The last user message. */
  readonly input: string;
  /** All user messages, the oldest first. */
  readonly said: readonly string[];
  /** The tool calls so far, each with what came back. */
  readonly past: readonly PastCall[];
};

export type Script = (conversation: Conversation) => Turn;

export function answer(text: string): Turn {
  return { text, calls: [] };
}

export function calls(text: string, ...made: Call[]): Turn {
  return { text, calls: made };
}

/** What the calls of a tool gave, in their order. */
export function resultsOf(past: readonly PastCall[], tool: string): string[] {
  return past.filter(({ name }) => name === tool).map(({ result }) => result);
}
