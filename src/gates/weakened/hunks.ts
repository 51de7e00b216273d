/** A line of a hunk, without its mark and line ending. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
  /** Its number in the old file, or that of the next line there if it was added. */
  readonly old: number;
  readonly new: number;
}

export interface Hunk {
  /** What Git shows behind the line numbers: usually the last unindented line above. */
  readonly section: string;
  readonly lines: readonly DiffLine[];
}

/** Longer lines are made by programs; what is behind this is not read. */
const maxLength = 2_000;

const header = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.{0,500})/;

/**
 * The hunks of one file's part of a unified diff. Takes what is there: headers may be missing, and the diff
 * may end anywhere.
 */
export function hunksOf(diff: string): readonly Hunk[] {
  const lines = diff.split('\n');
  const hasHunks = lines.some((line) => header.test(line));
  const hunks: OpenHunk[] = hasHunks ? [] : [new OpenHunk(1, 1, '')];
  for (const line of lines) {
    const current = hunks.at(-1);
    if (hasHunks && (current === undefined || !current.expects(line))) {
      const opened = OpenHunk.at(line);
      if (opened !== undefined) hunks.push(opened);
    } else if (hasHunks || !/^(?:diff --git |index |--- |\+\+\+ |(?:new|deleted) file )/.test(line)) {
      current?.take(line);
    }
  }
  return hunks.filter(({ lines }) => lines.length > 0);
}

/** A hunk while it is read: it knows how many lines are still to come, so that `--- a` can be a removed line. */
class OpenHunk implements Hunk {
  readonly section: string;
  readonly lines: DiffLine[] = [];
  private old: number;
  private new: number;
  private oldEnd = Number.POSITIVE_INFINITY;
  private newEnd = Number.POSITIVE_INFINITY;

  constructor(old: number, next: number, section: string) {
    this.old = old;
    this.new = next;
    this.section = section;
  }

  static at(line: string): OpenHunk | undefined {
    const found = header.exec(line);
    if (found === null) return undefined;
    const [, old = '0', oldCount = '1', next = '0', newCount = '1', section = ''] = found;
    const hunk = new OpenHunk(Number(old), Number(next), section.trim());
    hunk.oldEnd = Number(old) + Number(oldCount);
    hunk.newEnd = Number(next) + Number(newCount);
    return hunk;
  }

  /** A line that opens a hunk belongs to this one only if lines are missing and it carries a mark. */
  expects(line: string): boolean {
    if (line.startsWith('@@')) return false;
    if (line.startsWith('-')) return this.old < this.oldEnd;
    if (line.startsWith('+')) return this.new < this.newEnd;
    return this.old < this.oldEnd || this.new < this.newEnd;
  }

  take(line: string): void {
    const mark = line.charAt(0);
    const end = line.endsWith('\r') ? line.length - 1 : line.length;
    const text = line.slice(1, Math.min(end, maxLength));
    const { old, new: next } = this;
    if (mark === '+') this.lines.push({ kind: 'added', text, old, new: next });
    else if (mark === '-') this.lines.push({ kind: 'removed', text, old, new: next });
    // Some tools strip the only space of an empty line.
    else if (mark === ' ' || mark === '') this.lines.push({ kind: 'same', text, old, new: next });
    else return;
    if (mark !== '+') this.old++;
    if (mark !== '-') this.new++;
  }
}
