import { dump } from 'js-yaml';

/** A field of the issue form, whose label is the heading that GitHub writes above its value. */
interface FormField {
  readonly label: string;
  /** The key of the task that it fills. */
  readonly key: string;
  readonly type: 'textarea' | 'input' | 'dropdown';
  readonly description: string;
  readonly options?: readonly string[];
  /** The option that sets the key to true; the others say nothing. */
  readonly yes?: string;
}

/** The fields in their order; form and reader have both from here. */
export const formFields: readonly FormField[] = [
  {
    ...{ label: 'Description', key: 'description', type: 'textarea' },
    description: 'What is wanted, and what the agent has to know.',
  },
  {
    ...{ label: 'Acceptance criteria', key: 'acceptance_criteria', type: 'textarea' },
    description: 'One per line. The agent is told, and so is the reviewer.',
  },
  {
    ...{ label: 'Kind', key: 'kind', type: 'dropdown', options: ['build', 'plan', 'test'] },
    description: 'What the agent is told about the work.',
  },
  {
    ...{ label: 'Component', key: 'component', type: 'input' },
    description: 'The part of the project that it is about.',
  },
  {
    ...{ label: 'Worker profile', key: 'worker_profile', type: 'input' },
    description: 'One of the `agents` of the configuration, if not the usual agent.',
  },
  {
    ...{ label: 'Approval', key: 'require_approval', type: 'dropdown' },
    ...{ options: ['As configured', 'People decide'], yes: 'People decide' },
    description: 'Who decides about the work.',
  },
  {
    ...{ label: 'Depends on', key: 'depends_on', type: 'input' },
    description: 'Issues of this repository that have to be merged before, such as #12, #13.',
  },
  {
    ...{ label: 'Critical', key: 'critical', type: 'dropdown', options: ['No', 'Yes'], yes: 'Yes' },
    description: 'With yes, people always look at the work before it is merged.',
  },
];

export const issueFormPath = '.github/ISSUE_TEMPLATE/coxswain.yml';

/** The issue form, as `coxswain init` writes it. */
export function issueForm(): string {
  const body = formFields.map(({ label, key, type, description, options }) => ({
    type,
    id: key,
    attributes: { label, description, ...(options && { options, default: 0 }) },
    ...(key === 'description' && { validations: { required: true } }),
  }));
  const form = {
    name: 'Task for an agent',
    description: 'A task that Coxswain has an agent do, with criteria that people review by.',
    body,
  };
  return `# A form for tasks of Coxswain. What is filled in counts if its author has write access.\n# Fields are found by their labels and options: change their order or leave some out, but do not rename them.\n${dump(form, { lineWidth: -1, noRefs: true })}`;
}
