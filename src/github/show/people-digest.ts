import { textSha256 } from '../text-digest.ts';
import type { BlockState } from './block-state.ts';

/** Those who may not approve their own work, as a block names them. */
export interface BlockPeople extends Pick<BlockState, 'requested_by' | 'contributors'> {
  readonly history: readonly { readonly steers: BlockState['history'][number]['steers'] }[];
}

/**
 * Tells whether two blocks name the same people. Each of our check runs carries that of its time: a block
 * from before someone steered, asked or pushed, or one that was shortened, is not the same.
 */
export function peopleDigest({ requested_by, contributors, history }: BlockPeople): string {
  const steerers = history.flatMap(({ steers }) =>
    steers.map(({ author, author_id = 0 }) => [author, author_id]),
  );
  const known = contributors.map(({ login, id }) => [login, id]);
  const asked = requested_by && [requested_by.login, requested_by.id];
  return textSha256(JSON.stringify([asked, known, steerers]));
}
