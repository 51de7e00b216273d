import type { PullIssue, Repository } from '../../model.ts';
import { atLeast } from '../../permissions.ts';
import { form, person, shortSha } from '../components.ts';
import { type Html, html } from '../html.ts';
import { kept, type RepositoryVisit } from '../visit.ts';

const methods = [
  ['merge', 'Merge pull request', 'All commits are added to the base branch by a merge commit.'],
  ['squash', 'Squash and merge', 'The commits are combined into one commit.'],
  ['rebase', 'Rebase and merge', 'The commits are added to the base branch one by one.'],
] as const;

type Method = (typeof methods)[number][0];

function isAllowed({ settings }: Repository, method: Method): boolean {
  return {
    merge: settings.allow_merge_commit,
    squash: settings.allow_squash_merge,
    rebase: settings.allow_rebase_merge,
  }[method];
}

/** The ways to merge that the repository allows; only of the commit that the page shows. */
export async function mergeForms(visit: RepositoryVisit, { pull }: PullIssue): Promise<Html> {
  if (!atLeast(visit.role, 'write')) {
    return html`<p class="muted">Only those with write access to this repository can merge pull requests.</p>`;
  }
  const allowed = methods.filter(([method]) => isAllowed(visit.repository, method));
  const typed = (field: string) => kept(visit, 'merge', field) ?? '';
  const message = html`<details id="merge-message"${typed('title') !== '' && html` open`}><summary>Commit message</summary><div class="fields">
<label>Title (empty: the usual one)<input type="text" name="title" value="${typed('title')}"></label>
<label>Message<textarea name="message" rows="3">
${typed('message')}</textarea></label></div></details>`;
  const buttons = allowed.map(
    ([method, name, words], index) =>
      html`<button name="method" value="${method}" title="${words}"${index === 0 && html` class="primary"`}>${name}</button>`,
  );
  return form(
    visit,
    { does: 'merge', fields: { sha: pull.head_sha }, className: 'fields', id: 'merge-form' },
    html`<div class="buttons">${buttons}</div><p class="muted">Merges commit <code>${shortSha(pull.head_sha)}</code>.</p>${message}`,
  );
}

/** Whether the pull request merges itself as soon as it can, and the switch for it. */
export function autoMergePart(
  visit: RepositoryVisit,
  { pull }: PullIssue,
  { mayEnable }: { mayEnable: boolean },
): Html | false {
  const mayWrite = atLeast(visit.role, 'write');
  if (pull.auto_merge !== null) {
    const { enabled_by_id, merge_method } = pull.auto_merge;
    const disable = form(visit, { does: 'disable-auto-merge' }, html`<button>Disable auto-merge</button>`);
    return html`<h3>Auto-merge is enabled</h3>
<p>${person(visit.context, enabled_by_id)} enabled it (${merge_method}): this merges as soon as the rules allow it.</p>${mayWrite && disable}`;
  }
  if (!mayEnable || !mayWrite || !visit.repository.settings.allow_auto_merge) return false;
  const buttons = methods
    .filter(([method]) => isAllowed(visit.repository, method))
    .map(([method]) => html`<button name="method" value="${method}">Enable auto-merge (${method})</button>`);
  const fields = { sha: pull.head_sha };
  return form(visit, { does: 'enable-auto-merge', fields }, html`<div class="buttons">${buttons}</div>`);
}
