import { type Html, html } from '../html.ts';
import type { Had } from '../load/loaded.ts';
import type { IssueLine, Overview, RepositoryFacts, RepositoryOverview, RunLine } from '../load/overview.ts';
import { pathOf, type ThreadPlace } from '../routes.ts';
import { badge, bandBadge, section, time } from './components.ts';
import { type Attention, attentionOf, phaseBadge } from './phase-badge.ts';
import { runForms } from './start-run-forms.ts';

/** All runs and all issues that could become one. */
export function overviewMain(overview: Had<Overview>): Html {
  if ('missing' in overview) return html`<h1>Runs</h1><p class="missing">${overview.missing}</p>`;
  const { repositories } = overview.had;
  const known = repositories.flatMap(factsIn);
  return html`<h1>Runs</h1>
${repositories.length === 0 && html`<p class="missing">Coxswain is installed on no repository yet.</p>`}
${repositories.map(missingNote)}
${groups.map((group) => groupSection(group, known))}
${section('issues', 'Issues without a run', issueList(known))}`;
}

interface Known {
  readonly owner: string;
  readonly repo: string;
  readonly facts: RepositoryFacts;
}

function factsIn({ owner, repo, had }: RepositoryOverview): readonly Known[] {
  return 'had' in had ? [{ owner, repo, facts: had.had }] : [];
}

function missingNote({ owner, repo, had }: RepositoryOverview): Html | false {
  return 'missing' in had && html`<p class="missing" id="missing-${owner}/${repo}">${had.missing}</p>`;
}

interface Group {
  readonly id: string;
  readonly title: string;
  readonly empty: string;
  readonly attentions: readonly Attention[];
  readonly open: boolean;
}

const groups: readonly Group[] = [
  {
    id: 'waiting',
    title: 'Waiting for a human',
    empty: 'No run waits for anybody.',
    attentions: ['waits', 'broken'],
    open: true,
  },
  {
    id: 'moving',
    title: 'Under way',
    empty: 'Nothing is being worked on.',
    attentions: ['moves', 'good', 'over'],
    open: true,
  },
  {
    id: 'ended',
    title: 'Recently ended',
    empty: 'No run has ended yet.',
    attentions: ['waits', 'moves', 'good', 'over', 'broken'],
    open: false,
  },
];

function groupSection(group: Group, known: readonly Known[]): Html {
  const lines = known.flatMap(({ owner, repo, facts }) =>
    facts.runs.filter((run) => belongs(run, group)).map((run) => ({ owner, repo, run })),
  );
  const newestFirst = lines.toSorted((one, other) => other.run.at.localeCompare(one.run.at));
  const list = html`<ul class="rows">${newestFirst.map(runRow)}</ul>`;
  return section(
    group.id,
    group.title,
    lines.length === 0 ? html`<p class="quiet">${group.empty}</p>` : list,
  );
}

function belongs({ open, standing }: RunLine, group: Group): boolean {
  if (open !== group.open) return false;
  return group.attentions.includes(standing === null ? 'moves' : attentionOf(standing.phase));
}

function runRow({ owner, repo, run }: { owner: string; repo: string; run: RunLine }): Html {
  const place: ThreadPlace = { at: 'pull', owner, repo, number: run.number };
  return html`<li id="run-${owner}/${repo}#${run.number}" class="row">
<div class="what"><a class="title" href="${pathOf(place)}">${run.title}</a>
<p class="quiet">${owner}/${repo}#${run.number} · ${time(run.at)}</p></div>
<p class="how">${standingBadges(run)}</p>
</li>`;
}

function standingBadges({ standing, open, merged }: RunLine): readonly (Html | false)[] {
  if (standing === null) return [badge(open ? 'state unknown' : merged ? 'merged' : 'closed')];
  const { phase, iteration, max_iterations, score, band } = standing;
  return [
    html`<span class="quiet">iteration ${iteration} of ${max_iterations}</span>`,
    score !== null && band !== null && bandBadge(score, band),
    phaseBadge(phase),
  ];
}

function issueList(known: readonly Known[]): Html {
  const lines = known.flatMap(({ owner, repo, facts }) =>
    facts.issues.map((issue) => issueRow({ owner, repo, issue })),
  );
  const more = known.filter(({ facts }) => facts.more).map(({ owner, repo }) => `${owner}/${repo}`);
  const none = html`<p class="quiet">There is no open issue without a run.</p>`;
  return html`${lines.length === 0 ? none : html`<ul class="rows">${lines}</ul>`}
${more.length > 0 && html`<p class="quiet">${more.join(', ')}: only what changed last is here.</p>`}`;
}

function issueRow({ owner, repo, issue }: { owner: string; repo: string; issue: IssueLine }): Html {
  const place: ThreadPlace = { at: 'issues', owner, repo, number: issue.number };
  return html`<li id="issue-${owner}/${repo}#${issue.number}" class="row">
<div class="what"><a class="title" href="${pathOf(place)}">${issue.title}</a>
<p class="quiet">${owner}/${repo}#${issue.number} by ${issue.author} · ${time(issue.at)}</p></div>
<div class="how">${runForms(place, issue.labelled)}</div>
</li>`;
}
