import { createHash } from 'node:crypto';
import { seeOther } from '../../../../../src/html/response.ts';
import { commitsBetween, type FileChange, listChanges, readCommit } from '../../git/commits.ts';
import { zeroSha } from '../../git/plumbing.ts';
import { forkPoint } from '../../operations/pull-details.ts';
import { encodedPath } from '../../payloads/links.ts';
import { atLeast } from '../../permissions.ts';
import { notFound } from '../../responses.ts';
import { commitLink, type Html, html, plural, shortSha, type Value } from '../html.ts';
import { pullFrame, pullIn, pullTitle } from '../pull-frame.ts';
import {
  commitCalled,
  type Page,
  type PageRoute,
  type Params,
  page,
  type RepositoryVisit,
  type Shown,
} from '../visit.ts';

/** What a pull request changes, what lies between two commits, and what one of them has changed. */
export const changePages: readonly PageRoute[] = [
  page('/pull/:number/files', files),
  page('/compare/*range', compare),
  page('/commit/:name', async (visit, { name = '' }): Promise<Shown> => {
    const sha = await commitCalled(visit, name);
    if (!sha) throw notFound();
    const { parents } = await readCommit(visit.git, sha);
    return seeOther(`${visit.at}/compare/${parents[0] ?? zeroSha}...${sha}`);
  }),
];

async function files(visit: RepositoryVisit, { number }: Params): Promise<Page> {
  const issue = pullIn(visit, number);
  const { head_ref, head_sha } = issue.pull;
  const changes = await listChanges(visit.git, await forkPoint(visit.context, issue), head_sha);
  const mayEdit = issue.state === 'open' && atLeast(visit.role, 'write');
  const main = html`${await pullFrame(visit, issue, '/files')}<h2>Files changed</h2>
<p><a href="${visit.at}/pull/${issue.number}#review">Review changes</a> in the conversation.</p>
${diffOf(changes, { at: visit.at, sha: head_sha, ...(mayEdit && { branch: head_ref }) })}`;
  return { title: pullTitle(issue), tab: 'pulls', main, wide: true };
}

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

/** More lines would slow a browser down. */
const maxLines = 3000;
const maxLineLength = 2000;

interface DiffOptions {
  /** Where the repository is, and the commit after the changes. */
  at: string;
  sha: string;
  /** Where the person may change the files. */
  branch?: string;
}

/** All changed files with their lines, as far as a page should show them. */
function diffOf(changes: FileChange[], options: DiffOptions): Html {
  if (changes.length === 0) return html`<p class="notice">There are no changes to show.</p>`;
  let left = maxLines;
  const files = changes.map((change) => {
    const lines = (change.patch ?? '').split('\n');
    const shown = lines.slice(0, Math.max(0, left));
    left -= lines.length;
    return fileOf(change, { ...options, shown, cut: lines.length - shown.length });
  });
  const note =
    left < 0 &&
    html`<p class="notice">This diff is too long for a page: only the first ${maxLines} lines are shown.</p>`;
  return html`${summaryOf(changes)}${note}${files}`;
}

function summaryOf(changes: FileChange[]): Html {
  const sum = (key: 'additions' | 'deletions') => changes.reduce((total, one) => total + one[key], 0);
  return html`<p>Showing <b>${plural(changes.length, 'changed file')}</b> with <b class="plus">${plural(sum('additions'), 'addition')}</b> and <b class="minus">${plural(sum('deletions'), 'deletion')}</b>.</p>`;
}

interface FileOptions extends DiffOptions {
  shown: string[];
  /** How many lines are left out. */
  cut: number;
}

function fileOf(change: FileChange, { shown, cut, at, sha, branch }: FileOptions): Html {
  const { filename, previous_filename, status, additions, deletions, patch } = change;
  const name = previous_filename === undefined ? filename : `${previous_filename} → ${filename}`;
  const path = encodedPath(filename);
  const edit =
    branch !== undefined &&
    patch !== undefined &&
    html` · <a href="${at}/edit/${encodedPath(branch)}/${path}">Edit<span class="hidden"> ${filename}</span></a>`;
  const body =
    patch === undefined
      ? html`<p class="body">There are no lines to show: the file is binary, or only its name or mode changed.</p>`
      : html`<div class="scroll" role="group" tabindex="0" aria-label="Changes in ${filename}"><table class="code" role="presentation">${rowsOf(shown)}</table></div>`;
  return html`<details class="card code-card" id="diff-${anchorOf(filename)}" open>
<summary><code>${name}</code> <span class="muted">${status}</span> <span class="plus">+${additions}</span> <span class="minus">−${deletions}</span></summary>
<p class="links">${status !== 'removed' && html`<a href="${at}/blob/${sha}/${path}">View file</a>${edit}`}</p>
${body}
${cut > 0 && html`<p class="body muted">${cut} more lines of this file are not shown.</p>`}
</details>`;
}

/** As in GitHub's addresses of a file in a diff. */
function anchorOf(filename: string): string {
  return createHash('sha256').update(filename).digest('hex');
}

/** Lines with their numbers before and after the change. */
function rowsOf(lines: string[]): Html[] {
  let [before, after] = [0, 0];
  return lines.map((line) => {
    const text = line.length > maxLineLength ? `${line.slice(0, maxLineLength)}… (cut)` : line;
    const start = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (start) {
      [before, after] = [Number(start[1]), Number(start[2])];
      return rowOf('hunk', ['', ''], text);
    }
    if (line.startsWith('+')) return rowOf('added', ['', after++], text);
    if (line.startsWith('-')) return rowOf('removed', [before++, ''], text);
    if (line.startsWith('\\')) return rowOf('hunk', ['', ''], text);
    return rowOf('same', [before++, after++], text);
  });
}

function rowOf(kind: string, numbers: Value[], text: string): Html {
  const cells = numbers.map((number) => html`<td class="number">${number}</td>`);
  return html`<tr class="${kind}">${cells}<td>${text}</td></tr>`;
}
