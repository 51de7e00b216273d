import { expect, test } from 'vitest';
import { writeBlock } from '../../src/github/show/block.ts';
import { statusInBody } from '../../src/page/load/load-overview.ts';
import type { Phase } from '../../src/steering/shapes/standing.ts';
import { seals } from '../ledger/identity.ts';
import { allPhases, runIn } from '../steering/phases.ts';

const { repository_id: id, owner, repo: name, number } = runIn.awaiting_approval().state.run;
const repository = { id, owner, name };

const ahead: readonly Phase[] = [
  'queued',
  'working',
  'verifying',
  'awaiting_answer',
  'awaiting_stage',
  'awaiting_permission',
];

test.each(allPhases)(
  'the body of a run that is %s says whether its score is of the commit before',
  (phase) => {
    const { state } = runIn[phase]();
    const status = statusInBody({ number, body: writeBlock('Closes #11.', state) }, repository);
    expect(status).toMatchObject({ phase, iteration: state.iteration, issue: state.run.issue });
    expect(status?.superseded).toBe(ahead.includes(phase));
  },
);

test('a body without a block says nothing of a run', () => {
  expect(statusInBody({ number, body: 'Closes #11.' }, repository)).toBeNull();
});

test('where blocks are sealed, only a sealed one is believed, on its own pull request', () => {
  const { state } = runIn.awaiting_approval();
  const sealed = writeBlock('Closes #11.', state, { seals });
  const statusOf = (body: string, at = number) => statusInBody({ number: at, body }, repository, seals);
  expect(statusOf(sealed)).toMatchObject({ phase: 'awaiting_approval' });
  expect(statusOf(sealed.replace('"awaiting_approval"', '"approved"'))).toBeNull();
  expect(statusOf(writeBlock('Closes #11.', state))).toBeNull();
  expect(statusOf(sealed, number + 1)).toBeNull();
});
