import { formFields } from '../../config/tasks/form.ts';
import { readTaskFields, refusedFor, type TaskReading } from '../../config/tasks/task-documents.ts';

type FormField = (typeof formFields)[number];

/** What GitHub writes where nothing was filled in or chosen. */
const empty = /^(?:[_*]No response[_*]|None|)$/;

/**
 * The task of an issue that was written with our form; undefined if the text is not of that form, which has
 * at least half of its headings. GitHub writes each label as a heading above its value, and people edit the
 * form and what they wrote with it: whatever is under no heading of ours belongs to what stands before it, or
 * to the description at the beginning.
 */
export function formIn(text: string): TaskReading | undefined {
  const lines = text.replace(/\r\n?/g, '\n').trim().split('\n');
  const headings = lines.map((line) => line.trimEnd());
  const found = formFields
    .map((field) => ({ field, at: placeOf(field, headings) }))
    .filter(({ at }) => at >= 0)
    .toSorted((one, other) => one.at - other.at);
  if (found.length < formFields.length / 2) return undefined;
  const fields = found.flatMap(({ field, at }, index) => {
    const value = lines
      .slice(at + 1, found[index + 1]?.at)
      .join('\n')
      .trim();
    return filledIn(field, value);
  });
  const before = lines.slice(0, found[0]?.at).join('\n').trim();
  return inLabels(readTaskFields(withWords(before, Object.fromEntries(fields))));
}

/** Only the first fields are long enough for such headings of their own. */
function placeOf({ key, label }: FormField, headings: readonly string[]): number {
  const heading = `### ${label}`;
  return key === 'description' ? headings.indexOf(heading) : headings.lastIndexOf(heading);
}

function filledIn({ key, yes, options = [] }: FormField, value: string): readonly [string, unknown][] {
  if (empty.test(value)) return [];
  if (key === 'depends_on') return [[key, value.includes('\n') ? value : value.split(/[\s,]+(?:and\s+)?/)]];
  if (key === 'acceptance_criteria') return [[key, criteriaInField(value)]];
  if (yes === undefined) return [[key, value]];
  // What is not among the options is refused with them: nobody is to lose what they asked for.
  return value === yes || !options.includes(value) ? [[key, value === yes || value]] : [];
}

function withWords(before: string, fields: Readonly<Record<string, unknown>>) {
  if (before === '') return fields;
  const { description = '' } = fields;
  return { ...fields, description: `${before}\n\n${description}`.trim() };
}

/** Whoever has filled in a form knows its labels. */
function inLabels(read: TaskReading): TaskReading {
  if (!('problem' in read)) return read;
  const { readable, problems } = read;
  const refused = refusedFor(
    problems.map((problem) => {
      const field = formFields.find(({ key }) => key === problem.path.split('[', 1)[0]);
      const { label = problem.path, key, options } = field ?? {};
      const numbers =
        key === 'depends_on' ? 'numbers of issues of this repository, such as #12, #13' : undefined;
      const expected = options?.join(' or ') ?? numbers ?? problem.expected;
      return { ...problem, path: label, expected, example: '' };
    }),
  );
  return { ...refused, ...(readable && { readable }) };
}

/**
 * The criteria of a task, listed under headings "Acceptance criteria", in linear time, because anyone can
 * write an issue. What becomes a criterion is no longer in the rest, so that nobody changes it in one place
 * only; a heading with nothing else goes with it.
 */
export function acceptanceCriteria(markdown: string) {
  const parts = sectionsOf(markdown).map((lines) => {
    const [heading] = lines;
    const isOurs = heading !== undefined && heading.kind === 'text' && ownHeading.test(heading.text);
    const { items, others } = isOurs ? listIn(lines.slice(1)) : { items: [], others: [] };
    if (items.length === 0) return { items, left: lines };
    const isEmpty = others.every(({ text, kind }) => text.trim() === '' || kind === 'comment');
    return { items, left: isEmpty ? [] : [...lines.slice(0, 1), ...others] };
  });
  const criteria = parts.flatMap(({ items }) => items);
  const left = parts.flatMap((part) => part.left.map(({ text }) => text));
  return { criteria, rest: criteria.length === 0 ? markdown : left.join('\n').trim() };
}

