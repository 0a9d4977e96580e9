import type { FixtureFileResponse } from '@copilotkit/aimock';
import type { Usage } from '../../src/protocol/message';
import type { ModelProvider, RequestToolChoice } from '../../src/providers/provider';
import type { WireBody } from './provider-servers';

export type WireCall = { readonly id: string; readonly name: string };
export type WireResult = { readonly id: string; readonly text: string };

/** All that differs between wire dialects, as far as the contract looks at the wire. */
export type ProviderDialect = {
  /** Stands in the title of the suite. */
  readonly name: string;
  readonly api: string;
  /** A reasoning model: the double only lets such models think. */
  readonly model: string;
  /** A provider that calls the server at this origin, with any key. */
  readonly create: (origin: string) => ModelProvider;
  readonly wire: {
    /** The list that grows from turn to turn. */
    readonly history: (body: WireBody) => readonly unknown[];
    /** What stays byte-equal over the turns of a run: tools and instructions. */
    readonly prefix: (body: WireBody) => unknown;
    readonly calls: (body: WireBody) => readonly WireCall[];
    /** Results in the order sent. The text of an error result must be as `errorText` of the dialect makes it. */
    readonly results: (body: WireBody) => readonly WireResult[];
    readonly toolChoice: (body: WireBody) => unknown;
    readonly outputSchema: (body: WireBody) => unknown;
  };
  readonly toolChoices: readonly { readonly choice: RequestToolChoice; readonly wire: unknown }[];
  /** How `wire.results` shows a failed tool's text. */
  readonly errorText: (text: string) => string;
  /** Token counts as the double is told to send them, and what they must become. */
  readonly usage: { readonly sent: FixtureFileResponse; readonly expected: Usage };
  /** A whole hand-written answer that says these texts, one frame each, with what must come before and after. */
  readonly frames: (texts: readonly string[]) => {
    readonly opening: readonly string[];
    readonly texts: readonly string[];
    readonly closing: readonly string[];
  };
  /** The body of an error answer. */
  readonly errorBody: (error: { readonly message: string; readonly type: string }) => unknown;
};

export type ContractSkip = { readonly reason: string; readonly tests: readonly string[] };

export type ContractTest = (title: string, run: () => Promise<void>) => void;
