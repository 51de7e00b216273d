import { git } from './git.ts';

const needed = [2, 38] as const;

/** Throws unless Git is installed and new enough; the message says what to install. */
export async function checkGit(): Promise<void> {
  const version = await git(['--version']).catch((cause: unknown) => {
    throw new Error(`could not run git, which Coxswain needs: install Git ${needed.join('.')} or newer`, {
      cause,
    });
  });
  const problem = problemWith(version);
  if (problem) throw new Error(problem);
}

/** `cat-file -z`, which reads names with line breaks safely, exists since Git 2.38. */
export function problemWith(version: string): string | undefined {
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  if (major > needed[0] || (major === needed[0] && minor >= needed[1])) return undefined;
  const why = 'older versions cannot read objects by name safely (cat-file -z)';
  return `found ${version.trim()}, but Coxswain needs Git ${needed.join('.')} or newer: ${why}`;
}
