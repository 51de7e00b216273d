import { plainText } from '../../doors/speech/compose-comment.ts';
import { hunkEnd, type LineRemark, remarkText } from '../../github/markdown/remark-text.ts';
import { shortSha } from '../../steering/phrases/phrases.ts';
import { shortened } from '../../text/characters.ts';
import { type DiffView, viewIn } from './diff-view.ts';
import type { DiffLine } from './patch-lines.ts';
import type { PageDiff, ShownFile } from './read-diff.ts';

/** A line of the changes, as forms name it. */
export interface LinePlace {
  /** The commit that the changes ended with when it was chosen. */
  readonly head: string;
  /** The iteration that they began after; null: where the branch left its base. */
  readonly since: number | null;
  readonly isBefore: boolean;
  readonly line: number;
  readonly path: string;
}

/** What somebody has written about a line. Several become one steer. */
export interface Remark {
  readonly place: LinePlace;
  /** The lines of the diff up to that one. */
  readonly quote: string;
  readonly text: string;
}

/** What the form around the changes was sent with. */
export interface Remarking {
  /** Without those in which nothing is written. */
  readonly remarks: readonly Remark[];
  /** The commit that was shown. */
  readonly head: string;
  /** How the changes are to be shown. */
  readonly view: DiffView;
  /** The line that a remark is to be written on. */
  readonly on?: LinePlace | undefined;
  /** The line whose remark was taken back. */
  readonly dropped?: LinePlace | undefined;
  /** Whether the remarks are to be posted now, and not only shown again. */
  readonly isToPost: boolean;
}

export const maxRemarks = 50;

/** Reads the fields of that form; undefined if they are of another one, or not as our page sends them. */
export function remarkingIn(fields: URLSearchParams): Remarking | undefined {
  const shown = /^([0-9a-f]{40,64}) (-|\d{1,4})$/.exec(fields.get('shown') ?? '');
  const places = fields.getAll('at').map(placeIn);
  if (shown === null || places.includes(undefined)) return undefined;
  const [, head = ''] = shown;
  const dropped = placeIn(fields.get('drop') ?? '');
  const [quotes, texts] = [fields.getAll('quote'), fields.getAll('remark')];
  const remarks = places.flatMap((place, nth) => {
    const [quote, text] = [plainText(quotes[nth] ?? ''), plainText(texts[nth] ?? '')];
    const isKept = place !== undefined && text.trim() !== '' && !isSamePlace(place, dropped);
    return isKept ? [{ place, quote, text }] : [];
  });
  const on = fields.get('on');
  const isToPost = !['on', 'drop', 'go', 'draft'].some((name) => fields.has(name));
  const view = viewIn(new URLSearchParams(fields.get('go') ?? fields.get('view') ?? ''));
  return {
    ...{ remarks, head, view, dropped, isToPost },
    on: on === null ? undefined : placeIn(`${shown[0]} ${on}`),
  };
}

/** The fields that `placeIn` reads: of the changes that are shown, and of a line in them. */
export function shownField({ head, since }: Pick<LinePlace, 'head' | 'since'>): string {
  return `${head} ${since ?? '-'}`;
}

export function lineField({ isBefore, line, path }: Pick<LinePlace, 'isBefore' | 'line' | 'path'>): string {
  return `${isBefore ? 'L' : 'R'}${line} ${path}`;
}

export function placeField(place: LinePlace): string {
  return `${shownField(place)} ${lineField(place)}`;
}

function placeIn(field: string): LinePlace | undefined {
  const parts = /^([0-9a-f]{40,64}) (-|\d{1,4}) ([LR])(\d{1,9}) (.+)$/s.exec(plainText(field));
  if (parts === null) return undefined;
  const [, head = '', since = '', side, line, path = ''] = parts;
  return {
    head,
    since: since === '-' ? null : Number(since),
    isBefore: side === 'L',
    line: Number(line),
    path,
  };
}

/** A line after the change is the same wherever the changes begin. */
export function isSamePlace(one: LinePlace, other: LinePlace | undefined): boolean {
  if (other === undefined || one.head !== other.head || lineField(one) !== lineField(other)) return false;
  return !one.isBefore || one.since === other.since;
}

/** Begins a remark; undefined where no such line is shown. */
export function remarkOn(place: LinePlace, { head, files }: PageDiff): Remark | undefined {
  const file = files.find(({ path }) => path === place.path);
  const at = file === undefined ? -1 : file.lines.findIndex((line) => isAt(line, place));
  if (file === undefined || at === -1 || place.head !== head) return undefined;
  return { place, quote: quoteAt(file, at), text: '' };
}

function isAt({ kind, before, after }: DiffLine, { isBefore, line }: LinePlace): boolean {
  return isBefore ? kind === 'removed' && before === line : after === line;
}

/** A long line would leave no room for the others. */
const maxQuotedLine = 300;

function quoteAt({ lines }: ShownFile, at: number): string {
  const start = lines.findLastIndex(({ kind }, index) => index <= at && kind === 'hunk');
  const hunk = lines.slice(start, at + 1).map(({ text }) => shortened(text, maxQuotedLine));
  return hunkEnd(hunk.join('\n'));
}

/** All remarks as the words of one steer; `head` is the commit that was shown last. */
export function remarksText({ remarks, head }: Pick<Remarking, 'remarks' | 'head'>): string {
  return remarks.map((remark) => remarkText(asSaid(remark, head))).join('\n\n');
}

function asSaid({ place, quote, text }: Remark, head: string): LineRemark {
  const { path, line, isBefore } = place;
  const commit = place.head === head ? {} : { commit: shortSha(place.head) };
  return { path, line, isBefore, ...commit, hunk: quote, body: text };
}

/** The name of what is written on a line, for people: `Remark on line 12 of src/x.ts`. */
export function remarkName({ isBefore, line, path }: Pick<LinePlace, 'isBefore' | 'line' | 'path'>): string {
  return `Remark on ${isBefore ? 'removed line' : 'line'} ${line} of ${path}`;
}
