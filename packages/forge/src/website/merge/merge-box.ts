import { gitOf } from '../../context.ts';
import type { PullIssue } from '../../model.ts';
import { mergeability } from '../../operations/pull-details.ts';
import { encodedPath } from '../../payloads/links.ts';
import { atLeast } from '../../permissions.ts';
import { hasMergeRules, mergeViolations } from '../../rules/merging.ts';
import { commitLink, form, person } from '../components.ts';
import { type Html, html, type Value } from '../html.ts';
import type { RepositoryVisit } from '../visit.ts';
import { type Check, checkList, checksOn, icon, worstOf } from './check-list.ts';
import { autoMergePart, mergeForms } from './merge-forms.ts';
import { missingChecks } from './missing-checks.ts';

/** What stands between a pull request and its merge, and the buttons that get over it. */
export async function mergeBox(visit: RepositoryVisit, issue: PullIssue): Promise<Html> {
  const parts = issue.state === 'closed' ? [await endPart(visit, issue)] : await openParts(visit, issue);
  return html`<section class="card merge-box" id="partial-pull-merging" aria-labelledby="merge-title"><h2 class="hidden" id="merge-title">Merge</h2>
${parts.map((part) => part && html`<div class="part">${part}</div>`)}</section>`;
}

async function endPart(visit: RepositoryVisit, { number, pull }: PullIssue): Promise<Html> {
  const git = gitOf(visit.context, visit.repository);
  const head = await git.ref(`refs/heads/${pull.head_ref}`);
  const remove =
    head !== undefined &&
    atLeast(visit.role, 'write') &&
    form(visit, { does: 'delete-branch' }, html`<button>Delete branch</button>`);
  const branch = html`<code>${pull.head_ref}</code>`;
  if (pull.merged_at === null) {
    return html`<h3>${icon('neutral')} Closed with unmerged commits</h3>
<p>This pull request is closed, but the branch ${branch} has unmerged commits${head === undefined && ' or is gone'}.</p>${remove}`;
  }
  const by = html`${person(visit.context, pull.merged_by_id)} merged #${number}`;
  return html`<h3><span class="icon done" aria-hidden="true">✓</span> Pull request successfully merged and closed</h3>
<p>${by}${pull.merge_commit_sha && html` as ${commitLink(visit.at, pull.merge_commit_sha)}`}. ${
    head === undefined ? html`The branch ${branch} is deleted.` : html`The branch ${branch} can be deleted.`
  }</p>${remove}`;
}

async function openParts(visit: RepositoryVisit, issue: PullIssue): Promise<Value[]> {
  const { context, repository } = visit;
  const { pull } = issue;
  const merge = await mergeability(context, issue);
  const checks = [...checksOn(visit, pull.head_sha), ...missingChecks(visit, issue)];
  const mine = await mergeViolations(context, issue, { sender_id: visit.actor.account.id });
  const all = await mergeViolations(context, issue, { sender_id: null });
  const isConflict = merge.mergeable === false;
  const isBlocked = mine.length > 0;
  return [
    checks.length > 0 && checksPart(visit, checks, pull.base_ref),
    conflictPart(visit, issue, merge.mergeable),
    all.some(({ behind }) => behind) && behindPart(visit, issue),
    all.length > 0 && blockedPart({ mine: mine.map(({ text }) => text), all: all.map(({ text }) => text) }),
    pull.draft && draftPart(visit, issue),
    !pull.draft && mayReturn(visit, issue) && backToDraft(visit),
    autoMergePart(visit, issue, {
      mayEnable: all.length > 0 && !isConflict && !pull.draft && hasMergeRules(context, issue),
    }),
    !pull.draft && !isConflict && !isBlocked && (await mergeForms(visit, issue)),
    repository.settings.delete_branch_on_merge &&
      html`<p class="muted">The branch will be deleted after the merge.</p>`,
  ];
}

const checkWords: Readonly<Record<Check['state'], string>> = {
  success: 'All checks have passed',
  neutral: 'All checks have passed',
  failure: 'Some checks were not successful',
  action: 'Some checks were not successful',
  pending: 'Some checks haven’t completed yet',
  expected: 'Some checks haven’t reported yet',
};

function checksPart(visit: RepositoryVisit, checks: Check[], base: string): Html {
  const worst = worstOf(checks);
  const count = (state: Check['state']) => checks.filter((check) => check.state === state).length;
  const counts = (['failure', 'action', 'pending', 'expected', 'neutral', 'success'] as const)
    .filter((state) => count(state) > 0)
    .map((state) => `${count(state)} ${words[state]}`);
  return html`<h3>${icon(worst)} ${checkWords[worst]}</h3><p class="muted">${counts.join(', ')}</p>${checkList(visit, checks, base)}`;
}

const words = {
  success: 'successful',
  failure: 'failing',
  action: 'requiring action',
  pending: 'pending',
  neutral: 'neutral',
  expected: 'expected',
} as const;

function conflictPart(visit: RepositoryVisit, { pull }: PullIssue, mergeable: boolean | null): Html {
  const base = html`<a href="${visit.at}/tree/${encodedPath(pull.base_ref)}"><code>${pull.base_ref}</code></a>`;
  if (mergeable === null) return html`<h3>${icon('neutral')} The base branch ${base} does not exist</h3>`;
  if (mergeable) {
    return html`<h3>${icon('success')} This branch has no conflicts with the base branch</h3><p class="muted">Merging can be performed automatically.</p>`;
  }
  return html`<h3>${icon('failure')} This branch has conflicts that must be resolved</h3>
<p>Merge ${base} into the branch with Git on your machine, resolve the conflicts and push. Resolving them here is not supported.</p>`;
}

function behindPart(visit: RepositoryVisit, { pull }: PullIssue): Html {
  const update = form(
    visit,
    { does: 'update-branch', fields: { sha: pull.head_sha } },
    html`<button>Update branch</button>`,
  );
  return html`<h3>${icon('pending')} This branch is out-of-date with the base branch</h3>${atLeast(visit.role, 'write') && update}`;
}

/** The rules in the way of the person, or those that the person may bypass. */
function blockedPart({ mine, all }: { mine: string[]; all: string[] }): Html {
  const list = (texts: string[]) => html`<ul>${texts.map((text) => html`<li>${text}</li>`)}</ul>`;
  if (mine.length > 0) return html`<h3>${icon('failure')} Merging is blocked</h3>${list(mine)}`;
  return html`<h3>${icon('pending')} Rules of the base branch are not met, but you may bypass them</h3>${list(all)}`;
}

function draftPart(visit: RepositoryVisit, issue: PullIssue): Html {
  const ready = form(visit, { does: 'ready' }, html`<button class="primary">Ready for review</button>`);
  return html`<h3>${icon('neutral')} This pull request is still a work in progress</h3>
<p class="muted">Draft pull requests cannot be merged.</p>${mayReturn(visit, issue) && ready}`;
}

function backToDraft(visit: RepositoryVisit): Html {
  return form(
    visit,
    { does: 'draft' },
    html`Still in progress? <button class="plain">Convert to draft</button>`,
  );
}

/** Whether the person may switch between draft and ready. */
function mayReturn({ actor, role }: RepositoryVisit, { user_id }: PullIssue): boolean {
  return user_id === actor.account.id || atLeast(role, 'write');
}
