import { redact } from '../../text/redact.ts';
import { control, escapeSequence, ignorable } from '../../text/visible.ts';

/** Blanks that push the rest out of sight: code is not indented as far. */
const gap = /[^\S\n]{100}|(?:\n[^\S\n]*){20}/;

/** Parts of an emoji, in which they hide nothing. */
const joining = /[\u200D\uFE0E\uFE0F]/g;

/** What keeps people from seeing a text as it is; undefined if nothing does. */
export function hiddenBy(text: string, secrets: readonly string[]): Hidden | undefined {
  const plain = text.replace(joining, '');
  if ([escapeSequence, control, ignorable].some((pattern) => plain.search(pattern) >= 0)) return 'characters';
  if (gap.test(text)) return 'blanks';
  return redact(text, secrets) === text ? undefined : 'secret';
}

type Hidden = 'characters' | 'blanks' | 'secret';
