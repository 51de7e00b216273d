import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { formFields, issueForm } from '../../../src/config/tasks/form.ts';
import { formIn } from '../../../src/github/markdown/issue-form.ts';

interface Form {
  readonly body: readonly { readonly id: string; readonly attributes: { readonly label: string } }[];
}

/** The form as GitHub writes the issue of somebody who filled it in. */
function filledIn(values: Readonly<Record<string, string>>): string {
  const { body } = load(issueForm()) as Form; // as GitHub reads it
  return body
    .map(({ id, attributes }) => `### ${attributes.label}\r\n\r\n${values[id] ?? '_No response_'}`)
    .join('\r\n\r\n');
}

test('what is filled in is a task', () => {
  const text = filledIn({
    description: 'Fix it.\n\n### Kind\n\nIt is of no kind.',
    acceptance_criteria: '- [ ] `npm test` passes\n- [x] fast',
    kind: 'test',
    component: 'billing',
    worker_profile: 'careful',
    require_approval: 'People decide',
    depends_on: '#12, 13',
    critical: 'Yes',
  });
  expect(formIn(text)).toEqual({
    tasks: [
      {
        ...{ description: 'Fix it.\n\n### Kind\n\nIt is of no kind.', kind: 'test', component: 'billing' },
        ...{ acceptance_criteria: ['`npm test` passes', 'fast'], worker_profile: 'careful' },
        depends_on: ['#12', '#13'],
        overrides: { critical: true, approval: { mode: 'manual' } },
      },
    ],
  });
});

test('what is left out, or as it comes, is not in it', () => {
  const usual = { kind: 'build', require_approval: 'As configured', critical: 'No' };
  expect(formIn(filledIn({ description: 'Fix it.', acceptance_criteria: 'one\n\ntwo', ...usual }))).toEqual({
    tasks: [{ description: 'Fix it.', acceptance_criteria: ['one', 'two'], kind: 'build' }],
  });
});

test('what is wrong is told under the labels of the form, all of it', () => {
  const text = filledIn({
    ...{ description: 'Fix it.', depends_on: 'acme/web#3 and #4', kind: 'bug', critical: 'Ja' },
    ...{ component: 'x'.repeat(101), require_approval: 'Nobody' },
  });
  expect(formIn(text)).toMatchObject({
    problem: [
      'Component: expected the name of a part of the project, at most 100 characters on one line; received "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… (101 characters)',
      'Kind: expected build or plan or test; received "bug"',
      'Depends on: expected numbers of issues of this repository, such as #12, #13; received "acme/web#3"',
      'Approval: expected As configured or People decide; received "Nobody"',
      'Critical: expected No or Yes; received "Ja"',
    ].join('\n'),
  });
});

test('fields may have another order, and those that are gone are empty', () => {
  const sections = filledIn({
    ...{ description: 'Fix it.', acceptance_criteria: '- one', kind: 'None', critical: 'Yes' },
    depends_on: '#12 and #13',
  }).split(/\r\n\r\n(?=### )/);
  const task = { description: 'Fix it.', acceptance_criteria: ['one'], depends_on: ['#12', '#13'] };
  const tasks = [{ ...task, overrides: { critical: true } }];
  expect(formIn(sections.join('\n\n'))).toEqual({ tasks });
  expect(formIn(sections.toReversed().join('\r\n\r\n'))).toEqual({ tasks });
  const left = sections.filter((text) => !text.includes('No response') && !text.includes('None'));
  expect(left).toHaveLength(4);
  expect(formIn(left.join('\n'))).toEqual({ tasks });
});

test('whatever is under no heading of the form is told or stays in the words', () => {
  const text = filledIn({ description: 'Fix it.', critical: 'Yes', component: 'billing' });
  expect(formIn(`Hello.\n\n${text}`)).toMatchObject({
    tasks: [{ description: 'Hello.\n\nFix it.', overrides: { critical: true } }],
  });
  expect(formIn(text.replace('### Description', '### What to do'))).toMatchObject({
    tasks: [{ description: '### What to do\n\nFix it.', component: 'billing' }],
  });
  expect(formIn(text.replace('### Worker profile', '### Agent'))).toMatchObject({
    problem: expect.stringMatching(/^Component: expected .* on one line; received "billing\\n\\n### Agent/),
  });
  expect(formIn(text.replace('### Critical', '### Severity'))).toMatchObject({
    problem: expect.stringMatching(/^Depends on: .*; received "_No response_.*Yes"$/),
  });
});

test('another text with a few such headings is no form', () => {
  expect(formIn('### Description\n\nFix it.\n\n### Component\n\na\n\n### Kind\n\nbug')).toBeUndefined();
  expect(formFields).toHaveLength(8);
});
