/** What somebody says of a line of a diff, in a review or on our page. */
export interface LineRemark {
  readonly path: string;
  /** Absent if it is of the whole file, or of a line that GitHub does not know any more. */
  readonly line?: number | undefined;
  /** Whether the line is counted in the file as it was before the change. */
  readonly isBefore?: boolean;
  /** The commit that it is about, shortened, if that is no longer the head. */
  readonly commit?: string;
  /** The part of the diff that ends with that line. */
  readonly hunk: string;
  readonly body: string;
}

/** A remark as a part of a steer: where it is, the code that it is about, and the words, in Markdown. */
export function remarkText({ hunk, body, ...place }: LineRemark): string {
  return [`#### ${titleOf(place)}`, fenced(hunkEnd(hunk)), body.trim()].join('\n\n');
}

function titleOf({ path, line, isBefore = false, commit }: Omit<LineRemark, 'hunk' | 'body'>): string {
  // Git allows a line break in a name, which would begin a part of its own.
  const name = path.replace(/\s+/g, ' ');
  const before = isBefore ? ' before the change' : '';
  const where = line === undefined ? name : `${name}, line ${line}${before}`;
  return commit === undefined ? where : `${where}, at ${commit}`;
}

/** A remark refers to the last line of its hunk, so the end of a long hunk matters. */
export function hunkEnd(hunk: string): string {
  return hunk.split('\n').slice(-20).join('\n');
}

function fenced(hunk: string): string {
  const longest = Math.max(2, ...[...hunk.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}diff\n${hunk}\n${fence}`;
}
