import { expect, test } from 'vitest';
import { taskOf } from '../../src/runs/start/task.ts';

test('a long title is cut between characters', () => {
  const issue = null;
  const { title } = taskOf({ cause: 'comment:1', issue, text: `${'x'.repeat(118)}😀😀` }, 'acme/api', 'main');
  expect(title).toBe(`${'x'.repeat(118)}…`);
});
