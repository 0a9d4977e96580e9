// Clients of each protocol in front of the routes, with a connection that breaks once, after so many frames.
import { HttpAgent, type Message, type ResumeEntry } from '@ag-ui/client';
import {
  AbstractChat,
  type ChatState,
  type ChatStatus,
  DefaultChatTransport,
  type UIMessage,
} from 'ai';
import { agUiRoutes } from '../../../src/http/ag-ui/routes';
import { aiSdkRoutes } from '../../../src/http/ai-sdk/routes';
import { eventRoutes } from '../../../src/http/event-routes';
import type { Call, Route } from '../../../src/http/route';
import { LonghaulError } from '../../../src/protocol/errors';
import type { StreamEvent } from '../../../src/core/stream/events';
import { StreamReader } from '../core/stream/reader';
import { rootId, type World } from './random-world';

const cutText = 'terminated';

/** Breaks one connection. */
export class Cut {
  /** How many frames came. */
  frames = 0;
  isBroken = false;
  readonly at: number;

  constructor(at: number) {
    this.at = at;
  }

  get isDue(): boolean {
    return this.frames === this.at;
  }

  /** `isQuiet`: the connection ends after a frame. Else it breaks in the middle of one, and the client gets an error. */
  through(response: Response, { isQuiet = false } = {}): Response {
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const encoder = new TextEncoder();
    const decoder = new TextDecoder();
    let [text, isBroken] = ['', false];
    const body = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          while (!text.includes('\n\n') && !isBroken) {
            const { done, value } = await reader.read();
            if (done) return controller.close();
            text += decoder.decode(value, { stream: true });
          }
          if (isBroken) {
            await reader.cancel();
            this.isBroken = true;
            if (isQuiet) return controller.close();
            return controller.error(new TypeError(cutText));
          }
          const end = text.indexOf('\n\n') + 2;
          const frame = text.slice(0, end);
          text = text.slice(end);
          isBroken = this.isDue;
          this.frames += 1;
          controller.enqueue(
            encoder.encode(isBroken && !isQuiet ? frame.slice(0, frame.length >> 1) : frame),
          );
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { status: response.status, headers: response.headers });
  }
}

function threadOf(world: World): object {
  const handle = { workflowId: rootId, started: () => Promise.resolve() };
  const answer = (inputId: string): Promise<void> => {
    if (world.answer(inputId)) return Promise.resolve();
    return Promise.reject(new LonghaulError('AlreadyAnswered', 'it was answered'));
  };
  return {
    send: () => Promise.resolve(handle),
    turn: () => handle,
    turns: () => Promise.resolve([{ workflowId: rootId, status: 'running', messageId: 'm1' }]),
    pending: () => Promise.resolve(world.pending),
    approve: answer,
    reject: answer,
    complete: answer,
    fail: answer,
    resume: (_value: unknown, { inputId }: { inputId: string }) => answer(inputId),
  };
}

async function ask(world: World, route: Route, request: Request): Promise<Response> {
  const thread = threadOf(world);
  const app = {
    streams: {
      open: (_id: string, { from }: { from?: string } = {}) => world.stream(from),
      wake: () => undefined,
    },
    longhaul: { run: () => ({ state: () => Promise.resolve({ pending: world.pending }) }) },
    report: (error: unknown) => {
      throw error as Error;
    },
  };
  const call = {
    request,
    url: new URL(request.url),
    params: { agent: 'desk', chat: 'chat', id: rootId },
    app,
    principal: { user: 'ann', sees: 'all' },
    actor: { id: 'ann' },
    answerer: { by: { id: 'ann' }, may: [] },
    body: () => request.json(),
    thread: () => Promise.resolve(thread),
    run: () => Promise.resolve({ workflowId: rootId }),
    backend: () => Promise.resolve({}),
    mayBringTools: () => Promise.resolve(true),
  };
  return await route.handle(call as unknown as Call);
}

function routeOf(routes: readonly Route[], method: string, path: string): Route {
  const route = routes.find((each) => each.method === method && each.path === path);
  if (route === undefined) throw new Error(`no route ${path}`);
  return route;
}

