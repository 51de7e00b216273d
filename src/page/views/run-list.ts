import type { Listed } from '../../doors/lists/run-index.ts';
import type { RunSummary } from '../../doors/report/report-shapes.ts';
import { type Html, html, time } from '../../html/html.ts';
import { commandSpecs } from '../../steering/commands/index.ts';
import { covers, type Role } from '../../steering/shapes/people.ts';
import { costText } from '../../text/amounts.ts';
import { scoreText } from '../../words/index.ts';
import { type IssueRoute, pathOf } from '../load/page-routes.ts';
import { bandBadge, details, phaseBadge, riskBadges } from './components.ts';

type ListedRun = Listed<RunSummary>;

/** Runs as rows, in the order given; under their issue, it is not named again. */
export function runList(runs: readonly ListedRun[], under: 'issue' | 'all' = 'all'): Html {
  return html`<ul class="rows">${runs.map((run) => runRow(run, under))}</ul>`;
}

function runRow(run: ListedRun, under: 'issue' | 'all'): Html {
  const { owner, repo, number, entry } = run;
  return html`<li id="run-${entry.run}" class="row">
<div class="row-main"><a class="title" href="${pathOf({ page: 'pull', owner, repo, number })}">${entry.title}</a>
<p class="muted">${entry.run}${under === 'all' && forIssue(run)}${iterationOf(run)}</p></div>
${runCells(run, phaseBadge(entry.phase), entry.updated_at)}
</li>`;
}

function forIssue({ owner, repo, facts: { issue: number } }: ListedRun): Html | false {
  if (number === null) return false;
  return html` for <a href="${pathOf({ page: 'issues', owner, repo, number })}">issue #${number}</a>`;
}

/** ` · iteration 2 of 5` */
export function iterationOf({ entry: { iteration, max_iterations } }: ListedRun): string {
  return ` · iteration ${iteration} of ${max_iterations}`;
}

/**
 * What is compared from run to run, always in the same order, so that where there is room each kind stands in
 * a column of its own: what it is about, how risky it is, how far its work can be trusted, what it has cost,
 * and since when.
 */
export function runCells({ entry, facts }: ListedRun, about: Html, since: string): Html {
  const { score, band } = entry;
  const confidence = score !== null && band !== null && !facts.superseded && bandBadge(score, band, facts);
  // A score steps back when it is of a commit before the present work.
  // What people are asked has a risk of its own, whatever the score is of.
  const isRisk = confidence !== false || 'risk_level' in entry;
  const before = score !== null && facts.superseded && `before that ${scoreText(score)}`;
  return html`<p class="row-side cells"><span>${about}</span> <span>${isRisk && riskBadges(facts)}</span>
<span class="muted">${confidence}${before}</span> <span class="muted amount">${costText(facts.cost)}</span>
<span class="muted amount">${time(since)}</span></p>`;
}

/** Two ways to start a run from an issue: as it stands, or with instructions. */
export function startRunForms(route: IssueRoute, role: Role): Html {
  const { needs } = commandSpecs.run;
  if (!covers(role, needs))
    return html`<p class="muted">Starting a run needs ${needs}; your role here is ${role}.</p>`;
  const id = `task-${route.owner}/${route.repo}#${route.number}`;
  const action = pathOf(route, 'comment');
  return html`<form method="post" action="${action}"><input type="hidden" name="command" value="run">
<button class="primary" title="Posts /run">Start a run</button></form>${details(
    { id: `write-${id}`, summary: 'Run with your own instructions' },
    html`<form method="post" action="${action}">
<input type="hidden" name="command" value="run">
<label for="${id}">What should the agent do?</label>
<textarea id="${id}" name="text" rows="3" required></textarea>
<button>Post /run</button>
</form>`,
  )}`;
}
