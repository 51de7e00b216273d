import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerTo, type ScriptedUsage, type Step } from './scripted-answers.ts';

/** A request as the model received it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** As it came. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as they need
  readonly body: any;
}

/** What goes wrong with an answer. */
export type Fault =
  /** Breaks off in the middle. */
  | 'half'
  /** Ends the connection without an answer. */
  | 'reset'
  /** Answers after `proceed()`. */
  | 'slow'
  /** Sends all but the end after `proceed()`. */
  | 'stall'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

export interface ScriptedModelOptions {
  /** What it says, by the number of answers in the request; the last is repeated. */
  readonly script?: readonly Step[];
  /** What it says where it is offered no tools, such as for a title. */
  readonly withoutTools?: string;
  readonly usage?: Partial<ScriptedUsage>;
  readonly fault?: (request: ReceivedRequest, count: number) => Fault | undefined;
  /** How many bytes it writes at once. */
  readonly chunkBytes?: number;
  /** Headers of every answer. */
  readonly headers?: Record<string, string>;
}

/**
 * A model on loopback that speaks Anthropic's Messages, OpenAI's Responses and Chat Completions, and Gemini's
 * `generateContent`, streaming or not. It has no memory: what it says depends on the request alone.
 */
export interface ScriptedModel {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** How many requests have no complete answer. */
  pending(): number;
  /** Lets slow and stalled answers go on. */
  proceed(): void;
  close(): Promise<void>;
}

export async function scriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const requests: ReceivedRequest[] = [];
  let pending = 0;
  const held = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const received = await receive(request);
    requests.push(received);
    pending++;
    response.on('close', () => pending--);
    const fault = options.fault?.(received, requests.length);
    const proceeding = () => new Promise<void>((resolve) => held.add(resolve));
    await respond(received, response, { ...options, fault: () => fault, proceeding });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a server on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    pending: () => pending,
    proceed: () => {
      for (const each of held) each();
      held.clear();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function receive(request: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set
  const text = Buffer.concat(chunks).toString();
  const { method = '', url: path = '', headers } = request;
  return { method, path, headers, text, body: text === '' ? undefined : JSON.parse(text) };
}

interface Responding extends ScriptedModelOptions {
  proceeding(): Promise<void>;
}

async function respond(
  received: ReceivedRequest,
  response: ServerResponse,
  { script, usage, withoutTools, fault, chunkBytes, headers, proceeding }: Responding,
): Promise<void> {
  const wrong = fault?.(received, 0);
  if (wrong === 'reset') return void response.destroy();
  if (typeof wrong === 'object') {
    response.writeHead(wrong.status, { 'content-type': 'application/json', ...wrong.headers });
    return void response.end(wrong.body ?? JSON.stringify({ error: { message: `status ${wrong.status}` } }));
  }
  if (wrong === 'slow') await proceeding();
  const answer = answerTo(received, {
    script: script ?? [{ text: 'Done.' }],
    ...(usage && { usage }),
    ...(withoutTools !== undefined && { withoutTools }),
  });
  if (answer === undefined) {
    response.writeHead(404, { 'content-type': 'application/json' });
    return void response.end('{"error":{"message":"unknown path"}}');
  }
  response.writeHead(200, { 'content-type': answer.contentType, ...headers });
  const bytes = Buffer.from(answer.text);
  if (wrong === 'half' || wrong === 'stall') {
    const half = bytes.subarray(0, Math.floor(bytes.length / 2));
    await new Promise((resolve) => response.write(half, resolve));
    if (wrong === 'half') return void response.socket?.end();
    await proceeding();
    return void response.end(bytes.subarray(Math.floor(bytes.length / 2)));
  }
  await write(response, bytes, chunkBytes ?? bytes.length);
}

async function write(response: ServerResponse, bytes: Buffer, chunkBytes: number): Promise<void> {
  for (let at = 0; at < bytes.length && !response.destroyed; at += chunkBytes) {
    await new Promise((resolve) => response.write(bytes.subarray(at, at + chunkBytes), resolve));
  }
  response.end();
}
