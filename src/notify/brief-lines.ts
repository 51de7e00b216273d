import { shortened } from '../text/cut.ts';
import { visible, withoutInvisible } from '../text/visible.ts';

const maxLines = 40;
const maxLength = 300;

/** At most 40 lines of at most 300 characters that a reader sees, none of them empty. */
export function briefLines(texts: readonly string[]): readonly string[] {
  const lines = texts
    .flatMap((text) => visible(text).split('\n').map(briefLine))
    .filter((line) => line !== '');
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines - 1), `and ${lines.length - maxLines + 1} more lines`];
}

/** A text on one line, which may begin with spaces. */
export function briefLine(text: string): string {
  return shortened(withoutInvisible(visible(text)).replace(/\s/g, ' ').trimEnd(), maxLength);
}
