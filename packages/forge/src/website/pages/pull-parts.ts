import { forkPoint } from '../../operations/pull-details.ts';
import { encodedPath } from '../../payloads/links.ts';
import { atLeast } from '../../permissions.ts';
import { commitList } from '../commit-list.ts';
import { changesBetween, commitsBetween } from '../comparison.ts';

import { diffOf } from '../diff.ts';
import { html } from '../html.ts';
import { below } from '../pattern.ts';
import { pullFrame, pullIn, pullTitle } from '../pull-frame.ts';
import { codePath } from '../refs.ts';
import { threadDeeds } from '../thread/thread.ts';
import type { Page, PageRoute, Params, RepositoryVisit } from '../visit.ts';

/** The commits and the changed files of a pull request. */
export const pullPartPages: readonly PageRoute[] = [
  { pattern: below('/pull/:number/commits'), of: 'repository', show: commits, deeds: threadDeeds },
  { pattern: below('/pull/:number/files'), of: 'repository', show: files, deeds: threadDeeds },
];

async function commits(visit: RepositoryVisit, { number }: Params): Promise<Page> {
  const issue = pullIn(visit, number);
  const { base_sha, head_sha } = issue.pull;
  const found = await commitsBetween(visit, { baseSha: base_sha, headSha: head_sha });
  const main = html`${await pullFrame(visit, issue, '/commits')}<h2>Commits</h2>${commitList(visit, found)}`;
  return { title: pullTitle(issue), tab: 'pulls', main };
}

async function files(visit: RepositoryVisit, { number }: Params): Promise<Page> {
  const issue = pullIn(visit, number);
  const { head_ref, head_sha } = issue.pull;
  const changes = await changesBetween(visit, await forkPoint(visit.context, issue), head_sha);
  const mayEdit = issue.state === 'open' && atLeast(visit.role, 'write');
  const main = html`${await pullFrame(visit, issue, '/files')}<h2>Files changed</h2>
<p><a href="${visit.at}/pull/${issue.number}#review">Review changes</a> in the conversation.</p>
${diffOf(changes, {
  whole: `${visit.at}/pull/${issue.number}.diff`,
  linksFor({ filename, status, patch }) {
    if (status === 'removed') return false;
    const edit = codePath(visit.at, 'edit', { ref: head_ref, path: filename });
    const mayChange = mayEdit && patch !== undefined;
    return html`<a href="${visit.at}/blob/${head_sha}/${encodedPath(filename)}">View file</a>${mayChange && html` · <a href="${edit}?pr=${issue.number}">Edit<span class="hidden"> ${filename}</span></a>`}`;
  },
})}`;
  return { title: pullTitle(issue), tab: 'pulls', main, wide: true };
}
