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

/** Whether the edit removed text that we did not know of; most only change our block. */
export function losesText({ run, before, after }: Omit<OwnEdit, 'current'>): boolean {
  return humanText(before, run).trimEnd() !== humanText(after, run).trimEnd();
}

/**
 * GitHub has no conditional update, so our edit may overwrite text that someone saved after we read the body.
 * Returns the body with that text restored, or undefined if nothing was lost or someone has edited it since.
 */
export function mergeEdit({ run, before, after, current }: OwnEdit): string | undefined {
  const theirs = humanText(before, run).trimEnd();
  const ours = humanText(after, run).trimEnd();
  if (!losesText({ run, before, after }) || humanText(current, run).trimEnd() !== ours) return undefined;
  const block = blockIn(current, run);
  if (block === undefined) return theirs;
  return theirs === '' ? block : `${theirs}\n\n${block}`;
}
