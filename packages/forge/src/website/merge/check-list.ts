import type { CheckRun, CommitStatus, PullIssue } from '../../model.ts';
import { fulfils, requiredChecksOn } from '../../rules/applied.ts';
import { latestRuns, latestStatuses } from '../../rules/requirements.ts';
import { type Html, html, webAddress } from '../html.ts';
import type { RepositoryVisit } from '../visit.ts';

/** What a check run or a commit status says, as both are listed together. */
export interface Check {
  name: string;
  /** The App or person that set it. */
  source: string;
  app_id: number | null;
  state: keyof typeof checkStates;
  /** Such as `Successful in 3 s`. */
  words: string;
  /** Where more is said about it. */
  href: string | undefined;
}

/** The newest check runs and statuses of a commit, by name. */
export function checksOn(visit: RepositoryVisit, sha: string): Check[] {
  const commit = { repository: visit.repository, sha };
  return [
    ...latestRuns(visit.context, commit).map((run) => ofRun(visit, run)),
    ...latestStatuses(visit.context, commit).map((status) => ofStatus(visit, status)),
  ];
}

/** The check runs of a pull request's newest commit. */
export function runsOf({ context, repository }: RepositoryVisit, { pull }: PullIssue): CheckRun[] {
  return latestRuns(context, { repository, sha: pull.head_sha });
}

function ofRun({ context, at }: RepositoryVisit, run: CheckRun): Check {
  const { title } = run.output;
  return {
    name: run.name,
    source: context.store.app(run.app_id).name,
    app_id: run.app_id,
    state: stateOfRun(run),
    words: `${runWords(run)}${title ? ` — ${title}` : ''}`,
    href: `${at}/runs/${run.id}`,
  };
}

export function stateOfRun({ status, conclusion }: CheckRun): Check['state'] {
  if (status !== 'completed') return 'pending';
  if (conclusion === 'success') return 'success';
  if (conclusion === 'action_required') return 'action';
  return conclusion === 'neutral' || conclusion === 'skipped' ? 'neutral' : 'failure';
}

/** How a run ended, or that it has not ended yet, in GitHub's words. */
export function runWords({ status, conclusion, started_at, completed_at }: CheckRun): string {
  if (status === 'queued') return 'Queued';
  if (status === 'in_progress') return 'In progress';
  const seconds = Math.round((Date.parse(completed_at ?? started_at) - Date.parse(started_at)) / 1000);
  const words: Readonly<Record<string, string>> = {
    success: `Successful in ${seconds} s`,
    failure: `Failing after ${seconds} s`,
    neutral: 'Neutral',
    skipped: 'Skipped',
    cancelled: 'Cancelled',
    timed_out: `Timed out after ${seconds} s`,
    action_required: 'Action required',
    stale: 'Stale',
  };
  return words[conclusion ?? ''] ?? 'Completed';
}

function ofStatus({ context }: RepositoryVisit, status: CommitStatus): Check {
  const state = { error: 'failure', failure: 'failure', pending: 'pending', success: 'success' } as const;
  return {
    name: status.context,
    source: context.store.account(status.creator_id).login,
    app_id: status.app_id,
    state: state[status.state],
    words: status.description ?? status.state,
    href: webAddress(status.target_url),
  };
}

/**
 * What a check can say, worst first: the kind of its sign, the sign, and words for one, for a number of them
 * and for all checks of which it is the worst.
 */
export const checkStates = {
  failure: ['bad', '✕', 'Failed', 'failing', 'Some checks were not successful'],
  action: ['waiting', '!', 'Action required', 'requiring action', 'Some checks were not successful'],
  pending: ['waiting', '●', 'Waiting', 'pending', 'Some checks haven’t completed yet'],
  expected: ['waiting', '○', 'Expected', 'expected', 'Some checks haven’t reported yet'],
  neutral: ['', '–', 'Neutral', 'neutral', 'All checks have passed'],
  success: ['good', '✓', 'Passed', 'successful', 'All checks have passed'],
} as const;

export function icon(state: Check['state']): Html {
  const [kind, sign, words] = checkStates[state];
  return html`<span class="icon ${kind}"><span aria-hidden="true">${sign}</span><span class="hidden">${words}</span></span>`;
}

/** One sign for all checks of a commit; nothing if it has none. */
export function summaryIcon(checks: Check[]): Html | false {
  return checks.length > 0 && icon(worstOf(checks));
}

export function worstOf(checks: Check[]): Check['state'] {
  const order = ['failure', 'action', 'pending', 'expected'] as const;
  return order.find((state) => checks.some((check) => check.state === state)) ?? 'success';
}

/** Each check with its state, where to read more, and whether a merge into `base` needs it. */
export function checkList(visit: RepositoryVisit, checks: Check[], base: string): Html {
  const required = requiredChecksOn(visit.context, visit.repository, base);
  const isRequired = (check: Check) => required.some((one) => fulfils(check, one));
  const rows = checks.map(
    (check) => html`<li>${icon(check.state)}
<span><b>${check.name}</b> <span class="muted">${check.source}</span></span>
<span class="muted">${check.words}</span>
<span class="end">${isRequired(check) && html`<span class="tag">Required</span> `}${
      check.href && html`<a href="${check.href}">Details<span class="hidden"> of ${check.name}</span></a>`
    }</span></li>`,
  );
  return html`<ul class="plain rows">${rows}</ul>`;
}
