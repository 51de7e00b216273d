import { printable } from '../terminal/command-output.ts';

/** One thing that was looked at. */
export interface Finding {
  /**
   * `ok`: looked at and as it should be. `note`: worth knowing. `unseen`: GitHub does not show it to the App.
   * `problem`: the gate does not hold, or runs do not work.
   */
  readonly level: 'ok' | 'note' | 'unseen' | 'problem';
  /** Programs tell findings apart by it, so it never changes, such as `check-source`. */
  readonly id: string;
  /** What is so, as a sentence without its full stop. */
  readonly text: string;
  /** What to do about it. */
  readonly remedy?: string;
}

/** What was found about the App or about one repository. */
export interface Examined {
  /** What was looked at, such as `The App coxswain` or `acme/api`. */
  readonly about: string;
  readonly findings: readonly Finding[];
}

export const ok = (id: string, text: string): Finding => ({ level: 'ok', id, text });
export const note = (id: string, text: string, remedy?: string): Finding => ({
  ...{ level: 'note', id, text },
  ...(remedy !== undefined && { remedy }),
});
export const unseen = (id: string, text: string): Finding => ({ level: 'unseen', id, text });
export const problem = (id: string, text: string, remedy: string): Finding => ({
  level: 'problem',
  id,
  text,
  remedy,
});

export function problemsIn(examined: readonly Examined[]): number {
  return examined.flatMap(({ findings }) => findings).filter(({ level }) => level === 'problem').length;
}

/** The findings as lines for a terminal. It never says that something is safe: doctor sees only a part. */
export function reportOf(examined: readonly Examined[]): string {
  const parts = examined.map(({ about, findings }) => [about, ...findings.map(lineFor)].join('\n'));
  const count = problemsIn(examined);
  const total = count === 1 ? '1 problem' : `${count === 0 ? 'No' : count} problems`;
  const end = `${total} found. Doctor sees only what GitHub shows it: what it does not mention may still be wrong.`;
  return `${[...parts, end].join('\n\n')}\n`;
}

function lineFor({ level, text, remedy }: Finding): string {
  const oneLine = (said: string) => printable(said).replaceAll('\n', ' ');
  const line = `  ${level.padEnd(8)} ${oneLine(text)}.`;
  return remedy === undefined ? line : `${line}\n           ${oneLine(remedy)}.`;
}