/** The criteria of a field that has nothing else: each line that is in no list is one by itself. */
export function criteriaInField(text: string): readonly string[] {
  const listed = text.replace(/\r\n?/g, '\n').replace(/^(?=\S)(?!(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$))/gm, '- ');
  return acceptanceCriteria(`# Acceptance criteria\n${listed}`).criteria;
}

const ownHeading = /^ {0,3}#{1,6}[ \t]+acceptance criteria\b/i;

interface Line {
  readonly text: string;
  /** Where code or a comment goes on, nothing is a heading or an item. */
  readonly kind: 'text' | 'code' | 'comment';
}

/** The lines before the first heading, then those from each heading to the next one. */
function sectionsOf(markdown: string): readonly (readonly Line[])[] {
  const sections: Line[][] = [[]];
  for (const line of linesOf(markdown)) {
    if (line.kind === 'text' && /^ {0,3}#{1,6}(?:[ \t]|$)/.test(line.text)) sections.push([]);
    sections.at(-1)?.push(line);
  }
  return sections;
}

/** A fence may also begin within an item. */
const opening = /^(?: {0,3}<!--|(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*(`{3,}(?=[^`]*$)|~{3,}))/;

function linesOf(markdown: string): readonly Line[] {
  let open: { readonly kind: Line['kind']; readonly end: RegExp } | undefined;
  return markdown.split(/\r\n?|\n/).map((text) => {
    const within = open;
    const [opened, marks] = (within === undefined && opening.exec(text)) || [];
    if (within?.end.test(text)) open = undefined;
    if (marks !== undefined)
      open = { kind: 'code', end: new RegExp(`^[ \\t>]*${marks[0]}{${marks.length},}[ \\t]*$`) };
    const isComment = opened !== undefined && marks === undefined;
    if (isComment && !text.includes('-->')) open = { kind: 'comment', end: /-->/ };
    return { text, kind: within?.kind ?? (isComment ? 'comment' : 'text') };
  });
}

const itemStart = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]{1,4}(?=\S)|[ \t]|$)/;
const rule = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;

/** The items of the lists among these lines, without their checkboxes, and the other lines. */
function listIn(lines: readonly Line[]): {
  readonly items: readonly string[];
  readonly others: readonly Line[];
} {
  const items: string[][] = [];
  const others: Line[] = [];
  /** What belongs to the open item is indented as far as its text; 0: none is open. */
  let margin = 0;
  let isAfterBlank = true;
  for (const line of lines) {
    const { text, kind } = line;
    const isBlank = text.trim() === '';
    const belongs = margin > 0 && (isBlank || indentOf(text) >= margin);
    const isPlain = !belongs && kind === 'text' && !rule.test(text);
    const [marker] = (isPlain && itemStart.exec(text)) || [];
    const isLazy = isPlain && margin > 0 && !isAfterBlank && !opening.test(text);
    if (marker !== undefined) {
      items.push([text.slice(marker.length)]);
      margin = Math.max(marker.length, marker.trimEnd().length + 1);
    } else if (belongs || isLazy) items.at(-1)?.push(withoutMargin(text, margin));
    else {
      if (margin > 0 && others.at(-1)?.text.trim() !== '') others.push({ text: '', kind });
      margin = 0;
      others.push(line);
    }
    isAfterBlank = isBlank;
  }
  const texts = items.map((item) => withoutBox(item.join('\n').trim()));
  return { items: texts.filter((text) => text !== ''), others };
}

function indentOf(line: string): number {
  return withTabs(line).search(/[^ ]|$/);
}

function withTabs(line: string): string {
  return line.replace(/^[ \t]+/, (blank) => blank.replaceAll('\t', '    '));
}

function withoutMargin(line: string, margin: number): string {
  const text = withTabs(line);
  return text.slice(Math.min(margin, indentOf(text)));
}

function withoutBox(text: string): string {
  return text.replace(/^\[[ xX]\](?:\s+|$)/, '');
}
