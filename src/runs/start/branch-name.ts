import { createHash } from 'node:crypto';
import { branchPrefix } from '../../github/names.ts';

/** The name of a run's branch: readable, and can be found again by the cause alone. */
export function branchName(title: string, id: string): string {
  return `${branchPrefix}${slugOf(title)}-${id}`;
}

/** The pattern with which `git ls-remote` finds a claim, whatever the title was at the time. */
export function claimPattern(id: string): string {
  return `refs/heads/coxswain/*-${id}`;
}

/** A hash of the cause: two deliveries of one cause claim the same branch. */
export function claimId(...cause: readonly (string | number)[]): string {
  return createHash('sha256').update(cause.join('\n')).digest('hex').slice(0, 10);
}

function slugOf(title: string): string {
  const ascii = title.normalize('NFKD').replace(/[\u0300-\u036f]/g, '');
  const words = ascii
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return words.slice(0, 40).replace(/-+$/, '') || 'task';
}
