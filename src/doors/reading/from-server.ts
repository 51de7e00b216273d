import { setTimeout } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { z } from 'zod';
import {
  auditShape,
  diffShape,
  historyShape,
  inboxEntryShape,
  logsShape,
  runShape,
  runSummaryShape,
} from '../report/report-shapes.ts';
import {
  type DiffChoice,
  type Listing,
  NotAvailable,
  type RunPlace,
  type RunReader,
  usualLines,
  wholeLines,
} from './reader.ts';

/** A server of Coxswain failed, or refused; the message is for people. */
export class ServerFault extends Error {
  override name = 'ServerFault';
  /** Whether the same may succeed later: it was not reached, is overloaded or failed. */
  readonly retriable: boolean;

  constructor(message: string, { retriable, cause }: { retriable: boolean; cause?: unknown }) {
    super(message, { cause });
    this.retriable = retriable;
  }
}

const timeoutMs = 30_000;

/** Reads runs from the HTTP API of a server, which asks GitHub with the same token what it may see. */
export class ServerReader implements RunReader {
  readonly #address: string;
  readonly #token: string;

  constructor({ address, token }: { readonly address: string; readonly token: string }) {
    this.#address = address;
    this.#token = token;
  }

  async run(at: RunPlace) {
    return { report: await this.#get(pathOf(at), runShape) };
  }

  async diff(at: RunPlace, { file, lines }: DiffChoice) {
    if (lines !== usualLines && lines !== wholeLines)
      throw new NotAvailable(`a server shows ${usualLines} or ${wholeLines} lines of a diff, not ${lines}`);
    const full = lines === wholeLines ? 'true' : undefined;
    return { report: await this.#get(`${pathOf(at)}/diff`, diffShape, { file, full }) };
  }

  async logs(at: RunPlace, verifier?: string) {
    return { report: await this.#get(`${pathOf(at)}/logs`, logsShape, { verifier }) };
  }

  async history(at: RunPlace) {
    return { report: await this.#get(`${pathOf(at)}/history`, historyShape) };
  }

  async audit(at: RunPlace) {
    return { report: await this.#get(`${pathOf(at)}/audit`, auditShape) };
  }

  inbox(repository?: string) {
    return this.#list('/inbox', inboxEntryShape, repository);
  }

  runs(repository?: string) {
    return this.#list('/runs', runSummaryShape, repository);
  }

  /** Asks for page after page, because a server lists only so many at once. */
  async #list<S extends z.ZodType>(
    path: string,
    entry: S,
    repository: string | undefined,
  ): Promise<Listing<z.output<S>>> {
    const shape = listShape.extend({ runs: z.array(entry) });
    const entries: z.output<S>[] = [];
    let cursor: string | undefined;
    for (;;) {
      const page = await this.#get(path, shape, { repository, limit: '100', cursor });
      entries.push(...page.runs);
      cursor = page.next ?? undefined;
      if (cursor === undefined) return { as_of: page.as_of, entries, left_out: leftOut(page) };
    }
  }

  async #get<S extends z.ZodType>(path: string, shape: S, query: Query = {}): Promise<z.output<S>> {
    const url = new URL(`${this.#address}/api/v1${path}`);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, value);
    const answer = await this.#ask(url);
    const parsed = shape.safeParse(answer);
    if (parsed.success) return parsed.data;
    const message = `${url.origin} answers GET ${url.pathname} in a form that this version does not know`;
    throw new ServerFault(message, { retriable: false, cause: parsed.error });
  }

  /**
   * What happens to a run, until the signal aborts. After a connection was lost, what was missed comes first;
   * meanwhile it says why nothing is heard.
   */
  async *events(at: RunPlace, signal: AbortSignal): AsyncGenerator<Heard> {
    const url = new URL(`${this.#address}/api/v1${pathOf(at)}/events`);
    for (let last: string | undefined; !signal.aborted; ) {
      try {
        const resumed = last === undefined ? {} : { 'last-event-id': last };
        const response = await this.#open(url, { accept: 'text/event-stream', ...resumed }, signal);
        const events = response.body
          ?.pipeThrough(new TextDecoderStream())
          .pipeThrough(new EventSourceParserStream());
        for await (const { id, event = '', data } of events ?? []) {
          last = id ?? last;
          yield { event, data: newsShape.parse(JSON.parse(data)) };
        }
      } catch (fault) {
        if (signal.aborted) return;
        // The connection may have been lost in the middle of the stream.
        const isPassing = fault instanceof ServerFault ? fault.retriable : fault instanceof TypeError;
        if (!isPassing) throw fault;
        yield { unreachable: `${url.origin} cannot be reached` };
      }
      await setTimeout(reconnectMs, undefined, { signal }).catch(() => undefined); // it is aborted
    }
  }

  async #ask(url: URL): Promise<unknown> {
    const response = await this.#open(url, { accept: 'application/json' }, AbortSignal.timeout(timeoutMs));
    const body: unknown = await response.json().catch(() => undefined); // such as a page of a proxy
    if (body !== undefined) return body;
    throw new ServerFault(`${url.origin} answers GET ${url.pathname} without JSON`, { retriable: false });
  }

  async #open(url: URL, given: Record<string, string>, signal: AbortSignal): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#token}`, ...given };
    // The token is for this server alone.
    const response = await fetch(url, { headers, redirect: 'error', signal }).catch((cause: unknown) => {
      throw new ServerFault(`${url.origin} cannot be reached`, { retriable: true, cause });
    });
    if (response.ok) return response;
    const { detail } = problemShape.safeParse(await response.json().catch(() => undefined)).data ?? {};
    const retriable = response.status >= 500 || response.status === 429;
    throw new ServerFault(detail ?? `${url.origin} answers with ${response.status}`, { retriable });
  }
}

/** What a server tells of a run, or why nothing is heard. */
type Heard =
  | { readonly event: string; readonly data: z.infer<typeof newsShape> }
  | { readonly unreachable: string };

/** An announcement says by whom and when; what the stream says of itself does not. */
const newsShape = z.looseObject({
  run: z.string(),
  time: z.string().optional(),
  actor: z.string().nullable().optional(),
});

const reconnectMs = 3_000;

type Query = Readonly<Record<string, string | undefined>>;

const problemShape = z.object({ detail: z.string() });

const listShape = z.object({
  next: z.string().nullable(),
  as_of: z.string().nullable(),
  complete: z.boolean(),
  blocked_by_sso: z.array(z.string()),
});

function leftOut({ complete, blocked_by_sso }: z.infer<typeof listShape>): readonly string[] {
  return [
    ...(complete ? [] : ['The server may not know of all runs yet.']),
    ...blocked_by_sso.map((link) => `An organization asks for single sign-on first: ${link}`),
  ];
}

function pathOf({ owner, repo, number }: RunPlace): string {
  return `/runs/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}/${number}`;
}
