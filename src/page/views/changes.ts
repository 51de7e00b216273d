import { elementId, type Html, html } from '../../html/html.ts';
import type { SteeringIteration } from '../../steering/state/state.ts';
import { counted } from '../../text/amounts.ts';
import { type DiffView, queryOf } from '../diff/diff-view.ts';
import { changeCounts, fileTree } from '../diff/file-tree.ts';
import { patchTable } from '../diff/patch-table.ts';
import type { PageDiff, ShownFile } from '../diff/read-diff.ts';
import {
  isSamePlace,
  lineField,
  maxRemarks,
  type Remark,
  type Remarking,
  remarkOn,
  shownField,
} from '../diff/remarks.ts';
import type { Loaded } from '../load/github-reader.ts';
import { details, externalLink, whenLoaded } from './components.ts';
import { remarkBox, remarkNotes, type WrittenRemarks } from './remark-boxes.ts';

export interface ChangesOptions {
  readonly view: DiffView;
  /** Where this page is, for links to itself with other options. */
  readonly path: string;
  /** The inbox from which the run was opened, as its route has it. */
  readonly from?: string | undefined;
  /** Where forms post comments. */
  readonly action: string;
  /** Where the pull request is on GitHub. */
  readonly web: string;
  /** The head of the run; empty without one. */
  readonly head: string;
  readonly iterations: readonly SteeringIteration[];
  /** Whether a steer would be accepted now. */
  readonly canSteer: boolean;
  /** What was written before, if it is to be shown again. */
  readonly remarking: Remarking | undefined;
}

/** With more files than this, all are collapsed. */
const maxOpen = 20;
/** As many have their lines on the page; the tree has all of them. */
const maxShown = 200;

/**
 * What the run changed, in a form whose buttons, the numbers of the lines, open boxes for remarks. Whatever
 * was written is shown again, also where its line is not.
 */
export function changes(diff: Loaded<PageDiff>, options: ChangesOptions): Html {
  const drawing = drawingOf(diff, options);
  const content = html`${remarkNotes(drawing)}
${whenLoaded(diff, (value) => diffContent(value, drawing))}`;
  if (!drawing.hasRemarks) return content;
  const { view, head, action } = drawing;
  return html`<form id="remarks" method="post" action="${action}#changes" data-fields>
<input type="hidden" name="command" value="steer">
<input type="hidden" name="shown" value="${shownField({ head, since: drawing.since })}">
<input type="hidden" name="view" value="${queryOf(view)}">
${content}</form>`;
}

interface Drawing extends ChangesOptions, WrittenRemarks {
  /** After which iteration what is shown begins. */
  readonly since: number | null;
  /** The files that have their lines on this page. */
  readonly shown: readonly ShownFile[];
  readonly hasRemarks: boolean;
}

function drawingOf(diff: Loaded<PageDiff>, options: ChangesOptions): Drawing {
  const { remarking, canSteer, head, iterations } = options;
  const isIteration = iterations.some(({ iteration_number }) => iteration_number === options.view.since);
  const view = isIteration ? options.view : { ...options.view, since: null };
  const { remarks: written = [], on } = remarking ?? {};
  const known = 'value' in diff ? { ...diff.value, files: shownFiles(diff.value, view) } : undefined;
  const isNew = on !== undefined && !written.some(({ place }) => isSamePlace(place, on));
  const begun = isNew && known !== undefined ? remarkOn(on, known) : undefined;
  const hasRoom = written.length < maxRemarks;
  const remarks = begun !== undefined && hasRoom ? [...written, begun] : written;
  const since = known?.isStartGone ? null : view.since;
  const isShown = ({ place }: Remark) =>
    known !== undefined && remarkOn(place, known) !== undefined && (!place.isBefore || place.since === since);
  const missing =
    on?.head === head
      ? 'This line is not among those that are shown: choose another one.'
      : 'The changes have been replaced since, so choose the line again.';
  return {
    ...options,
    ...{ view, since, remarks, on, shown: known?.files ?? [] },
    hasRemarks: head !== '' && (canSteer || remarks.length > 0),
    elsewhere: remarks.filter((remark) => !isShown(remark)),
    problem:
      isNew && (hasRoom ? begun === undefined && missing : `A steer has at most ${maxRemarks} remarks.`),
  };
}

function diffContent(diff: PageDiff, drawing: Drawing): Html {
  const { view, iterations, head, shown } = drawing;
  const { files } = diff;
  const isMissing = view.file !== null && shown.length === 0;
  return html`${drawing.hasRemarks && html`<a class="skip" href="#verifiers">Skip the changes</a>`}
<div class="toolbar"><p>${totalText(files)}</p>${files.length > 0 && layoutSwitch(drawing)}</div>
${sinceSwitch(drawing, sinceChoices(iterations, head))}
${diff.isStartGone && html`<p class="notice">The commit of iteration ${view.since} is no longer there, so all changes are shown.</p>`}
${(files.length > 1 || view.file !== null) && tree(files, drawing)}
${isMissing && html`<p class="notice"><code>${view.file}</code> is not among these changes.</p>`}
${shown.map((file) => fileDetails(file, { ...drawing, hasFew: shown.length <= maxOpen }))}
${view.file === null && shown.length < files.length && html`<p class="muted">There is no room here for ${counted(files.length - shown.length, 'more file')}: ${externalLink(`${drawing.web}/files`, 'they are on GitHub')}, and <a href="#tree">each in the list of files</a>.</p>`}`;
}

