import { visible } from '../../text/visible.ts';
import { code, plain } from './sanitize.ts';

/** How names and other texts that are not ours become harmless where they are shown. */
export interface Format {
  readonly name: (text: string) => string;
  readonly text: (text: string) => string;
}

/** For Markdown on GitHub. */
export const markdown: Format = { name: (text) => code(text, 200), text: (text) => plain(text, 1000) };

/** Where nothing is formatted: HTML that is escaped, a fence, a terminal. */
export const literal: Format = { name: visible, text: visible };

/** `2025-03-03 12:10:00 UTC`; text that is not a date stays as it is. */
export function timeText(at: string): string {
  return Number.isNaN(Date.parse(at)) ? at : `${at.slice(0, 19).replace('T', ' ')} UTC`;
}

/** A clause of ours with the full stop that it needs by itself; empty if it says nothing. */
export function sentence(clause: string): string {
  return clause === '' ? '' : `${clause}.`;
}

/** Part of a text; what is empty, or left out by a condition, says nothing. */
export type Part = string | false | undefined;

/** The parts that say something. */
export function said(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => part || []);
}

/** The parts that say something, one paragraph each. */
export function paragraphs(parts: readonly Part[]): string {
  return said(parts).join('\n\n');
}

/** Lines below what introduces them; empty if there are none. */
export function under(introduction: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${introduction}\n\n${lines.join('\n')}`;
}

/** At most so many, each in a line, and how many more there are. */
export function firstLines<T>(
  all: readonly T[],
  max: number,
  line: (one: T) => string,
  omitted = 0,
): readonly string[] {
  const more = Math.max(all.length - max, 0) + omitted;
  return said([...all.slice(0, max).map((one) => line(one)), more > 0 && `- and ${more} more`]);
}
