import { formFields } from '../../config/tasks/form.ts';
import { readTaskFields, refusedFor, type TaskReading } from '../../config/tasks/read.ts';
import { criteriaInField } from './acceptance-criteria.ts';

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
