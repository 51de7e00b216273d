import type { State } from '../../steering/state.ts';
import { code } from './sanitize.ts';

/** The pull request of a run; `web` is the repository's address, such as `https://github.com/acme/api`. */
export function pullLink(web: string, state: State, tab?: 'files' | 'checks'): string {
  const pull = `${web}/pull/${state.run.number}`;
  return tab === undefined ? pull : `${pull}/${tab}`;
}

export function compareLink(web: string, from: string, to: string): string {
  return `${web}/compare/${encodeURIComponent(from)}...${encodeURIComponent(to)}`;
}

export function short(sha: string): string {
  return sha.slice(0, 7);
}

/** A commit's short name as inline code. */
export function commit(sha: string): string {
  return code(short(sha));
}
