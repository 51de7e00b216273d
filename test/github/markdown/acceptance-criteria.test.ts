import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acceptanceCriteria, criteriaInField } from '../../../src/github/markdown/issue-form.ts';

test('the criteria are the list under their heading, without checkboxes, up to the next heading', () => {
  const body =
    '# Task\n\n- no\n\n## Acceptance criteria\n\n- [ ] `npm test` passes\n- fast\n\n## Notes\n\n- no';
  expect(acceptanceCriteria(body)).toEqual({
    criteria: ['`npm test` passes', 'fast'],
    rest: '# Task\n\n- no\n\n## Notes\n\n- no',
  });
});

test('nothing of an item is lost, be it a list or code in it', () => {
  const body = `### Acceptance Criteria:
1. It answers:
   - 200 where it knows
   - 404 elsewhere
2.  [X] The output is

    \`\`\`
    # Acceptance criteria
      - a
    \`\`\`
3. long
in two lines
* other
- [ ]
`;
  expect(acceptanceCriteria(body)).toEqual({
    criteria: [
      'It answers:\n- 200 where it knows\n- 404 elsewhere',
      'The output is\n\n```\n# Acceptance criteria\n  - a\n```',
      'long\nin two lines',
      'other',
    ],
    rest: '',
  });
});

test('words beside the list stay under their heading, and several lists are one', () => {
  const body = `Fix it.\r

## Acceptance criteria
<!-- one per line:
- such as this
-->
On Linux all of these hold:

- one

- two
***
Elsewhere:

~~~
- code
~~~

## Acceptance criteria of the page

- three
<!-- no more -->

Bye.`;
  expect(acceptanceCriteria(body)).toEqual({
    criteria: ['one', 'two', 'three'],
    rest: `Fix it.

## Acceptance criteria
<!-- one per line:
- such as this
-->
On Linux all of these hold:

***
Elsewhere:

~~~
- code
~~~

## Acceptance criteria of the page

<!-- no more -->

Bye.`,
  });
  expect(acceptanceCriteria('# Acceptance criteria\n<!-- one per line -->\n\n- one')).toEqual({
    criteria: ['one'],
    rest: '',
  });
});

test.each([
  'Acceptance criteria are below.\n\n- no',
  '```\n# Acceptance criteria\n\n- no\n```',
  '<!--\n# Acceptance criteria\n\n- no\n-->',
  '# Acceptance criteria\r\n\r\nIt works.\r\n',
  '# Acceptance criteria\n\n    - code',
  '> # Acceptance criteria\n>\n> - no',
])('a text without such a list stays as it is: %j', (text) => {
  expect(acceptanceCriteria(text)).toEqual({ criteria: [], rest: text });
});

test('every line of an issue is in the criteria or in the rest, however long the list', () => {
  const items = Array.from({ length: 3000 }, (_, at) => `item ${at}`);
  const text = `# Acceptance criteria\n\n- ${items.join('\n- ')}`;
  expect(acceptanceCriteria(text)).toEqual({ criteria: items, rest: '' });
  const part = fc.constantFrom(
    ...['- a', '* [ ] b', '1) c', '  d', '   - e', '', '# Acceptance criteria', '## f', '```', '~~~', 'g'],
    ...['<!-- h -->', '***', '    i', '\t- j', '> k'],
  );
  const words = (text: string): readonly string[] => text.match(/[a-z]+/gi) ?? [];
  fc.assert(
    fc.property(fc.array(part, { maxLength: 14 }), (parts) => {
      const { criteria, rest } = acceptanceCriteria(parts.join('\n'));
      const left = words([rest, ...criteria].join('\n'));
      const lost = words(parts.join('\n')).filter((word) => !left.includes(word));
      // Comments and the heading itself go with the list.
      expect(lost.filter((word) => !/^(?:Acceptance|criteria|h)$/.test(word))).toEqual([]);
      // A fence that is open where its item is removed hides nothing any more.
      if (!/[`~]/.test(parts.join())) expect(acceptanceCriteria(rest).criteria).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});

test('in a field of its own every line is a criterion', () => {
  expect(criteriaInField('- [ ] one\n- two\n  with more\n\nthree\n# four\n')).toEqual([
    'one',
    'two\nwith more',
    'three',
    '# four',
  ]);
});

test('a malicious issue is parsed quickly', () => {
  const body = `# Acceptance criteria\n\n- one\n\n${'*a_ '.repeat(16_000)}`;
  expect(acceptanceCriteria(body).criteria).toEqual(['one']);
});