function shownFiles({ files }: PageDiff, { file }: DiffView): readonly ShownFile[] {
  if (file !== null) return files.filter(({ path }) => path === file);
  return files.slice(0, maxShown).filter(hasPlace);
}

/** Whether it has what there is to show of it. */
function hasPlace({ lines, isCut }: ShownFile): boolean {
  return lines.length > 0 || !isCut;
}

function totalText(files: readonly ShownFile[]): string {
  if (files.length === 0) return 'No changes';
  const sum = (of: 'additions' | 'deletions') =>
    files.reduce((total, file) => total + file[of], 0).toLocaleString('en-US');
  return `${counted(files.length, 'file')} changed, +${sum('additions')}, −${sum('deletions')}`;
}

/** Leads to another view; while remarks are written, by a button that takes them along. */
function choice(drawing: Drawing, view: DiffView, text: string): Html {
  const query = queryOf(view);
  const current = query === queryOf(drawing.view) && html` aria-current="true"`;
  return drawing.remarks.length > 0
    ? html`<button name="go" value="${query}"${current}>${text}</button>`
    : html`<a href="${addressOf(drawing, query)}#changes"${current}>${text}</a>`;
}

/** Another view is of the same run, which still leads back to its inbox. */
function addressOf({ path, from }: Drawing, query: string): string {
  const all = new URLSearchParams(query);
  if (from !== undefined) all.set('from', from);
  return all.size === 0 ? path : `${path}?${all}`;
}

function layoutSwitch(drawing: Drawing): Html {
  const { view } = drawing;
  return html`<nav class="switch" aria-label="Diff view">
${choice(drawing, { ...view, split: false }, 'Unified')}${choice(drawing, { ...view, split: true }, 'Side by side')}</nav>`;
}

/** Earlier iterations that ended with a commit of their own. */
function sinceChoices(iterations: readonly SteeringIteration[], head: string): readonly number[] {
  const first = iterations[0]?.head_before;
  return iterations
    .filter(({ head_after }, index) => {
      const isLast = iterations[index + 1]?.head_after !== head_after;
      return isLast && head_after !== head && head_after !== first;
    })
    .map(({ iteration_number }) => iteration_number);
}

function sinceSwitch(drawing: Drawing, numbers: readonly number[]): Html | false {
  const { view } = drawing;
  if (numbers.length === 0) return false;
  const links = numbers.map((since) => choice(drawing, { ...view, since }, `Since iteration ${since}`));
  return html`<nav class="since" aria-label="Which changes">${choice(drawing, { ...view, since: null }, 'All changes')}
${links}</nav>`;
}

/** A file that is on this page is a step away; the others have pages of their own. */
function tree(files: readonly ShownFile[], drawing: Drawing): Html {
  const { view } = drawing;
  const all = view.file !== null && html`<p>${choice(drawing, { ...view, file: null }, 'All files')}</p>`;
  const onPage = new Set(drawing.shown);
  const link = (file: ShownFile, text: string) =>
    onPage.has(file)
      ? html`<a href="#${fileId(file)}">${text}</a>`
      : choice(drawing, { ...view, file: file.path }, text);
  return details(
    { id: 'tree', summary: counted(files.length, 'file'), open: files.length <= maxOpen },
    html`${all}${fileTree(files, link)}`,
  );
}

function fileId({ path }: ShownFile): string {
  return elementId(`file-${path}`);
}

function fileDetails(file: ShownFile, options: Drawing & { readonly hasFew: boolean }): Html {
  const { path, previous_path } = file;
  const open = options.hasFew || remarksIn(file, options).length > 0;
  const name = previous_path === undefined ? path : `${previous_path} → ${path}`;
  const summary = html`<code>${name}</code> ${changeCounts(file)}`;
  return html`<div class="file">${details(
    { id: fileId(file), summary, open },
    html`${patch(file, options)}${file.isCut && cutNote(file, options)}`,
  )}</div>`;
}

function patch(file: ShownFile, drawing: Drawing): Html | false {
  if (file.lines.length === 0) return !file.isCut && html`<p class="muted">No lines to show.</p>`;
  const { view, hasRemarks, remarking } = drawing;
  const boxes = remarksIn(file, drawing).map(
    (remark) => [lineField(remark.place), remarkBox(remark, drawing)] as const,
  );
  const dropped = remarking?.dropped;
  const drawn = patchTable(file, {
    ...{ split: view.split, hasRemarks, boxes: new Map(boxes) },
    focus: dropped?.path === file.path ? lineField(dropped) : undefined,
  });
  if (!view.split) return drawn;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Before and after in ${file.path}">${drawn}</div>`;
}

function remarksIn({ path }: ShownFile, { remarks, elsewhere }: Drawing): readonly Remark[] {
  return remarks.filter((remark) => remark.place.path === path && !elsewhere.includes(remark));
}

function cutNote(file: ShownFile, drawing: Drawing): Html {
  const { view, web } = drawing;
  const there = html`read it ${externalLink(`${web}/files`, 'on GitHub')}`;
  if (view.file !== null)
    return html`<p class="muted">The rest of this file is too long for a page: ${there}.</p>`;
  const more = choice(drawing, { ...view, file: file.path }, `Show more of ${file.path}`);
  return html`<p class="muted">The rest of this file is left out. ${more}, or ${there}.</p>`;
}
