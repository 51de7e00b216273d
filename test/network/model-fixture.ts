import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type ModelEndpointOptions, modelEndpoint } from '../../src/network/model/endpoint.ts';
import { type Provider, providersIn } from '../../src/network/model/providers.ts';
import type { Budget, Exhausted, Limits } from '../../src/network/spending/model-budget.ts';
import { openSpending, type Spending } from '../../src/network/spending/open-spending.ts';
import { type ScriptedModel, type ScriptedModelOptions, scriptedModel } from './scripted-model.ts';

/** What the real keys look like in these tests; no request but those to providers may carry one. */
export const realKeys = {
  ANTHROPIC_API_KEY: 'sk-ant-api03-REAL-anthropic-key-0123456789',
  OPENAI_API_KEY: 'sk-proj-REAL-openai-key-0123456789',
  GEMINI_API_KEY: 'AIzaREAL-gemini-key-0123456789',
};

export const dummyKey = 'dummy-0123456789';

export interface Fixture {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly model: ScriptedModel;
  readonly spending: Spending;
  readonly budget: Budget;
  readonly exhausted: readonly Exhausted[];
}

export interface FixtureOptions {
  readonly model?: ScriptedModelOptions;
  readonly limits?: Limits;
  readonly endpoint?: Partial<ModelEndpointOptions>;
}

/** A scripted model behind the endpoint, as one attempt of a run has it; all of it ends with the test. */
export async function fixture(options: FixtureOptions = {}): Promise<Fixture> {
  const model = await scriptedModel(options.model);
  onTestFinished(() => model.close());
  const spending = openSpending(folder());
  const exhausted: Exhausted[] = [];
  const budget = spending.budget({
    run: 'acme/app#1',
    limits: () => options.limits ?? {},
    before: {},
    onExhausted: (each) => exhausted.push(each),
  });
  const listener = modelEndpoint({
    providers: providersAt(model.url),
    dummyKey,
    budget,
    providerTools: false,
    ...options.endpoint,
  });
  return { origin: await listening(listener), model, spending, budget, exhausted };
}

/** All known providers, with their keys, at one address. */
export function providersAt(url: string): readonly Provider[] {
  return providersIn(realKeys, { url });
}

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'coxswain-models-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The address of a server that ends with the test. */
export async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo; // a server on TCP
  return `http://127.0.0.1:${port}`;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Whether it ended as it should. */
  readonly complete: boolean;
}

export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** As it is, instead of a body of JSON. */
  readonly raw?: string | Buffer;
}

/** Asks the endpoint as an agent would, with the dummy key. */
export function ask(
  origin: string,
  path: string,
  { method = 'POST', headers, body, raw }: Asking = {},
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const { port } = new URL(origin);
    const type = sent === undefined ? {} : { 'content-type': 'application/json' };
    const all = { ...type, 'x-api-key': dummyKey, ...headers };
    const asking = request({ port, host: '127.0.0.1', path, method, headers: all }, (response) => {
      const chunks: Buffer[] = [];
      const received = () => ({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: Buffer.concat(chunks).toString(),
        complete: response.complete,
      });
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => {});
      response.on('close', () => resolve(received()));
    });
    asking.on('error', reject);
    asking.end(sent);
  });
}

/** The same question in all formats, with the path at the endpoint. */
export const questions = {
  messages: {
    path: '/api.anthropic.com/v1/messages',
    body: { model: 'claude-opus-4-6', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] },
  },
  responses: { path: '/api.openai.com/v1/responses', body: { model: 'gpt-5.5', input: 'Hello' } },
  chat: {
    path: '/api.openai.com/v1/chat/completions',
    body: { model: 'gpt-5.5', messages: [{ role: 'user', content: 'Hello' }] },
  },
  gemini: {
    path: '/generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:generateContent',
    body: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  },
} as const;

/** The same, streamed. */
export const streams = {
  messages: { ...questions.messages, body: { ...questions.messages.body, stream: true } },
  responses: { ...questions.responses, body: { ...questions.responses.body, stream: true } },
  chat: { ...questions.chat, body: { ...questions.chat.body, stream: true } },
  geminiEvents: {
    ...questions.gemini,
    path: questions.gemini.path.replace(':generateContent', ':streamGenerateContent?alt=sse'),
  },
  geminiList: {
    ...questions.gemini,
    path: questions.gemini.path.replace(':generateContent', ':streamGenerateContent'),
  },
} as const;
