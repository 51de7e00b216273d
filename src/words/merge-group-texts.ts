import type { Phase } from '../steering/shapes/standing.ts';
import type { CheckText } from './check-texts.ts';
import { code, cut, paragraphs, plain } from './parts/sanitize.ts';

/**
 * What keeps a pull request of a merge group from being merged. `others`: it is no run, and the configuration
 * lets none through. `commit_of_run`: it is no run, but has a commit of one.
 */
export type AgainstMember =
  | { readonly why: 'not_approved'; readonly phase: Phase }
  | { readonly why: 'moved' | 'fallen' | 'ended' | 'ledger' | 'elsewhere' | 'others' | 'commit_of_run' };

/** A pull request of a merge group. */
export interface GroupMember {
  readonly number: number;
  readonly isRun: boolean;
  /** Absent if nothing keeps it from being merged. */
  readonly against?: AgainstMember;
}

/** How far a merge group has come. */
export type GroupSaid =
  | { readonly is: 'verifying' | 'passed' }
  | { readonly is: 'refused' }
  /** Required verifiers, by name, or why none could run. */
  | { readonly is: 'failed'; readonly verifiers: readonly string[]; readonly problem?: string };

/** The check run `Coxswain` on the head of a merge group. */
export function groupCheck(said: GroupSaid, members: readonly GroupMember[]): CheckText {
  const listed = members.map((member) => `- ${lineOf(member)}`).join('\n');
  return {
    title: cut(titleOf(said, members), 200),
    summary: paragraphs([`This merge group has:\n\n${listed}`, explanationOf(said, members)]),
    text: '',
  };
}

/**
 * Says what failed on a merge group, each in part of a sentence, for those whose pull request leaves the
 * queue.
 */
export function groupFailures(said: GroupSaid, members: readonly GroupMember[]): readonly string[] {
  if (said.is === 'refused')
    return members.flatMap(({ number, against }) => (against ? [`#${number} ${againstText(against)}`] : []));
  if (said.is !== 'failed') return [];
  return [said.problem ?? `on the merged result, required verifiers failed: ${said.verifiers.join(', ')}`];
}

/** The check run of a merge group that GitHub has given up. */
export function goneGroupCheck(): CheckText {
  const summary = 'GitHub has given up this merge group, so what was found out about it counts for nothing.';
  return { title: 'This merge group no longer exists', summary, text: '' };
}

function titleOf(said: GroupSaid, members: readonly GroupMember[]): string {
  switch (said.is) {
    case 'verifying':
      return 'Verifying the merged result';
    case 'passed':
      return members.some(({ isRun }) => isRun) ? 'Approved and verified' : 'No run in this merge group';
    case 'refused':
    case 'failed':
      return groupFailures(said, members).join('; ');
  }
}

function explanationOf(said: GroupSaid, members: readonly GroupMember[]): string {
  switch (said.is) {
    case 'verifying':
      return 'Every run in it is approved. Its verifiers now run on the commit that would be merged.';
    case 'passed':
      if (!members.some(({ isRun }) => isRun))
        return `${code('others: pass')} lets these pull requests through.`;
      return 'Every run in it is approved, and its required verifiers passed on the commit that would be merged.';
    case 'refused':
      return 'GitHub merges nothing of it. Without the pull request that is named, it makes a new group.';
    case 'failed':
      return said.problem === undefined
        ? 'Each pull request is verified on its own as well: what fails only here fails with what is merged before it.'
        : plain(said.problem);
  }
}

function lineOf({ number, isRun, against }: GroupMember): string {
  if (against !== undefined) return `#${number}, which ${againstText(against)}`;
  return isRun ? `#${number}, an approved run` : `#${number}, which is not a run`;
}

function againstText(against: AgainstMember): string {
  switch (against.why) {
    case 'not_approved':
      return `is not approved: its run is ${against.phase.replaceAll('_', ' ')}`;
    case 'moved':
      return 'has another head or base than the one that was approved';
    case 'fallen':
      return 'is not approved any more';
    case 'ended':
      return 'belongs to a run that has ended';
    case 'ledger':
      return 'belongs to a run whose ledger cannot be read';
    case 'elsewhere':
      return 'belongs to a run of another installation of Coxswain, which has to approve it';
    case 'others':
      return 'is not a run, and the configuration lets no such pull request through';
    case 'commit_of_run':
      return 'is not a run, but contains a commit of one';
  }
}
