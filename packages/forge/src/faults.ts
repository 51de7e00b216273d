import { setTimeout as wait } from 'node:timers/promises';
import type { Activity } from './model.ts';
import type { ForgeRequest, ForgeResponse, HookResult } from './requests.ts';

/** A failure to inject into the next `times` requests that match. */
export interface Fault {
  method?: string;
  /** Matched against the path with its query, without `/api/v3`. */
  path: RegExp;
  /** Matched against the body, in which GraphQL has its question. */
  asks?: RegExp;
  times: number;
  /** The response status; the request is not processed. */
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Drops the connection before the request is processed, or after it but before the response. */
  drop?: 'before' | 'after';
  /** How long to wait first. */
  delay_ms?: number;
}

/** What a client sees of a repository's activity (newest first), instead of all of it. */
export type ActivityFault = (entries: Activity[]) => Activity[];

/** Whether the server signs for Apps: an Enterprise Server may not, and `other` answers with another commit's id. */
export type Signing = 'github' | 'none' | 'other';

export class Faults {
  signing: Signing = 'github';
  /** Whether the answer of a sign-in says who gives it: github.com does, an Enterprise Server does not. */
  namesIssuer = true;
  readonly #armed: Fault[] = [];
  readonly #activity = new Map<number, ActivityFault>();

  add(fault: Fault): void {
    this.#armed.push({ ...fault });
  }

  /** From now on, clients see of the repository's activity what `shown` returns. */
  showActivity(repository_id: number, shown: ActivityFault): void {
    this.#activity.set(repository_id, shown);
  }

  shownActivity(repository_id: number, entries: Activity[]): Activity[] {
    return this.#activity.get(repository_id)?.(entries) ?? entries;
  }

  clear(): void {
    this.#armed.length = 0;
    this.#activity.clear();
    this.signing = 'github';
    this.namesIssuer = true;
  }

  /** Applies the first fault that matches the request, and uses up one of its times. */
  async apply(request: ForgeRequest, next: () => Promise<HookResult>): Promise<HookResult> {
    const fault = this.#armed.find((one) => one.times > 0 && matches(one, request));
    if (!fault) return next();
    fault.times -= 1;
    if (fault.delay_ms !== undefined) await wait(fault.delay_ms, undefined, { ref: false });
    if (fault.status !== undefined) return responseOf(fault, fault.status);
    if (fault.drop === 'before') return 'drop';
    const reply = await next();
    return fault.drop === 'after' ? 'drop' : reply;
  }
}

function matches({ method, path, asks }: Fault, request: ForgeRequest): boolean {
  const isThere = (method ?? request.method) === request.method && path.test(request.path);
  return isThere && (asks === undefined || asks.test(request.body.toString()));
}

function responseOf({ headers, body }: Fault, status: number): ForgeResponse {
  const otherwise = { message: 'Server Error', documentation_url: '', status: String(status) };
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body ?? otherwise),
  };
}
