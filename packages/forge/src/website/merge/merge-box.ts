import type { PullIssue } from '../../model.ts';
import { mergeSettings } from '../../operations/merging.ts';
import { mergeability } from '../../operations/pull-details.ts';
import { encodedPath, nodeId } from '../../payloads/links.ts';
import { atLeast } from '../../permissions.ts';
import { fulfils, requiredChecksOn } from '../../rules/applied.ts';
import { type MergeViolation, mergeViolations, queueViolations } from '../../rules/merging.ts';
import { entryOf, queueRuleOn } from '../../rules/queue.ts';
import { commitLink, form, type Html, html, person, shortSha, type Value } from '../html.ts';
import { pullIn } from '../pull-frame.ts';
import type { Deed, RepositoryVisit } from '../visit.ts';
import { type Check, checkList, checkStates, checksOn, icon, worstOf } from './check-list.ts';
import { joinPart, mutate, queueDeeds, queuedPart, queueLink } from './merge-queue.ts';

/** What stands between a pull request and its merge, and the buttons that get over it. */
export async function mergeBox(visit: RepositoryVisit, issue: PullIssue): Promise<Html> {
  const parts = issue.state === 'closed' ? [await endPart(visit, issue)] : await openParts(visit, issue);
  return html`<section class="card merge-box" id="partial-pull-merging" aria-labelledby="merge-title"><h2 class="hidden" id="merge-title">Merge</h2>
${parts.map((part) => part && html`<div class="part">${part}</div>`)}</section>`;
}

async function endPart(visit: RepositoryVisit, { number, pull }: PullIssue): Promise<Html> {
  const { git } = visit;
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
  const { context } = visit;
  const { pull } = issue;
  const merge = await mergeability(context, issue);
  const said = checksOn(visit, pull.head_sha);
  const checks = [...said, ...missingChecks(visit, issue, said)];
  const queue = queueRuleOn(context, visit.repository, pull.base_ref);
  const entry = entryOf(context, issue);
  const all: MergeViolation[] = queue
    ? await queueViolations(context, issue)
    : await mergeViolations(context, issue, { sender_id: null });
  const mine = queue ? all : await mergeViolations(context, issue, { sender_id: visit.actor.account.id });
  const isConflict = merge.mergeable === false;
  const isBlocked = mine.length > 0;
  return [
    checks.length > 0 && checksPart(visit, checks, pull.base_ref),
    conflictPart(issue, merge.mergeable),
    all.some(({ behind }) => behind) &&
      html`<h3>${icon('pending')} This branch is out-of-date with the base branch</h3>`,
    all.length > 0 && blockedPart({ mine: mine.map(({ text }) => text), all: all.map(({ text }) => text) }),
    pull.draft && draftPart(visit, issue),
    !pull.draft && mayReturn(visit, issue) && backToDraft(visit),
    pull.auto_merge !== null && autoMergePart(visit, issue, pull.auto_merge),
    entry && queuedPart(visit, entry),
    queue && !entry && !pull.draft && !isConflict && pull.auto_merge === null && joinPart(visit, issue),
    !queue && !pull.draft && !isConflict && !isBlocked && (await mergeForms(visit, issue)),
  ];
}

function checksPart(visit: RepositoryVisit, checks: Check[], base: string): Html {
  const worst = worstOf(checks);
  const counts = Object.entries(checkStates).flatMap(([state, [, , , many]]) => {
    const same = checks.filter((check) => check.state === state);
    return same.length > 0 ? [`${same.length} ${many}`] : [];
  });
  return html`<h3>${icon(worst)} ${checkStates[worst][4]}</h3><p class="muted">${counts.join(', ')}</p>${checkList(visit, checks, base)}`;
}

