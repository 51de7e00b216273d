import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FileDiff } from '../../../src/steering/shapes/attempt-result.ts';

/**
 * Labelled changes, in the files `*.cases` beside this one. A case begins with `=== id | label | what happens`,
 * where the label is `honest` or says how a test was weakened. Its files follow, each with `--- path` and all of
 * its lines marked as in a diff; behind the path may stand `(added)`, `(deleted)`, `(was other/path)`, or
 * `(unread)` if nobody reads its content. `proof: old on new red, new on old green` says what was run.
 */
export interface WeakenedCase {
  readonly id: string;
  readonly label: string;
  readonly says: string;
  readonly proof: string | undefined;
  readonly files: readonly CaseFile[];
}

export interface CaseFile {
  readonly path: string;
  readonly note: string;
  readonly lines: readonly string[];
}

export function casesIn(name: string): readonly WeakenedCase[] {
  const text = readFileSync(join(import.meta.dirname, name), 'utf8');
  return text.split(/^=== /m).slice(1).map(caseOf);
}

function caseOf(text: string): WeakenedCase {
  const [head = '', ...lines] = text.split('\n');
  const [id = '', label = '', says = ''] = head.split('|').map((part) => part.trim());
  const proof = lines.find((line) => line.startsWith('proof: '))?.slice(7);
  const files: { path: string; note: string; lines: string[] }[] = [];
  for (const line of lines) {
    const [, path, note] = /^--- (\S+)(?: \((.*)\))?$/.exec(line) ?? [];
    if (path !== undefined) files.push({ path, note: note ?? '', lines: [] });
    else if (!line.startsWith('proof: ')) files.at(-1)?.lines.push(line);
  }
  for (const file of files) while (file.lines.at(-1) === '') file.lines.pop();
  if (files.length === 0 || label === '') throw new Error(`the case ${id} has no files or no label`);
  return { id, label, says, proof, files };
}

export const caseFiles: readonly string[] = casesBelow('');

/** Written by people who have never seen the rules, which have not been fitted to them either. */
export const freshFiles: readonly string[] = casesBelow('fresh');

/** Small projects that can be run with `node --test`, so that what is noted as `proof` can be measured. */
export const runFiles: readonly string[] = casesBelow('run');

function casesBelow(folder: string): readonly string[] {
  const names = readdirSync(join(import.meta.dirname, folder)).filter((name) => name.endsWith('.cases'));
  return names.map((name) => join(folder, name));
}

/** The diffs of all cases as Git writes them, with so many lines of context; by the id of the case. */
export function diffsOf(
  cases: readonly WeakenedCase[],
  context: number,
): ReadonlyMap<string, readonly FileDiff[]> {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-weakened-'));
  try {
    for (const each of cases) for (const file of each.files) write(folder, each.id, file);
    const parts = gitDiff(folder, context);
    return new Map(
      cases.map(({ id, files }) => [
        id,
        files.map((file) => fileDiff(file, parts.get(`${id}/${file.path}`))),
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function write(folder: string, id: string, caseFile: CaseFile): void {
  for (const side of ['before', 'after'] as const) {
    const content = contentOf(caseFile, side);
    if (content === null) continue;
    const file = join(folder, side, id, caseFile.path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

/** What is in a file before or after the change; null if it is not there. */
export function contentOf({ note, lines }: CaseFile, side: 'before' | 'after'): string | null {
  if (note === (side === 'before' ? 'added' : 'deleted')) return null;
  const mark = side === 'before' ? '-' : '+';
  const own = lines.filter((line) => line === '' || line.startsWith(' ') || line.startsWith(mark));
  return own.map((line) => `${line.slice(1)}\n`).join('');
}

/** The part of each file in one diff of all of them. */
function gitDiff(folder: string, context: number): ReadonlyMap<string, string> {
  mkdirSync(join(folder, 'before'), { recursive: true });
  const options = ['diff', '--no-index', '--no-renames', '--no-color', `-U${context}`, 'before', 'after'];
  let text = '';
  try {
    execFileSync('git', options, { cwd: folder, stdio: 'pipe', maxBuffer: 1e9 });
  } catch (failed) {
    text = String((failed as { stdout: Buffer }).stdout); // Git exits with 1 when files differ.
  }
  const parts = text.split(/^(?=diff --git )/m).filter((part) => part !== '');
  return new Map(parts.map((part) => [/^diff --git a\/(?:before|after)\/(\S+)/.exec(part)?.[1] ?? '', part]));
}

function fileDiff({ path, note, lines }: CaseFile, diff: string | undefined): FileDiff {
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  const numbers = { additions: count('+'), deletions: count('-') };
  const was = /^was ([^,\s]+)/.exec(note)?.[1];
  const status = was !== undefined ? 'renamed' : note === 'added' || note === 'deleted' ? note : 'modified';
  const previous = was === undefined ? {} : { previous_path: was };
  const isUnread = note === 'unread' || note.endsWith('unread');
  const part = diff?.slice(Math.max(0, diff.search(/^@@/m)));
  return { path, status, ...numbers, ...previous, ...(isUnread || part === undefined ? {} : { diff: part }) };
}
