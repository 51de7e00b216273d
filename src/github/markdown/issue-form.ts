import { formFields } from '../../config/tasks/form.ts';
import { readTaskFields, type TaskReading } from '../../config/tasks/read.ts';
import { criteriaInField } from './acceptance-criteria.ts';

/** What GitHub writes where nothing was filled in. */
const empty = '_No response_';

/**
 * The task of an issue that was written with our form; undefined if the text is not of that form. GitHub
 * writes each label as a heading above its value. They are looked for from the end, because only the first
 * fields are long enough to contain headings of their own.
 */
export function formIn(text: string): TaskReading | undefined {
  const lines = text.replace(/\r\n?/g, '\n').trim().split('\n');
  const values = new Map<string, string>();
  let end = lines.length;
  for (const { label } of formFields.toReversed()) {
    const at = lines.lastIndexOf(`### ${label}`, end - 1);
    if (at < 0 || at >= end) return undefined;
    values.set(
      label,
      lines
        .slice(at + 1, end)
        .join('\n')
        .trim(),
    );
    end = at;
  }
  if (end > 0) return undefined;
  const filledIn = formFields.flatMap(({ label, key, yes }): [string, unknown][] => {
    const value = values.get(label) ?? '';
    if (value === '' || value === empty) return [];
    if (yes === undefined) return [[key, writtenIn(key, value)]];
    return value === yes ? [[key, true]] : [];
  });
  return readTaskFields(Object.fromEntries(filledIn));
}

function writtenIn(key: string, value: string): unknown {
  if (key === 'depends_on') return value.split(/[\s,]+/).filter((each) => each !== '');
  return key === 'acceptance_criteria' ? criteriaInField(value) : value;
}
