import { z } from 'zod';
import {
  auditShape,
  diffShape,
  historyShape,
  inboxEntryShape,
  logsShape,
  runShape,
  runSummaryShape,
} from '../report/shapes.ts';
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

  /** All pages: a server lists only so many at once. */
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

  async #ask(url: URL): Promise<unknown> {
    const headers = { authorization: `Bearer ${this.#token}`, accept: 'application/json' };
    // The token is for this server alone.
    const options = { headers, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) } as const;
    const response = await fetch(url, options).catch((cause: unknown) => {
      throw new ServerFault(`${url.origin} cannot be reached`, { retriable: true, cause });
    });
    const body: unknown = await response.json().catch(() => undefined); // such as a page of a proxy
    if (response.ok && body !== undefined) return body;
    const { detail } = problemShape.safeParse(body).data ?? {};
    const retriable = response.status >= 500 || response.status === 429;
    throw new ServerFault(detail ?? `${url.origin} answers with ${response.status}`, { retriable });
  }
}

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