const chatRoute = routeOf(aiSdkRoutes, 'POST', '/:agent');
const resumeRoute = routeOf(aiSdkRoutes, 'GET', '/:agent/:chat/stream');
const agUiRoute = routeOf(agUiRoutes, 'POST', '/:agent/agui');
const eventsRoute = routeOf(eventRoutes, 'GET', '/runs/:id/events');

/** A page: it shows something, until the run ends. */
export type Page = {
  /** Until the run waits, or has ended. Comes again whenever the connection breaks. */
  settle(): Promise<void>;
  /** Answers all that waits, and settles. */
  answer(): Promise<void>;
  readonly shown: unknown;
};

export type Client = {
  readonly name: string;
  open(world: World, cut: Cut): Page;
  /** A page that comes later. */
  reload(world: World): Page;
};

// Our own stream.

class PlainPage implements Page {
  readonly #world: World;
  readonly #cut: Cut;
  readonly #readers = new Map<string, StreamReader>();
  #from: string | undefined;

  constructor(world: World, cut: Cut) {
    this.#world = world;
    this.#cut = cut;
  }

  async settle(): Promise<void> {
    while (!(await this.#isRead()));
  }

  async answer(): Promise<void> {
    for (const { inputId } of this.#world.pending) this.#world.answer(inputId);
    await this.settle();
  }

  get shown(): unknown {
    return Object.fromEntries([...this.#readers].map(([id, { messages }]) => [id, messages]));
  }

  async #isRead(): Promise<boolean> {
    const headers = this.#from === undefined ? {} : { 'last-event-id': this.#from };
    const request = new Request(`http://desk.test/runs/${rootId}/events?tree=1`, { headers });
    const body = this.#cut.through(await ask(this.#world, eventsRoute, request)).body;
    const decoder = new TextDecoder();
    let text = '';
    try {
      for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
        text += decoder.decode(bytes, { stream: true });
        const frames = text.split('\n\n');
        text = frames.pop() ?? '';
        for (const frame of frames) if (this.#isLast(frame)) return true;
      }
    } catch (error) {
      if ((error as Error).message !== cutText) throw error;
    }
    return false;
  }

  #isLast(frame: string): boolean {
    const [, id] = /^id: (.*)$/m.exec(frame) ?? [];
    const [, data] = /^data: (.*)$/m.exec(frame) ?? [];
    if (data === undefined) return false;
    this.#from = id;
    const event = JSON.parse(data) as StreamEvent;
    const { workflowId, type } = event;
    const reader = this.#readers.get(workflowId) ?? new StreamReader();
    this.#readers.set(workflowId, reader);
    reader.take([event]);
    return type === 'paused' || (type === 'end' && workflowId === rootId);
  }
}

// The AI SDK.

class PageState implements ChatState<UIMessage> {
  status: ChatStatus = 'ready';
  error: Error | undefined;
  messages: UIMessage[] = [];
  pushMessage = (message: UIMessage): void => void this.messages.push(message);
  popMessage = (): void => void this.messages.pop();
  replaceMessage = (index: number, message: UIMessage): void => {
    this.messages[index] = structuredClone(message);
  };
  snapshot = <Thing>(thing: Thing): Thing => structuredClone(thing);
}

class PageChat extends AbstractChat<UIMessage> {}

class AiSdkPage implements Page {
  readonly #world: World;
  readonly #chat: PageChat;
  readonly #isLate: boolean;
  #hasBegun = false;

  constructor(world: World, cut: Cut, isLate: boolean) {
    this.#world = world;
    this.#isLate = isLate;
    const transport = new DefaultChatTransport<UIMessage>({
      api: 'http://desk.test/desk',
      fetch: async (input, init) => {
        const request = new Request(input, { ...init, signal: null });
        const route = request.method === 'POST' ? chatRoute : resumeRoute;
        return cut.through(await ask(world, route, request));
      },
    });
    let made = 0;
    const generateId = (): string => `made-${(made += 1)}`;
    this.#chat = new PageChat({ id: 'chat', state: new PageState(), transport, generateId });
    if (isLate) this.#chat.messages = [firstMessage];
  }

  async settle(): Promise<void> {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      if (this.#isLate) await this.#chat.resumeStream();
      else await this.#chat.sendMessage(firstMessage);
    }
    for (let tries = 0; this.#chat.status !== 'ready'; tries += 1) {
      const { error } = this.#chat;
      if (error?.message !== cutText || tries > 3)
        throw new Error(`the chat failed: ${error?.message}`, { cause: error });
      await this.#chat.resumeStream();
    }
  }

  async answer(): Promise<void> {
    const pending = this.#world.pending;
    for (const { inputId, kind } of pending) {
      if (kind === 'approval') {
        await this.#chat.addToolApprovalResponse({ id: inputId, approved: true });
      } else {
        const toolCallId = inputId.slice(1);
        await this.#chat.addToolOutput({
          tool: 'ask_user' as never,
          toolCallId,
          output: 'r',
        });
      }
    }
    await this.#chat.sendMessage();
    await this.settle();
  }

  get shown(): unknown {
    return JSON.parse(JSON.stringify(this.#chat.messages)) as unknown;
  }
}

const firstMessage: UIMessage = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'go' }] };

