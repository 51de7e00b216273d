import type { Changes } from '../../steering/attempt-result.ts';
import { endingOf } from '../../text/cut.ts';

const delimiters = [
  'ORIGINAL INSTRUCTIONS',
  'ERROR OUTPUT',
  'PREVIOUS ACTIONS LOG',
  'FEEDBACK',
  'HUMAN INTERACTION HISTORY',
];

const headings = [
  'Steering Iteration \\d+',
  'Original Task',
  'Task',
  'Acceptance Criteria',
  'Feedback',
  'Earlier Feedback',
  'Previous Changes Summary',
  'Failing Verifiers',
  'Held Work',
  'Earlier Attempts',
  'Earlier Runs',
  'How to Work',
  'Instructions of the Repository',
  'Skills',
  'Comments on the Issue',
  'Images',
];

/** Delimiters and headings of the prompt: in other people's text they could be mistaken for ours. */
const ownLines = new RegExp(
  `^[ \\t]*(?:--- (?:END )?(?:${delimiters.join('|')}) ---|#{2,3} (?:${headings.join('|')}))[ \\t]*$`,
  'gm',
);

/** A text by a person, an agent or a program, with every line that looks like a delimiter of ours quoted. */
export function quoted(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(ownLines, (line) => `> ${line.trim()}`)
    .trim();
}

/** The same on one line, for titles and list items. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** A code block whose fence is longer than any fence in the text. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${quoted(text)}\n${fence}`;
}

/** The last `maxLength` characters, with a note in front when something was cut. */
export function newest(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `[earlier text cut]\n${endingOf(text, maxLength)}`;
}

/** A text of several lines between delimiters of ours. */
export function delimited(name: string, text: string): string {
  return `--- ${name} ---\n${text}\n--- END ${name} ---`;
}

/** The changed paths on one line. */
export function fileList({ files }: Changes): string {
  return oneLine(files.map(({ path }) => path).join(', '));
}

export function list(items: readonly string[]): string {
  return items.map((item) => `- ${oneLine(item)}`).join('\n');
}

/** The parts that are not empty, separated by blank lines. */
export function paragraphs(...parts: readonly (string | null | false)[]): string {
  return parts.filter((part) => part !== null && part !== false && part !== '').join('\n\n');
}

/** A heading with its text, or nothing when there is no text. */
export function section(heading: string, text: string): string | null {
  return text === '' ? null : `${heading}\n${text}`;
}
