import { seeOther } from '../../../../../src/html/response.ts';
import { commitsBetween, listChanges, readCommit } from '../../git/commits.ts';
import { zeroSha } from '../../git/plumbing.ts';
import { notFound } from '../../responses.ts';
import { diffOf } from '../diff.ts';
import { commitLink, html, plural, shortSha } from '../html.ts';
import {
  commitCalled,
  type Page,
  type PageRoute,
  type Params,
  page,
  type RepositoryVisit,
  type Shown,
} from '../visit.ts';

/** What lies between two commits, and what one of them has changed. */
export const commitPages: readonly PageRoute[] = [
  page('/compare/*range', compare),
  page('/commit/:name', async (visit, { name = '' }): Promise<Shown> => {
    const sha = await commitCalled(visit, name);
    if (!sha) throw notFound();
    const { parents } = await readCommit(visit.git, sha);
    return seeOther(`${visit.at}/compare/${parents[0] ?? zeroSha}...${sha}`);
  }),
];

/** What `base...head` means; there is nothing before a branch that was created. */
async function compare(visit: RepositoryVisit, { range = '' }: Params): Promise<Page> {
  const { git, at } = visit;
  const [base = '', head = ''] = range.split('...').map((name) => name.replace(/^[\w.-]+:/, ''));
  const title = `Comparing ${range.replace(/\b([0-9a-f]{7})[0-9a-f]{5,33}\b/g, '$1')}`;
  const to = await commitCalled(visit, head);
  if (to && base.length >= 7 && zeroSha.startsWith(base)) {
    const main = html`<h1>${title}</h1><p class="notice">There is nothing to compare: the branch was created at <code>${shortSha(to)}</code>.</p>`;
    return { title, main };
  }
  const from = await commitCalled(visit, base);
  if (!from || !to) throw notFound();
  const [commits, changes] = await Promise.all([
    commitsBetween(git, from, to),
    listChanges(git, (await git.mergeBase(from, to)) ?? from, to),
  ]);
  const main = html`<h1>${title}</h1>
<p>${commitLink(at, from)} … ${commitLink(at, to)}: ${plural(commits.length, 'commit')}.</p>
${diffOf(changes, { at, sha: to })}`;
  return { title, main, wide: true };
}
