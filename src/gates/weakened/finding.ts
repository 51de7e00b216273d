import type { Line } from './lines.ts';

/** What can be done to a test, or to what runs it, so that it proves less than before. */
export type Weakening =
  | 'skipped'
  | 'deleted'
  | 'removed-assertion'
  | 'weaker-assertion'
  | 'empty-assertion'
  | 'swallowed-failure'
  | 'loosened-threshold'
  | 'narrowed-selection'
  | 'forced-success'
  | 'changed-expectation'
  | 'rewritten-snapshot'
  | 'mocked-subject';

/** One place of a diff where tests prove less, or may do so. */
export interface Finding {
  readonly path: string;
  /** Where to look; 0 if only the path is known. */
  readonly line: number;
  /** Which version of the file the line is of: what was removed has a line in the old one only. */
  readonly side: 'old' | 'new';
  readonly what: Weakening;
  /** One line that people understand. */
  readonly evidence: string;
}

/** What is sure stops for a human; what is only suspected is told. */
export interface Judged extends Finding {
  readonly isSure: boolean;
  /** The test that is gone as a whole. */
  readonly test?: string;
}

/** What is done to a test, and how people are told. */
export type Told = readonly [what: Weakening, says: string];

/** What weakens tests for sure, in a line that the new version has. */
export function inNew(path: string, line: Line, [what, says]: Told): Judged {
  const where = line.test === '' ? '' : ` in "${line.test.slice(0, 80)}"`;
  const evidence = `${says}: ${shown(line.text)}${where}`;
  return { path, line: line.number, side: 'new', what, evidence, isSure: true };
}

/** The same in a line that only the old version has. */
export function inOld(path: string, line: Line, told: Told): Judged {
  return { ...inNew(path, line, told), side: 'old' };
}

/** What may weaken them. */
export function suspected(found: Judged): Judged {
  return { ...found, isSure: false };
}

/** More of a kind at once are a test suite that is written anew, and not one that is made to fit. */
const maxSure = 3;

export function sureIfFew(found: readonly Judged[]): readonly Judged[] {
  return found.filter(({ isSure }) => isSure).length > maxSure ? found.map(suspected) : found;
}

const longest = 140;

/** Code as people are shown it in a sentence. */
export function shown(text: string): string {
  return `\`${text.trim().slice(0, longest)}\``;
}
