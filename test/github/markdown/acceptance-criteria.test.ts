import { expect, test } from 'vitest';
import { acceptanceCriteria } from '../../../src/github/markdown/acceptance-criteria.ts';

test('the criteria are the list under their heading, without checkboxes, up to the next heading', () => {
  const body =
    '# Task\n\n- no\n\n## Acceptance criteria\n\n- [ ] `npm test` passes\n- fast\n\n## Notes\n\n- no';
  expect(acceptanceCriteria(body)).toEqual(['`npm test` passes', 'fast']);
});

test('a malicious issue is parsed quickly', () => {
  const body = `# Acceptance criteria\n\n- one\n\n${'*a_ '.repeat(16_000)}`;
  expect(acceptanceCriteria(body)).toEqual(['one']);
});
