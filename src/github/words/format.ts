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

/** The parts that say something, one paragraph each. */
export function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}
