import { expect, test } from 'vitest';
import { writeBlock } from '../../src/github/show/block.ts';
import { statusInBody } from '../../src/page/load/run-summary.ts';
import type { Phase } from '../../src/steering/standing.ts';
import { allPhases, runIn } from '../steering/phases.ts';

const ahead: readonly Phase[] = ['queued', 'working', 'verifying', 'awaiting_permission'];

test.each(allPhases)(
  'the body of a run that is %s says whether its score is of the commit before',
  (phase) => {
    const { state } = runIn[phase]();
    const status = statusInBody(writeBlock('Closes #11.', state));
    expect(status).toMatchObject({ phase, iteration: state.iteration, issue: state.run.issue });
    expect(status?.superseded).toBe(ahead.includes(phase));
  },
);

test('a body without a block says nothing of a run', () => {
  expect(statusInBody('Closes #11.')).toBeNull();
});
