import { setTimeout as wait } from 'node:timers/promises';
import type { ForgeRequest, ForgeResponse, HookResult } from './requests.ts';

/** What goes wrong with the next `times` requests that match. */
export interface Fault {
  method?: string;
  /** Tried on the path with its query, `/api/v3` taken off. */
  path: RegExp;
  times: number;
  /** Answered instead of doing anything. */
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Cut the connection before anything was done, or after it took effect but before the answer. */
  drop?: 'before' | 'after';
  /** Time to wait first. */
  delay_ms?: number;
}

export class Faults {
  readonly #armed: Fault[] = [];

  add(fault: Fault): void {
    this.#armed.push({ ...fault });
  }

  clear(): void {
    this.#armed.length = 0;
  }

  /** Lets the first fault that matches have its way with a request, and uses up one of its times. */
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

function matches({ method, path }: Fault, request: ForgeRequest): boolean {
  return (method ?? request.method) === request.method && path.test(request.path);
}

function responseOf({ headers, body }: Fault, status: number): ForgeResponse {
  const otherwise = { message: 'Server Error', documentation_url: '', status: String(status) };
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body ?? otherwise),
  };
}
