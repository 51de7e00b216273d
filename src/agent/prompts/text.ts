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
  'Earlier Attempts',
  'How to Work',
];

/** Lines of ours: in a text by somebody else they would pass for our own words. */
const marks = new RegExp(
  `^[ \\t]*(?:--- (?:END )?(?:${delimiters.join('|')}) ---|#{2,3} (?:${headings.join('|')}))[ \\t]*$`,
  'gm',
);

/** A text by a person, an agent or a program, in which no line can pass for a delimiter of ours (C-8). */
export function quoted(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(marks, (line) => `> ${line.trim()}`)
    .trim();
}

/** The same on one line, for titles and list items. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Output in a code block whose fence is longer than any inside it. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${quoted(text)}\n${fence}`;
}

/** The newest `most` characters, with a mark in front where something was cut. */
export function newest(text: string, most: number): string {
  return text.length <= most ? text : `[earlier text cut]\n${text.slice(-most)}`;
}

export function list(items: readonly string[]): string {
  return items.map((item) => `- ${oneLine(item)}`).join('\n');
}

/** Parts that say something, one blank line between them. */
export function paragraphs(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join('\n\n');
}

/** A heading with its text, or nothing when there is no text. */
export function section(heading: string, text: string): string | null {
  return text === '' ? null : `${heading}\n${text}`;
}
