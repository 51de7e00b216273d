import { isatty } from 'node:tty';
import type { Findings } from '../../onboarding/ecosystems/findings.ts';
import type { Clone } from '../terminal/clone.ts';
import type { ComparedFile } from './write-files.ts';

/** What was found in a repository, for a terminal. */
export function findingsText({ name, root }: Clone, { found, setup, verifiers, notes }: Findings): string {
  const what = found.length === 0 ? 'no language that init knows' : found.join(', ');
  const rows = [
    ...setup.map(({ run, from }) => ['setup', run, from] as const),
    ...verifiers.map(({ name: verifier, run, from }) => [verifier, run, from] as const),
  ];
  const widths = [0, 1].map((column) =>
    Math.min(44, Math.max(...rows.map((row) => row[column]?.length ?? 0))),
  );
  const lines = rows.map(([first, run, from]) => {
    return `  ${first.padEnd(widths[0] ?? 0)}  ${run.padEnd(widths[1] ?? 0)}  ${from}`;
  });
  const none =
    verifiers.length === 0
      ? [
          '  No test command was found. Without a verifier only people judge the work, and its confidence',
          '  stays at 0.79 or below.',
        ]
      : [];
  const remarks = notes.map((note) => `  Note: ${note}.`);
  const parts = [lines, none, remarks].filter((part) => part.length > 0).map((part) => part.join('\n'));
  return `${[`${name} (${root}): ${what}.`, ...parts].map(printable).join('\n\n')}\n`;
}

/** What happened, or did not happen, to a file. */
export function fileText({ path, state, difference }: ComparedFile, replaced: boolean): string {
  switch (state) {
    case 'missing':
      return `Wrote ${path}.\n`;
    case 'same':
      return `${path} already exists, exactly like this.\n`;
    case 'different':
      if (replaced) return `Replaced ${path}.\n`;
      return `${path} already exists and was left as it is; --force replaces it. What init would change:\n\n${printable(indented(difference))}\n`;
  }
}

/** A file before it is written: its text, or how it would change. */
export function proposalText({ path, text, state, difference }: ComparedFile): string {
  const head = state === 'missing' ? path : `${path}, as it would change`;
  return `\n${head}:\n\n${printable(indented(difference || text))}`;
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

/** Names of files and scripts are chosen by people, and must not control the terminal. */
export function printable(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, ' ');
}

/** Whether somebody is there to answer. */
export function isAnswerable(): boolean {
  return isatty(0) && isatty(1);
}