// AG-UI.

/** How a page comes again after a cut: as it is, or as somebody loads it, with what it had before. */
type Comeback = 'again' | 'before' | 'first';

class AgUiPage implements Page {
  readonly #world: World;
  readonly #cut: Cut;
  readonly #comeback: Comeback;
  #agent: HttpAgent;

  constructor(world: World, cut: Cut, comeback: Comeback) {
    this.#world = world;
    this.#cut = cut;
    this.#comeback = comeback;
    this.#agent = this.#load([{ id: 'm1', role: 'user', content: 'go' }]);
  }

  async settle(resume: ResumeEntry[] = []): Promise<void> {
    const before = structuredClone(this.#agent.messages);
    for (let tries = 0; !(await this.#isRun(resume)); tries += 1) {
      if (tries > 3) throw new Error('runs in vain');
      const waits = this.#agent.pendingInterrupts.some(
        ({ id }) => !resume.some(({ interruptId }) => interruptId === id),
      );
      if (this.#comeback === 'first') this.#agent = this.#load(before.slice(0, 1));
      else if (waits || this.#comeback === 'before') this.#agent = this.#load(before);
    }
  }

  async answer(): Promise<void> {
    const resume = this.#agent.pendingInterrupts.map(({ id }): ResumeEntry => ({
      interruptId: id,
      status: 'resolved',
      payload: id.startsWith('a') ? { approved: true } : 'r',
    }));
    await this.settle(resume);
  }

  get shown(): unknown {
    const { messages, pendingInterrupts } = this.#agent;
    return { messages: JSON.parse(JSON.stringify(messages)) as unknown, pendingInterrupts };
  }

  #load(initialMessages: Message[]): HttpAgent {
    return new HttpAgent({
      url: 'http://desk.test/desk/agui',
      threadId: 'chat',
      initialMessages,
      fetch: async (url, init) => {
        const request = new Request(url, { ...init, signal: null });
        // The client leaves a rejection that nobody handles if its connection breaks with an error.
        return this.#cut.through(await ask(this.#world, agUiRoute, request), { isQuiet: true });
      },
    });
  }

  async #isRun(resume: ResumeEntry[]): Promise<boolean> {
    let failure: Error | undefined;
    const { isBroken } = this.#cut;
    await this.#agent.runAgent(resume.length > 0 ? { resume } : {}, {
      onRunFailed: ({ error }) => {
        failure = error;
        // Its types have no word for it, but without it the client prints each error.
        return { stopPropagation: true } as object;
      },
    });
    if (this.#cut.isBroken !== isBroken) return false;
    if (failure !== undefined) throw failure;
    return true;
  }
}

const never = (): Cut => new Cut(Infinity);

export const plainClient: Client = {
  name: 'our own stream',
  open: (world, cut) => new PlainPage(world, cut),
  reload: (world) => new PlainPage(world, never()),
};

export const aiSdkClient: Client = {
  name: 'the AI SDK',
  open: (world, cut) => new AiSdkPage(world, cut, false),
  reload: (world) => new AiSdkPage(world, never(), true),
};

const comebacks: readonly Comeback[] = ['again', 'before', 'first'];

export const agUiClient: Client = {
  name: 'AG-UI',
  open: (world, cut) => new AgUiPage(world, cut, comebacks[cut.at % 3] ?? 'again'),
  reload: (world) => new AgUiPage(world, never(), 'again'),
};
