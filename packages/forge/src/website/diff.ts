import { createHash } from 'node:crypto';
import type { FileChange } from '../git/commits.ts';
import { encodedPath } from '../payloads/links.ts';
import { type Html, html, plural, type Value } from './html.ts';

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
export function diffOf(changes: FileChange[], options: DiffOptions): Html {
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
