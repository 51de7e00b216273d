/** One request that the forge responded to or dropped. */
export interface LoggedRequest {
  method: string;
  /** The route, such as `/repos/{owner}/{repo}/issues`; `git` for Git transport, `none` if unknown. */
  route: string;
  path: string;
  /** 0 if the connection was dropped. */
  status: number;
  actor: string;
  time: string;
}

/** All requests since the start or the last `clear`, with the API and Git transport in separate lists. */
export class RequestLog {
  readonly api: LoggedRequest[] = [];
  readonly git: LoggedRequest[] = [];

  readonly #counts = new Map<string, number>();

  add(request: LoggedRequest): void {
    // A 304 does not count against the rate limit.
    if (request.route !== 'git' && request.status !== 304) {
      this.#counts.set(request.actor, this.usedBy(request.actor) + 1);
    }
    (request.route === 'git' ? this.git : this.api).push(request);
  }

  /** The number of requests that count against the actor's hourly rate limit. */
  usedBy(actor: string): number {
    return this.#counts.get(actor) ?? 0;
  }

  get total(): number {
    return this.api.length;
  }

  /** The number of requests that were not reads; all GraphQL requests count as writes. */
  get writes(): number {
    return this.api.filter((request) => request.method !== 'GET' && request.method !== 'HEAD').length;
  }

  /** The number of requests by route, such as `GET /repos/{owner}/{repo}`. */
  get by_route(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { method, route } of this.api) {
      const key = `${method} ${route}`;
      counts[key] = (counts[key] ?? 0) + 1;
    }
    return counts;
  }

  clear(): void {
    this.api.length = 0;
    this.git.length = 0;
  }
}
