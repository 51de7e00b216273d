import { html as diffHtml } from 'diff2html';
import { elementId, type Html, html, trusted } from '../../html/html.ts';
import type { DiffText } from '../../words/index.ts';
import { details, externalLink } from './components.ts';

interface DiffOptions {
  readonly side_by_side: boolean;
  readonly full: boolean;
  /** Where this page is, for links to itself with other options. */
  readonly path: string;
  /** Where the pull request is on GitHub. */
  readonly web: string;
}

type FileDiff = DiffText['files'][number];

/** More lines would slow a browser down; the remaining files are listed without their lines. */
const maxLines = 20_000;
/** With more files than this, all are collapsed. */
const maxOpen = 20;

/** Shows every file with its changes; it is cached, because a diff never changes. */
export function changes(diff: DiffText, options: DiffOptions): Html {
  const known = rendered.get(diff) ?? new Map<string, Html>();
  rendered.set(diff, known);
  const key = JSON.stringify(options);
  const fresh = known.get(key) ?? render(diff, options);
  known.set(key, fresh);
  return fresh;
}

const rendered = new WeakMap<DiffText, Map<string, Html>>();

function render(diff: DiffText, options: DiffOptions): Html {
  let left = maxLines;
  const files = diff.files.map((file) => {
    left -= file.diff.split('\n').length;
    return fileDetails(file, { ...options, isShown: left >= 0, isOpen: diff.files.length <= maxOpen });
  });
  return html`<div class="toolbar"><p>${diff.summary}</p>${layoutSwitch(diff, options)}</div>
${diff.truncated && truncationNote(options)}
${files}`;
}

function layoutSwitch(diff: DiffText, { side_by_side, full, path }: DiffOptions): Html | false {
  if (diff.files.length === 0) return false;
  const pathTo = (split: boolean) =>
    `${path}?diff=${split ? 'split' : 'unified'}${full ? '&full=1' : ''}#changes`;
  const link = (split: boolean, text: string) =>
    html`<a href="${pathTo(split)}"${split === side_by_side && html` aria-current="true"`}>${text}</a>`;
  return html`<nav class="switch" aria-label="Diff view">
${link(false, 'Unified')}${link(true, 'Side by side')}</nav>`;
}

function truncationNote({ side_by_side, full, path, web }: DiffOptions): Html {
  const whole = `${path}?diff=${side_by_side ? 'split' : 'unified'}&full=1#changes`;
  const here = full ? 'The full diff is ' : html`<a href="${whole}">Show the full diff here</a>, or read it `;
  return html`<p class="notice">Long files are truncated. ${here}${externalLink(`${web}/files`, 'on GitHub')}.</p>`;
}

interface FileOptions extends DiffOptions {
  readonly isShown: boolean;
  readonly isOpen: boolean;
}

function fileDetails(file: FileDiff, options: FileOptions): Html {
  const { path, previous_path, status, additions, deletions, binary } = file;
  const counts = binary
    ? html`<span class="muted">binary</span>`
    : html`<span class="plus">+${additions}</span> <span class="minus">−${deletions}</span>`;
  const name = previous_path === undefined ? path : `${previous_path} → ${path}`;
  const summary = html`<code>${name}</code> <span class="muted">${status}</span> ${counts}`;
  return html`<div class="file">${details(
    { id: elementId(`file-${path}`), summary, open: options.isOpen },
    patchBody(file, options),
  )}</div>`;
}

const truncationMark = /\n?\.\.\. \(truncated\)$/;

function patchBody(file: FileDiff, options: FileOptions): Html {
  if (!options.isShown) {
    const there = externalLink(`${options.web}/files`, 'on GitHub');
    return html`<p class="muted">Too long for this page: read it ${there}.</p>`;
  }
  const patch = file.diff.replace(truncationMark, '');
  const note = patch !== file.diff && html`<p class="muted">The rest of this file is truncated.</p>`;
  if (!/^@@ /m.test(patch)) return html`<p class="muted">No lines to show.</p>${note}`;
  return html`<div class="scroll diff" tabindex="0" role="group" aria-label="Changes in ${file.path}">
${patchTable(patch, options)}</div>${note}`;
}

/** diff2html escapes its input; only its wrapper, with icons and a checkbox, is replaced. */
function patchTable(patch: string, { side_by_side }: DiffOptions): Html {
  const table = '<table class="d2h-diff-table"><tbody>{{{diffs}}}</tbody></table>';
  const side = (which: string, label: string) =>
    `<div class="side" tabindex="0" role="group" aria-label="${label}"><table class="d2h-diff-table"><tbody>{{{diffs.${which}}}}</tbody></table></div>`;
  return trusted(
    diffHtml(patch, {
      outputFormat: side_by_side ? 'side-by-side' : 'line-by-line',
      drawFileList: false,
      matching: 'lines',
      matchingMaxComparisons: 500,
      maxLineLengthHighlight: 1000,
      rawTemplates: {
        'generic-wrapper': '{{{content}}}',
        'line-by-line-file-diff': table,
        'side-by-side-file-diff': `<div class="side-by-side">${side('left', 'Before')}${side('right', 'After')}</div>`,
      },
    }),
  );
}
