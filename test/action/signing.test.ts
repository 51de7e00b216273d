import { afterEach, expect, test } from 'vitest';
import { problemsIn } from '../app/ledger-content.ts';
import { ActionsFixture, at, name } from './actions-fixture.ts';
import { succeedingAgent } from './repository.ts';

// Every job is a separate process with Git, an agent and verifiers.
/** A repository whose rules demand signed commits: GitHub signs what the Action makes with its token. */

let fixture: ActionsFixture;

afterEach(() => fixture.end());

test('every commit that the Action pushes is signed where the rules demand it', async () => {
  fixture = await ActionsFixture.start({ files: succeedingAgent });
  fixture.forge.seed.addRuleset(name, { include: ['~ALL'], rules: [{ type: 'required_signatures' }] });
  await fixture.labeledIssue();
  const { outputs } = await fixture.onlyFinishedJob();
  const number = Number(outputs['pull-request']);
  await fixture.comment(number, '/steer more');
  expect((await fixture.onlyFinishedJob()).outputs).toMatchObject({ phase: 'awaiting_approval' });
  const { data } = await fixture.ada.rest.pulls.listCommits({ ...at, pull_number: number });
  expect(data.length).toBeGreaterThan(2);
  expect(data.map(({ commit }) => commit.verification?.verified)).toEqual(data.map(() => true));
  const ledger = await fixture.ledger(number);
  expect(problemsIn(ledger)).toEqual([]);
  expect(ledger.state.head).toBe(data.at(-1)?.sha);
});
