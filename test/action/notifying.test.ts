import { afterEach, expect, test } from 'vitest';
import { usualEvents } from '../../src/steering/shapes/announced-events.ts';
import { receiver, secret, verified } from '../notify/receiver.ts';
import { ActionsFixture } from './actions-fixture.ts';
import { succeedingAgent } from './repository.ts';

/** The operator of the Action is whoever writes its workflow, and names there whom runs may notify. */

const notify = `
- { name: builds, to: webhook, private: true, url_env: BUILDS_URL, secret_env: BUILDS_SECRET }
- { name: office, to: teams, private: true, url_env: OFFICE_URL }
`;
const path = '.github/coxswain.yml';
const naming = (target: string) => ({
  ...succeedingAgent,
  [path]: `version: 1\nagent: { use: scripted, script: tools/agent.yml }\nnotify: [${target}]\n`,
});

let fixture: ActionsFixture;
afterEach(() => fixture.end());

/** Jobs, and what all targets of their workflow are sent. */
async function started(options: Parameters<typeof ActionsFixture.start>[0]) {
  fixture = await ActionsFixture.start(options);
  const { url, received } = await receiver();
  const variables = { BUILDS_URL: url, BUILDS_SECRET: secret, OFFICE_URL: url };
  fixture.environment = { ...fixture.environment, ...variables };
  return received;
}

/** The first job of a run, for an issue with the label. */
async function begun(options: Parameters<typeof ActionsFixture.start>[0]) {
  const received = await started(options);
  const issue = await fixture.labeledIssue();
  return { issue, job: await fixture.onlyFinishedJob(), received };
}

async function stateOf({ job }: Pick<Awaited<ReturnType<typeof begun>>, 'job'>) {
  return (await fixture.ledger(Number(job.outputs['pull-request']))).state;
}

test('a job tells the target that a configuration names what happened in it, before it ends', async () => {
  const run = await begun({ files: naming('builds'), inputs: { notify } });
  expect(run.received.map(verified)).toMatchObject([
    { type: 'approval_requested', data: { title: expect.stringContaining('Coxswain finished') } },
  ]);
  const { settings, owed } = await stateOf(run);
  expect(settings.notify).toEqual([{ to: 'builds', events: usualEvents }]);
  expect(owed.filter((effect) => effect.do === 'notify')).toEqual([]);
});

test('a name that the workflow does not have is refused, with those that it has', async () => {
  const { issue } = await begun({ files: naming('other'), inputs: { notify } });
  expect((await fixture.replies(issue)).join('\n')).toContain(
    '].to (line 3): expected builds or office (the operator\'s bound notify); received "other"',
  );
});

test('without the input, nobody is notified', async () => {
  const run = await begun({ files: naming('other') });
  expect((await stateOf(run)).settings).not.toHaveProperty('notify');
});

test('what somebody fills in for a manual start sets up no target', async () => {
  await started({ files: naming('office') });
  const job = await fixture.dispatch({ prompt: 'Write down the price.', notify });
  expect((await stateOf({ job })).settings).not.toHaveProperty('notify');
});

test('without a configuration file, all targets of the workflow are notified', async () => {
  const agent = '{ use: command, command: [sh, -c, "echo right > price.txt"] }';
  const run = await begun({ files: { [path]: null }, inputs: { agent, notify } });
  expect((await stateOf(run)).settings.notify?.map(({ to }) => to)).toEqual(['builds', 'office']);
  expect(run.received).toHaveLength(2);
});
