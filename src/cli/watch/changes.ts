import { setTimeout } from 'node:timers/promises';
import { ServerFault } from '../../doors/reading/from-server.ts';
import { GitHubFault } from '../../github/octokit/fault.ts';
import type { Person } from '../terminal/person.ts';
import type { RunPlace } from '../terminal/which-run.ts';

/** Something may have changed, or, with a reason, nothing can be learned at the moment. */
export interface Change {
  readonly unreachable?: string;
}

const busyMs = 3_000;
const quietMs = 10_000;

/** After so many looks without a change, a run is asked about less often. */
const busyLooks = 100;

/**
 * Looks at the pull request, whose body the App draws anew with every event, until the signal aborts. GitHub
 * does not count a look at something that has not changed.
 */
export async function* changesOf(
  { octokit }: Person,
  { owner, repo, number }: RunPlace,
  signal: AbortSignal,
): AsyncGenerator<Change> {
  let [etag, seen, looks] = ['', '', 0];
  for (; !signal.aborted; looks += 1) {
    try {
      const headers = etag === '' ? {} : { 'if-none-match': etag };
      const answer = await octokit.rest.issues.get({ owner, repo, issue_number: number, headers });
      const now = JSON.stringify([answer.data.body, answer.data.labels, answer.data.state]);
      etag = answer.headers.etag ?? '';
      if (now !== seen) yield {};
      if (now !== seen) looks = 0;
      seen = now;
    } catch (fault) {
      const reason = passing(fault);
      if (reason === undefined) throw fault;
      if (reason !== '') yield { unreachable: reason };
    }
    await rest(looks < busyLooks ? busyMs : quietMs, signal);
  }
}

/** Says why nobody answers just now; empty if GitHub says that nothing has changed, undefined for good. */
export function passing(fault: unknown): string | undefined {
  if (fault instanceof ServerFault) return fault.retriable ? fault.message : undefined;
  if (!(fault instanceof GitHubFault)) return undefined;
  if (fault.status === 304) return '';
  return fault.retriable ? `GitHub does not answer: ${fault.reason}` : undefined;
}

/** Waits, or less if the signal aborts. */
export async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch((fault: unknown) => {
    if (!signal.aborted) throw fault;
  });
}
