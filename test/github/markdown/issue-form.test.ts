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

test('what is wrong in a field is told', () => {
  const read = formIn(filledIn({ description: 'Fix it.', depends_on: 'acme/web#3, #4' }));
  expect(read).toMatchObject({
    problem:
      'depends_on[0]: expected a number such as 12: a task cannot wait for one in another repository; received "acme/web#3", such as `depends_on: [\'#12\']`',
  });
});

test('another text with such headings is no form', () => {
  const text = filledIn({ description: 'Fix it.' });
  expect(formIn(`Hello.\n\n${text}`)).toBeUndefined();
  expect(formIn(text.replace('### Critical', '### Severity'))).toBeUndefined();
  expect(formIn('### Description\n\nFix it.')).toBeUndefined();
  expect(formFields).toHaveLength(8);
});
