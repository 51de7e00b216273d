import { html as diffHtml } from 'diff2html';
import type { DiffText } from '../../github/words/index.ts';
import { elementId, type Html, html, trusted } from '../html.ts';
import { external, fold } from './components.ts';

export interface DiffChoice {
  readonly side_by_side: boolean;
  readonly full: boolean;
  /** The page's own path. */
  readonly path: string;
  /** Where GitHub shows all of it. */
  readonly web: string;
}

type FileDiff = DiffText['files'][number];

/** Beyond so many lines a browser becomes slow; the rest is only listed. */
const mostLines = 20_000;
/** More files than this are shown folded. */
const mostOpen = 20;

/** Every file with its changes; drawn once for each diff, since it never changes. */
export function changes(diff: DiffText, choice: DiffChoice): Html {
  const known = drawn.get(diff) ?? new Map<string, Html>();
  drawn.set(diff, known);
  const key = JSON.stringify(choice);
  const fresh = known.get(key) ?? draw(diff, choice);
  known.set(key, fresh);
  return fresh;
}

const drawn = new WeakMap<DiffText, Map<string, Html>>();

function draw(diff: DiffText, choice: DiffChoice): Html {
  let left = mostLines;
  const files = diff.files.map((file) => {
    left -= file.diff.split('\n').length;
    return fileFold(file, { ...choice, isDrawn: left >= 0, isOpen: diff.files.length <= mostOpen });
  });
  return html`<div class="bar"><p>${diff.summary}</p>${switches(diff, choice)}</div>
${diff.truncated && cutNote(choice)}
${files}`;
}

function switches(diff: DiffText, { side_by_side, full, path }: DiffChoice): Html | false {
  if (diff.files.length === 0) return false;
  const to = (split: boolean) =>
    `${path}?diff=${split ? 'split' : 'unified'}${full ? '&full=1' : ''}#changes`;
  const link = (split: boolean, text: string) =>
    html`<a href="${to(split)}"${split === side_by_side && html` aria-current="true"`}>${text}</a>`;
  return html`<nav class="switch" aria-label="How the diff is shown">
${link(false, 'Unified')}${link(true, 'Side by side')}</nav>`;
}

function cutNote({ side_by_side, full, path, web }: DiffChoice): Html {
  const whole = `${path}?diff=${side_by_side ? 'split' : 'unified'}&full=1#changes`;
  const here = full ? 'It is whole ' : html`<a href="${whole}">Show the whole diff here</a>, or read it `;
  return html`<p class="notice">Long bodies are cut. ${here}${external(`${web}/files`, 'on GitHub')}.</p>`;
}

interface FileChoice extends DiffChoice {
  readonly isDrawn: boolean;
  readonly isOpen: boolean;
}

function fileFold(file: FileDiff, choice: FileChoice): Html {
  const { path, previous_path, status, additions, deletions, binary } = file;
  const counts = binary
    ? html`<span class="quiet">binary</span>`
    : html`<span class="plus">+${additions}</span> <span class="minus">−${deletions}</span>`;
  const name = previous_path === undefined ? path : `${previous_path} → ${path}`;
  const summary = html`<code>${name}</code> <span class="quiet">${status}</span> ${counts}`;
  return html`<div class="file">${fold(
    { id: elementId(`file-${path}`), summary, open: choice.isOpen },
    body(file, choice),
  )}</div>`;
}

const cutMark = /\n?\.\.\. \(truncated\)$/;

function body(file: FileDiff, choice: FileChoice): Html {
  if (!choice.isDrawn) {
    const there = external(`${choice.web}/files`, 'on GitHub');
    return html`<p class="quiet">Too long for this page: it is ${there}.</p>`;
  }
  const patch = file.diff.replace(cutMark, '');
  const cut = patch !== file.diff && html`<p class="quiet">The rest of this file is cut.</p>`;
  if (!/^@@ /m.test(patch)) return html`<p class="quiet">There are no lines to show.</p>${cut}`;
  return html`<div class="scroll diff" tabindex="0" role="region" aria-label="Changes in ${file.path}">
${lines(patch, choice)}</div>${cut}`;
}

/** diff2html escapes what it is given; only its frame is replaced, which brings icons and a box to tick. */
function lines(patch: string, { side_by_side }: DiffChoice): Html {
  const table = '<table class="d2h-diff-table"><tbody>{{{diffs}}}</tbody></table>';
  const side = (which: string) => `<table class="d2h-diff-table"><tbody>{{{diffs.${which}}}}</tbody></table>`;
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
        'side-by-side-file-diff': `<div class="sides">${side('left')}${side('right')}</div>`,
      },
    }),
  );
}
