import type { Connection } from '../github/octokit/connect.ts';

/** GitHub's `Date` header has whole seconds, and answers take time: smaller differences mean nothing. */
const toleranceMs = 2000;

/** GitHub's time: a machine's clock may be wrong, and approvals depend on the order of events. */
export interface Clock {
  now(): Date;
}

/** Our own clock, corrected by the dates of GitHub's answers. */
export class GitHubClock implements Clock {
  #aheadMs = 0;

  now(): Date {
    return new Date(Date.now() + this.#aheadMs);
  }

  /** Corrects the clock with every answer this client gets. */
  follow(client: Connection): void {
    client.hook.after('request', ({ headers }) => this.#learn(Date.parse(headers.date ?? '')));
  }

  #learn(theirs: number): void {
    if (Number.isNaN(theirs)) return;
    const aheadMs = theirs - Date.now();
    this.#aheadMs = Math.abs(aheadMs) > toleranceMs ? aheadMs : 0;
  }
}