function conflictPart({ pull }: PullIssue, mergeable: boolean | null): Html {
  const base = html`<code>${pull.base_ref}</code>`;
  if (mergeable === null) return html`<h3>${icon('neutral')} The base branch ${base} does not exist</h3>`;
  if (mergeable) {
    return html`<h3>${icon('success')} This branch has no conflicts with the base branch</h3><p class="muted">Merging can be performed automatically.</p>`;
  }
  return html`<h3>${icon('failure')} This branch has conflicts that must be resolved</h3>
<p>Merge ${base} into the branch with Git on your machine, resolve the conflicts and push. Resolving them here is not supported.</p>`;
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

const methods = [
  ['merge', 'Merge pull request', 'All commits are added to the base branch by a merge commit.'],
  ['squash', 'Squash and merge', 'The commits are combined into one commit.'],
  ['rebase', 'Rebase and merge', 'The commits are added to the base branch one by one.'],
] as const;

/** The ways to merge that the repository allows; only of the commit that the page shows. */
async function mergeForms(visit: RepositoryVisit, { pull }: PullIssue): Promise<Html> {
  if (!atLeast(visit.role, 'write')) {
    return html`<p class="muted">Only those with write access to this repository can merge pull requests.</p>`;
  }
  const allowed = methods.filter(([method]) => visit.repository.settings[mergeSettings[method]]);
  const buttons = allowed.map(
    ([method, name, words], index) =>
      html`<button name="method" value="${method}" title="${words}"${index === 0 && html` class="primary"`}>${name}</button>`,
  );
  return form(
    visit,
    { does: 'merge', fields: { sha: pull.head_sha }, className: 'fields', id: 'merge-form' },
    html`<div class="buttons">${buttons}</div><p class="muted">Merges commit <code>${shortSha(pull.head_sha)}</code>.</p>`,
  );
}

/** That the pull request merges itself as soon as it can. */
function autoMergePart(
  visit: RepositoryVisit,
  { pull }: PullIssue,
  { enabled_by_id, merge_method }: NonNullable<PullIssue['pull']['auto_merge']>,
): Html {
  const disable = form(visit, { does: 'disable-auto-merge' }, html`<button>Disable auto-merge</button>`);
  const isQueued = queueRuleOn(visit.context, visit.repository, pull.base_ref) !== undefined;
  const how = isQueued
    ? html`this joins ${queueLink(visit, pull.base_ref)}`
    : html`(${merge_method}) this merges`;
  return html`<h3>Auto-merge is enabled</h3>
<p>${person(visit.context, enabled_by_id)} enabled it: ${how} as soon as the rules allow it.</p>${atLeast(visit.role, 'write') && disable}`;
}

/** The required checks of which the expected App has said nothing yet. */
function missingChecks(
  { context, repository }: RepositoryVisit,
  { pull }: PullIssue,
  said: Check[],
): Check[] {
  return requiredChecksOn(context, repository, pull.base_ref)
    .filter((required) => !said.some((check) => fulfils(check, required)))
    .map(({ context: name, integration_id }) => ({
      name,
      source: integration_id === undefined ? '' : context.store.app(integration_id).name,
      app_id: integration_id ?? null,
      state: 'expected',
      words: 'Expected — Waiting for status to be reported',
      href: undefined,
    }));
}

const merge: Deed = async (visit, { params, form }) => {
  await visit.api('PUT', `/repos${visit.at}/pulls/${Number(params['number'])}/merge`, {
    merge_method: form.get('method') ?? 'merge',
    sha: form.get('sha'),
  });
  return `${visit.path}#partial-pull-merging`;
};

/** What only GraphQL can do with a pull request. */
const mutation =
  (name: string): Deed =>
  async (visit, { params }) => {
    const issue = pullIn(visit, params['number']);
    await mutate(visit, name, { pullRequestId: nodeId('PullRequest', issue.pull.id) });
    return `${visit.path}#partial-pull-merging`;
  };

const deleteBranch: Deed = async (visit, { params }) => {
  const { pull } = pullIn(visit, params['number']);
  await visit.api('DELETE', `/repos${visit.at}/git/refs/heads/${encodedPath(pull.head_ref)}`);
  return `${visit.path}#partial-pull-merging`;
};

export const mergeDeeds: Readonly<Record<string, Deed>> = {
  merge,
  ready: mutation('markPullRequestReadyForReview'),
  draft: mutation('convertPullRequestToDraft'),
  'disable-auto-merge': mutation('disablePullRequestAutoMerge'),
  'delete-branch': deleteBranch,
  ...queueDeeds,
};
