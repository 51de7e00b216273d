import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mutants } from './mutants.ts';

/** `npm run test:mutants` breaks them; here only that each still says what it breaks. */

test.each(mutants)('without it: $rule', ({ changes }) => {
  for (const [file, from] of changes)
    expect(readFileSync(file, 'utf8').split(from), `"${from}" in ${file}`).toHaveLength(2);
});

test('each has a name of its own', () => {
  const rules = mutants.map(({ rule }) => rule);
  expect(new Set(rules).size).toBe(rules.length);
});
