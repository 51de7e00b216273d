import type { Changes, TestFailure, VerifierOutput } from '../../steering/shapes/attempt-result.ts';
import { endingOf, ignorable, shortened, visible } from '../../text/characters.ts';

/** Every delimiter of a prompt: sections are made from this list, and other people's text is quoted by it. */
export const delimiters = [
  'TASK DEFINITION',
  'PLAN CONTENT',
  'ORIGINAL INSTRUCTIONS',
  'ERROR OUTPUT',
  'PREVIOUS ACTIONS LOG',
  'FEEDBACK',
  'HUMAN INTERACTION HISTORY',
] as const;

/** Every heading of a prompt; the number of an iteration follows the first. */
export const headings = [
  'Steering Iteration',
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
  'Your Role',
  'Review',
  'What People Asked for Since',
  'What the Verifiers Said',
  'What Has Changed Since',
  'The Change',
  'Your Concerns So Far',
  'Dismissed by People',
  'How to Answer',
  'Your Stage',
  'Plan',
  'The Plan So Far',
  'How to Work',
  'Instructions of the Repository',
  'Skills',
  'Comments on the Issue',
  'Conflicts with the Base',
  'Images',
] as const;

type Heading = (typeof headings)[number];

const ownLine = new RegExp(
  `^(?:--- ?(?:END )?(?:${delimiters.join('|')}) ?---|#+ ?(?:${headings.join('|')})(?: \\d+)?|` +
    '\\*\\*(?:Interaction #\\d+.*|[QA]:\\*\\*.*))$',
  'i',
);

/** In other people's text they could be mistaken for ours, also with what nobody sees in them. */
function looksLikeOurs(line: string): boolean {
  const seen = visible(line).replace(ignorable, '').normalize('NFKC').replace(/\s+/g, ' ').trim();
  return ownLine.test(seen);
}

/** A text by a person, an agent or a program, with every line that looks like a delimiter of ours quoted. */
export function quoted(text: string): string {
  return text
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => (looksLikeOurs(line) ? `> ${line.trim()}` : line))
    .join('\n')
    .trim();
}

/** A text on one line, for titles and list items. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** A code block whose fence is longer than any fence in the text. */
export function fenced(text: string): string {
  let longest = 2;
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${quoted(text)}\n${fence}`;
}

/** The last `maxLength` characters, with a note in front when something was cut. */
export function newest(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `[earlier text cut]\n${endingOf(text, maxLength)}`;
}

/** A text of several lines between delimiters of ours. */
export function delimited(name: (typeof delimiters)[number], text: string): string {
  return `--- ${name} ---\n${text}\n--- END ${name} ---`;
}

/** The changed paths on one line. */
export function fileList({ files }: Changes): string {
  return oneLine(files.map(({ path }) => path).join(', '));
}

/** What belongs to an item is indented, as code or a list in it. */
export function list(items: readonly string[]): string {
  return items.map((item) => `- ${quoted(item).replace(/\s*\n/g, '\n  ')}`).join('\n');
}

/** The parts that are not empty, separated by blank lines. */
export function paragraphs(...parts: readonly (string | null | false)[]): string {
  return parts.filter((part) => part !== null && part !== false && part !== '').join('\n\n');
}

/** A heading with its text, or nothing when there is no text. */
export function section(heading: `${'##' | '###'} ${Heading}`, text: string): string | null {
  return text === '' ? null : `${heading}\n${text}`;
}

const maxFailures = 20;
const maxName = 500;
const maxMessage = 500;

/**
 * What a failed verifier has said, in at most so many characters: the tests that failed, then the end of its
 * output, which has half of the room or more. Others wrote all of it, so it is to be quoted.
 */
export function saidBy({ tests, stdout, stderr }: VerifierOutput, maxLength: number): string {
  const output = paragraphs(stdout.trim(), stderr.trim());
  if (tests === undefined || tests.failures.length === 0) return newest(output, maxLength);
  let room = maxLength / 2;
  const items = tests.failures.slice(0, maxFailures).map((each) => list([failureText(each)]));
  const fitting = items.filter((item) => {
    room -= item.length;
    return room > 0;
  });
  const first = fitting.length < tests.failed ? ', beginning with' : '';
  const failed = `${tests.failed} of ${tests.total} tests failed${first}:\n${fitting.join('\n')}`;
  return paragraphs(failed, newest(output, maxLength - failed.length));
}

function failureText({ name, message, path, line }: TestFailure): string {
  const place = path === undefined ? '' : ` (${path}${line === undefined ? '' : `:${line}`})`;
  const why = message === '' ? '' : `:\n${shortened(message, maxMessage)}`;
  return `${shortened(oneLine(`${name}${place}`), maxName)}${why}`;
}
