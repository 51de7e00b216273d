import type { SettledInteraction } from '../steering/shapes/standing.ts';
import type { State } from '../steering/state/state.ts';
import { commit } from './parts/phrases.ts';
import { plain } from './parts/sanitize.ts';
import { wordsOf } from './phases/index.ts';

/** The one comment that asks a human to decide; empty while no decision is needed. */
export function askText(state: State, web: string): string {
  return wordsOf(state).ask?.(state, web) ?? '';
}

/** The same comment once it is settled: how it ended, with the original request folded away. Idempotent. */
export function settledAsk(asked: string, settled: SettledInteraction): string {
  const { kind, how, by, head_sha, reply } = settled;
  if (asked.startsWith(settledMark)) return asked;
  // What was allowed, denied or answered is not the head.
  const at = kind === 'approval' || kind === 'interrupt' ? `, at ${commit(head_sha)}` : '';
  // What nobody did is no person's deed.
  const who = by === 'coxswain' ? '' : ` by ${plain(by)}`;
  const answer = reply === undefined ? '' : `: ${plain(reply, 1000)}`;
  // Only a reference of ours is a link.
  const what = /^replaced by #\d+(?:, #\d+)*$/.test(how) ? how : plain(how);
  const ending = `${settledMark} ${what}${who}${at}${answer}.`;
  return `${ending}\n\n<details><summary>Original request</summary>\n\n${asked}\n\n</details>`;
}

const settledMark = '**Settled:**';
