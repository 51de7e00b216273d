import { printed, tightening } from '../../config/tasks/task-documents.ts';
import { commandNames, commandSpecs, type FormCommand, specOf } from '../../steering/commands/index.ts';
import type { TaskOverrides } from '../../steering/shapes/settings.ts';
import type { Task } from '../../steering/shapes/task.ts';

/** What a form about a task leads to: the command of that name. */
export type TaskAction = FormCommand;

export const taskActions: readonly TaskAction[] = commandNames.filter(isTaskAction);

export function isTaskAction(action: string): action is TaskAction {
  return commandNames.some((name) => name === action && specOf(name).form !== undefined);
}

/** What the command says of its form: its texts, and what it is about. */
export function formOf(action: TaskAction) {
  return commandSpecs[action].form;
}

export interface TaskField {
  /** The key in a task document, but for `settings`, which are keys of their own. */
  readonly key: FieldKey;
  readonly label: string;
  readonly help?: string;
  /** How high it is; a single line cannot be longer. */
  readonly rows?: number;
  /** Whether each of its lines is one entry. */
  readonly list?: true;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  /** Whether few need it, so that it is folded away until it says something. */
  readonly isRare?: true;
}

export type FieldKey =
  | Exclude<keyof Task, 'id' | 'repository' | 'base'>
  | 'name'
  | 'carry'
  | 'settings'
  | 'reason';

const kinds = ['build', 'test', 'plan'].map((value) => ({ value, label: value }));

const ofTask: readonly TaskField[] = [
  { key: 'title', label: 'Title' },
  { key: 'description', label: 'Description', rows: 6 },
  { key: 'acceptance_criteria', label: 'Acceptance criteria (one per line)', rows: 4, list: true },
  {
    key: 'worker_profile',
    label: 'Worker profile',
    help: 'The agent that does the work, by its name in the configuration.',
  },
  {
    ...{ key: 'depends_on', label: 'Depends on (one per line)', rows: 2, list: true },
    help: 'Issues or pull requests of this repository, such as #12; it starts once they are merged.',
  },
  { key: 'component', label: 'Component', isRare: true },
  { key: 'kind', label: 'Kind', options: kinds, isRare: true },
  {
    ...{ key: 'settings', label: 'Settings (YAML)', rows: 4, isRare: true },
    help: 'What the task tightens, such as verifiers, approval and limits, with the keys of the configuration.',
  },
];

/** Each task has them in a form with several. */
const ofSpawned: readonly TaskField[] = [
  { key: 'name', label: 'Name', help: 'Other new tasks name it under “Depends on”.' },
  ...ofTask,
  {
    ...{ key: 'carry', label: 'Begins from', isRare: true },
    options: [
      { value: '', label: 'the base' },
      { value: 'branch', label: 'the branch of the failed task' },
    ],
  },
];

const reason: TaskField = {
  key: 'reason',
  label: 'Why (shown on the pull request and kept in the ledger)',
  rows: 3,
};

/** Where it is known which worker profiles there are, one is chosen, if there are any. */
export function fieldsOf(action: TaskAction, profiles?: readonly string[]): readonly TaskField[] {
  const { of } = formOf(action);
  if (of === 'reason') return [reason];
  const fields = of === 'tasks' ? ofSpawned : ofTask;
  if (profiles === undefined) return fields;
  if (profiles.length === 0) return fields.filter(({ key }) => key !== 'worker_profile');
  const named = profiles.map((value) => ({ value, label: value }));
  const options = [{ value: '', label: 'none: the configured agent' }, ...named];
  return fields.map((field) => (field.key === 'worker_profile' ? { ...field, options } : field));
}

/** What the fields of one task contain. */
export type FieldTexts = Readonly<Partial<Record<FieldKey, string>>>;

/** What a form begins with: a task that failed, or what an issue says. */
export interface TaskSource {
  /** Names the task that is changed or replaced; absent if there is none yet. */
  readonly id?: string;
  readonly task: Partial<Task>;
  readonly overrides?: TaskOverrides | undefined;
  /** The worker profiles that it can choose, if the configuration names any. */
  readonly profiles?: readonly string[] | undefined;
  /** The interaction that the form settles; empty if none waits for it. */
  readonly about: string;
}

/** What the fields of the nth task contain before anybody writes in them. Dependencies are not inherited. */
export function shownTexts(action: TaskAction, { task, overrides }: TaskSource, nth = 0): FieldTexts {
  const texts = fieldsOf(action).map(({ key }) => [key, shownText(key, task)] as const);
  const settings = printed(tightening(overrides) ?? {});
  if (formOf(action).of !== 'tasks') return { ...Object.fromEntries(texts), settings };
  return { ...Object.fromEntries(texts), settings, name: `task-${nth + 1}`, depends_on: '' };
}

function shownText(key: FieldKey, task: Partial<Task>): string {
  // Keys of other things than a task are not in it.
  const value = (task as Partial<Record<FieldKey, string | readonly string[]>>)[key] ?? '';
  return typeof value === 'string' ? value : value.join('\n');
}
