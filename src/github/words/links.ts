import { createHash } from 'node:crypto';
import type { State } from '../../steering/state.ts';
import { shortSha } from '../../steering/words/short-sha.ts';
import { code } from './sanitize.ts';

/** The pull request of a run; `web` is the repository's address, such as `https://github.com/acme/api`. */
export function pullLink(web: string, state: State, tab?: 'files' | 'checks'): string {
  const pull = `${web}/pull/${state.run.number}`;
  return tab === undefined ? pull : `${pull}/${tab}`;
}

export function compareLink(web: string, from: string, to: string): string {
  return `${web}/compare/${encodeURIComponent(from)}...${encodeURIComponent(to)}`;
}

/** A place in a file at a commit. */
export interface Spot {
  readonly path: string;
  /** From 1. */
  readonly line?: number | undefined;
  readonly head: string;
  /** Whether the pull request changes the file. */
  readonly isInDiff: boolean;
}

/** The file among the changes of the pull request, or else as it is at the commit. */
export function fileLink(web: string, state: State, { path, line, head, isInDiff }: Spot): string {
  if (isInDiff) {
    // GitHub names each file of a diff by a hash of its path.
    const file = createHash('sha256').update(path).digest('hex');
    return `${pullLink(web, state, 'files')}#diff-${file}${line === undefined ? '' : `R${line}`}`;
  }
  const steps = path.split('/').map(inAddress).join('/');
  return `${web}/blob/${head}/${steps}${line === undefined ? '' : `#L${line}`}`;
}

/** What Markdown takes for the end of an address is encoded, too. */
function inAddress(text: string): string {
  return encodeURIComponent(text).replace(/[()*'!~]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
}

/** A commit's short name as inline code. */
export function commit(sha: string): string {
  return code(shortSha(sha));
}
