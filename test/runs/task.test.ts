import { expect, test } from 'vitest';
import { promptFor } from '../../src/agent/prompts/prompt.ts';
import { taskOf } from '../../src/runs/start/requested-task.ts';
import { stateOf } from '../agent/states.ts';

const body = `It is late.

## Acceptance criteria

- [ ] it is on time:
  - in summer
- it ticks

## Notes

None.`;

function of(text: string, block = {}, issueBody = body) {
  const issue = { number: 1, title: 'Fix the clock', body: issueBody, open: true };
  return taskOf({ cause: 'comment:1', issue, text }, 'acme/api', 'main', {
    blocks: [block],
    words: [text, issueBody],
  });
}

test('a long title is cut between characters', () => {
  const issue = null;
  const { title } = taskOf({ cause: 'comment:1', issue, text: `${'x'.repeat(118)}😀😀` }, 'acme/api', 'main');
  expect(title).toBe(`${'x'.repeat(118)}…`);
});

test('what became criteria is no longer in the description, and the agent is told it once', () => {
  const task = of('');
  expect(task).toMatchObject({
    description: 'It is late.\n\n## Notes\n\nNone.',
    acceptance_criteria: ['it is on time:\n- in summer', 'it ticks'],
  });
  const prompt = promptFor(stateOf({ task }));
  expect(prompt).toContain('### Acceptance Criteria\n- it is on time:\n  - in summer\n- it ticks\n');
  expect(prompt.split('it ticks')).toHaveLength(2);
});

test('criteria of a block take the place of those in words, and words after /run have more', () => {
  expect(of('', { acceptance_criteria: ['it is quiet'] })).toMatchObject({
    description: 'It is late.\n\n## Notes\n\nNone.',
    acceptance_criteria: ['it is quiet'],
  });
  expect(of('Be quick.\n\n# Acceptance criteria\n- it is quiet')).toMatchObject({
    description: 'Be quick.\n\nIt is late.\n\n## Notes\n\nNone.',
    acceptance_criteria: ['it is quiet', 'it is on time:\n- in summer', 'it ticks'],
  });
  expect(of('', { description: 'Set it.' })).toMatchObject({
    description: 'Set it.',
    acceptance_criteria: ['it is on time:\n- in summer', 'it ticks'],
  });
});

test('a task of nothing but criteria is called as its title', () => {
  expect(of('', {}, '# Acceptance criteria\n\n- it ticks')).toMatchObject({
    description: 'Fix the clock',
    acceptance_criteria: ['it ticks'],
  });
});
