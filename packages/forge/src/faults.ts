import { setTimeout as wait } from 'node:timers/promises';

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

  /** The fault for this request, one of its times used up. Waits for its delay. */
  async next(method: string, path: string): Promise<Fault | undefined> {
    const fault = this.#armed.find(
      (one) => one.times > 0 && (one.method ?? method) === method && one.path.test(path),
    );
    if (!fault) return undefined;
    fault.times -= 1;
    if (fault.delay_ms !== undefined) await wait(fault.delay_ms, undefined, { ref: false });
    return fault;
  }
}
