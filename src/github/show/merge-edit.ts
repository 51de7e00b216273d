import { blockIn, humanText } from './block.ts';

/** Our own edit of the body, and the body now. */
export interface OwnEdit {
  readonly run: string;
  /** The body that our edit replaced. */
  readonly before: string;
  /** The body as we wrote it. */
  readonly after: string;
  readonly current: string;
}

/**
 * GitHub has no conditional update, so our edit may overwrite text that someone saved after we read the body.
 * Returns the body with that text restored, or undefined if nothing was lost or someone has edited it since.
 */
export function mergeEdit({ run, before, after, current }: OwnEdit): string | undefined {
  const theirs = humanText(before, run).trimEnd();
  const ours = humanText(after, run).trimEnd();
  if (theirs === ours || humanText(current, run).trimEnd() !== ours) return undefined;
  const block = blockIn(current, run);
  if (block === undefined) return theirs;
  return theirs === '' ? block : `${theirs}\n\n${block}`;
}
