import { z } from 'zod';
import { overrideKeys } from '../overrides.ts';
import { key, listOf, mapping, notHere, oneOf, textLike, textOf, wordsOf } from '../schema/schema-forms.ts';
import { configKeys } from '../schema.ts';

/** The document of a task, as people write it in an issue, after a command and on the page. */

function nameOf(max: number, what: string) {
  const error = `${what}, at most ${max.toLocaleString('en')} characters on one line`;
  return textOf(0, max, error).regex(/^[^\r\n]*$/, { error });
}

/** What is left out is inherited or stays; what is written says something. */
function saying(max: number, what: string) {
  return wordsOf(max, `${what}, at most ${max.toLocaleString('en')} characters, that is not empty`);
}

const dependencyError =
  "the number of an issue of this repository, such as 12 or '#12' (in quotes, because YAML takes # for a comment), or the name of another task in the same block";
const elsewhere = 'a number such as 12: a task cannot wait for one in another repository';
const numbered = /^#?0*([1-9]\d{0,8})$/;
const taskName = /^(?!-?\d+$)[a-z0-9-]{1,40}$/;

const dependency = z
  .union([z.int(), z.string()], { error: dependencyError })
  .superRefine((written, context) => {
    const text = String(written);
    if (numbered.test(text) || taskName.test(text)) return;
    context.addIssue({ code: 'custom', message: /[/:]/.test(text) ? elsewhere : dependencyError });
  });

/** Numbers become `#12`, so that everyone reads the same. */
export function referencesIn(written: readonly (string | number)[]): readonly string[] {
  return [...new Set(written.map((each) => String(each).replace(numbered, '#$1')))];
}

const maxCriteria = 100;
export const maxDependencies = 50;

/** What the task itself is; printing and the issue form have the same keys. */
export const taskKeys = {
  title: saying(120, 'a title as text')
    .regex(/^[^\r\n]*$/, { error: 'a title of a single line' })
    .optional()
    .meta({ examples: ['Fix the clock'] }),
  description: key(saying(20_000, 'a text that says what to do').optional(), {
    examples: ['Take the clock of the server.'],
  }),
  acceptance_criteria: listOf(
    saying(1000, 'a criterion as text (in quotes if it has a colon and a space)'),
    maxCriteria,
    'criteria',
    'a list of criteria, each a text',
  )
    .optional()
    .meta({ examples: [['npm test passes']] }),
  component: key(nameOf(100, 'the name of a part of the project').optional(), { examples: ['billing'] }),
  kind: key(oneOf(['plan', 'build', 'test']).optional(), { examples: ['build'] }),
  worker_profile: key(nameOf(100, 'the name of an agent under `agents`').optional(), {
    examples: ['careful'],
  }),
  depends_on: listOf(
    dependency,
    maxDependencies,
    'dependencies',
    'a list of numbers of issues, or of names of other tasks in the same block',
  )
    .optional()
    .meta({ examples: [['#12']] }),
};

/** Everything else that a configuration says is not the task's to say. */
const refused = Object.keys(configKeys).filter((key) => !(key in overrideKeys));
const refusedKeys: Readonly<Record<never, z.ZodType>> = Object.fromEntries(
  [...refused, 'base', 'repository'].map((key) => [
    key,
    notHere(`no ${key}: a task only tightens what the configuration says`),
  ]),
);

export const taskSchema = mapping(
  {
    task_id: nameOf(200, 'the id of the task that it changes or replaces').optional(),
    interrupt: nameOf(200, 'the id of the interrupt that the block was made for').optional(),
    name: textLike(taskName, 'a name of small letters, digits and hyphens, at most 40, that is no number')
      .optional()
      .meta({ examples: ['parser'] }),
    carry: z
      .literal('branch', { error: 'branch, to begin with the work that is there; left out: from the base' })
      .optional()
      .meta({ examples: ['branch'] }),
    ...taskKeys,
    require_approval: z
      .literal(true, { error: 'true: a task can ask for an approval, and never for less' })
      .optional()
      .meta({ examples: [true] }),
    ...overrideKeys,
    ...refusedKeys,
  },
  'a mapping of keys',
).meta({ examples: [{ description: 'Fix the clock' }] });

/**
 * What a task may say where a run is asked for: what is about tasks beside it, or before it, belongs
 * elsewhere.
 */
export const startSchema = taskSchema.extend({
  task_id: notHere('no task_id: it names the task that `/retry` changes or `/spawn` replaces'),
  interrupt: notHere('no interrupt: it names what `/retry` or `/spawn` answers'),
  name: notHere('no name: tasks of `/spawn` have one, so that they can name each other'),
  carry: notHere('no carry: it belongs to tasks of `/spawn`, which may begin with the work of a failed one'),
});
