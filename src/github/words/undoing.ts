import type { PushByOther } from '../../steering/holding/undo.ts';
import { commit } from './links.ts';
import { command } from './phrases.ts';
import { code, plain } from './sanitize.ts';

/** What is said to people who go back to an earlier iteration. */

const maxNamed = 5;

/** `abc1234 (bob) and def5678 (rea)` */
export function commitsOfOthers(others: readonly PushByOther[]): string {
  const named = others.slice(0, maxNamed).map(({ head, by }) => `${commit(head)} (${plain(by, 60)})`);
  const more = others.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

export function undoingText({
  to,
  others,
}: {
  readonly to: number;
  readonly others: readonly PushByOther[];
}): string {
  const what = `Going back to iteration ${to}: a new commit will have the files as they were then, and is verified.`;
  return others.length === 0
    ? what
    : `${what} This also undoes what others pushed since: ${commitsOfOthers(others)}.`;
}

export function notUndoneText({ to, why }: { readonly to: number; readonly why: string }): string {
  return (
    `Not gone back to iteration ${to}: ${plain(why, 500)}. The head is verified as it is; ` +
    `if you still want to go back, use ${code(`/undo ${to}`)} again.`
  );
}

export function droppedText(by: string): string {
  return (
    `Your steer was not used, because ${plain(by, 60)} interrupted the run before it could begin. ` +
    `Say it again with ${command('steer')} if it still holds.`
  );
}
