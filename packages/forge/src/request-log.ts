/** One request that the forge answered (or cut off). */
export interface LoggedRequest {
  method: string;
  /** The pattern, such as `/repos/{owner}/{repo}/issues`; `git` for transport, `none` for the unknown. */
  route: string;
  path: string;
  /** 0 when a fault cut the connection. */
  status: number;
  actor: string;
  time: string;
}

/** All requests since the start or the last `clear`, API and Git transport apart. */
export class RequestLog {
  readonly api: LoggedRequest[] = [];
  readonly git: LoggedRequest[] = [];

  readonly #counts = new Map<string, number>();

  add(request: LoggedRequest): void {
    // Conditional requests that find nothing new are free.
    if (request.route !== 'git' && request.status !== 304) {
      this.#counts.set(request.actor, this.usedBy(request.actor) + 1);
    }
    (request.route === 'git' ? this.git : this.api).push(request);
  }

  /** How many requests count towards the actor's hourly limit. */
  usedBy(actor: string): number {
    return this.#counts.get(actor) ?? 0;
  }

  get total(): number {
    return this.api.length;
  }

  /** Requests that were not reads. GraphQL counts as a write, as nothing tells it from outside. */
  get writes(): number {
    return this.api.filter((request) => request.method !== 'GET' && request.method !== 'HEAD').length;
  }

  /** How often each `GET /repos/{owner}/{repo}` was asked. */
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
