import { scoreText } from '../../github/words/index.ts';
import { isOver } from '../../steering/table.ts';
import { costText } from '../../text/amounts.ts';
import { type Html, html } from '../html.ts';
import type { RunSummary } from '../load/run-summary.ts';
import { type IssueRoute, pathOf } from '../routes.ts';
import { badge, bandBadge, phaseBadge, time } from './components.ts';

/** A run in a list. */
export interface ListedRun {
  readonly owner: string;
  readonly repo: string;
  readonly run: RunSummary;
}

/** Runs as rows, in the order given; under their issue, it is not named again. */
export function runList(rows: readonly ListedRun[], under: 'issue' | 'all' = 'all'): Html {
  return html`<ul class="rows">${rows.map((row) => runRow(row, under))}</ul>`;
}

function runRow({ owner, repo, run }: ListedRun, under: 'issue' | 'all'): Html {
  const route: IssueRoute = { page: 'pull', owner, repo, number: run.number };
  return html`<li id="run-${owner}/${repo}#${run.number}" class="row">
<div class="row-main"><a class="title" href="${pathOf(route)}">${run.title}</a>
<p class="muted">${owner}/${repo}#${run.number}${under === 'all' && forIssue({ owner, repo, run })} · ${time(run.at)}</p></div>
<p class="row-side">${statusBadges(run)}</p>
</li>`;
}

function forIssue({ owner, repo, run }: ListedRun): Html | false {
  const number = run.status?.issue ?? null;
  if (number === null) return false;
  return html` for <a href="${pathOf({ page: 'issues', owner, repo, number })}">issue #${number}</a>`;
}

/** Of a closed pull request whose phase does not say so yet, only that is shown. */
function statusBadges({ status, open, merged }: RunSummary): readonly (Html | false)[] {
  if (status === null) return [badge(open ? 'state unknown' : merged ? 'merged' : 'closed')];
  const { phase, iteration, max_iterations, cost } = status;
  const spent = cost === null ? '' : costText(cost);
  return [
    html`<span class="muted">iteration ${iteration} of ${max_iterations}</span>`,
    spent !== '' && html`<span class="muted">${spent}</span>`,
    scoreBadge(status),
    open || isOver(phase) ? phaseBadge(phase) : badge(merged ? 'merged' : 'closed'),
  ];
}

/** A score of a commit before the present work steps back. */
function scoreBadge({ score, band, superseded }: NonNullable<RunSummary['status']>): Html | false {
  if (score === null || band === null) return false;
  return superseded
    ? html`<span class="muted">before that ${scoreText(score)}</span>`
    : bandBadge(score, band);
}
