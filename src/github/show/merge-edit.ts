import { blockIn, humanText } from './block.ts';

/** An edit of the body by ourselves, and what stands there now. */
export interface OwnEdit {
  readonly run: string;
  /** The body that our write replaced. */
  readonly before: string;
  /** The body as we wrote it. */
  readonly after: string;
  readonly current: string;
}

/**
 * GitHub has no conditional update: between our reading and our writing a human may have saved text.
 * Answers with the body that has it back, or undefined when nothing was lost or somebody wrote since.
 */
export function mergeEdit({ run, before, after, current }: OwnEdit): string | undefined {
  const theirs = humanText(before, run).trimEnd();
  const ours = humanText(after, run).trimEnd();
  if (theirs === ours || humanText(current, run).trimEnd() !== ours) return undefined;
  const block = blockIn(current, run);
  if (block === undefined) return theirs;
  return theirs === '' ? block : `${theirs}\n\n${block}`;
}
