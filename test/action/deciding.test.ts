import { expect, test } from 'vitest';
import { ActionsFixture, at } from './actions-fixture.ts';
import { succeedingAgent } from './repository.ts';

// Every job is a separate process with Git, an agent and verifiers.
test('without the App a run waits for people whatever the mode, says so, and reminds them by its schedule', async () => {
  const config = `version: 1
agent: { use: scripted, script: tools/agent.yml }
verifiers:
  - { name: test, run: node test.mjs }
sandbox: off
approval: { mode: auto, new_history: 0, auto_proceed_after: 5m, on_timeout: proceed, finish: merge }
`;
  const fixture = await ActionsFixture.start({
    files: { ...succeedingAgent, '.github/coxswain.yml': config },
  });
  await fixture.labeledIssue();
  const { outputs } = await fixture.onlyFinishedJob();
  const number = Number(outputs['pull-request']);
  expect(outputs['phase']).toBe('awaiting_approval');
  const said = await fixture.replies(number);
  expect(said.at(-1)).toContain('with the Action alone, nothing proves who wrote the ledger');
  expect(said.join('\n')).not.toContain('It proceeds without an approval at');

  const reminders = async () =>
    (await fixture.replies(number)).map((text) => /(\d+)% of the time to answer/.exec(text)?.[1]);
  fixture.advanceClock({ hours: 13 });
  expect((await fixture.sweep()).code).toBe(0);
  expect(await reminders()).toEqual([...said.slice(1).map(() => undefined), '50']);
  fixture.advanceClock({ hours: 9 });
  await fixture.sweep();
  await fixture.sweep();
  expect(await reminders()).toEqual([...said.slice(1).map(() => undefined), '90']);
  expect(await fixture.block(number)).toMatchObject({ phase: 'awaiting_approval' });
  fixture.advanceClock({ hours: 3 });
  await fixture.sweep();
  expect(await fixture.block(number)).toMatchObject({ phase: 'timed_out' });
  expect(await fixture.pull(number)).toMatchObject({ draft: true, merged: false });
  const { data: refs } = await fixture.ada.rest.git.listMatchingRefs({ ...at, ref: 'coxswain' });
  expect(refs.map(({ ref }) => ref)).toEqual([`refs/coxswain/open/${number}`]);
  await fixture.end();
});
