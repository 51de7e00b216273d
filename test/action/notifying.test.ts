import { afterEach, expect, test } from 'vitest';
import { usualEvents } from '../../src/steering/notifying/events.ts';
import { receiver, secret, verified } from '../notify/receiver.ts';
import { ActionsFixture } from './actions-fixture.ts';
import { succeedingAgent } from './repository.ts';

/** The operator of the Action is whoever writes its workflow, and names there whom runs may notify. */

const notify = `
- { name: builds, to: webhook, private: true, url: 'http://127.0.0.1:1/', secret_env: BUILDS_SECRET }
- { name: office, to: teams, private: true, url_env: OFFICE_URL }
`;
const variables = {
  BUILDS_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}`,
  OFFICE_URL: 'http://127.0.0.1:1/office',
};
const path = '.github/coxswain.yml';
const naming = (target: string) => ({
  ...succeedingAgent,
  [path]: `version: 1\nagent: { use: scripted, script: tools/agent.yml }\nnotify: [${target}]\n`,
});

let fixture: ActionsFixture;
afterEach(() => fixture.end());

/** The first job of a run, for an issue with the label. */
async function begun(options: Parameters<typeof ActionsFixture.start>[0], environment = variables) {
  fixture = await ActionsFixture.start(options);
  fixture.environment = { ...fixture.environment, ...environment };
  const issue = await fixture.labeledIssue();
  return { issue, job: await fixture.onlyFinishedJob() };
}

async function settingsOf({ job }: Pick<Awaited<ReturnType<typeof begun>>, 'job'>) {
  return (await fixture.ledger(Number(job.outputs['pull-request']))).state.settings;
}

test('a configuration names targets of the workflow', async () => {
  const run = await begun({ files: naming('office'), inputs: { notify } });
  expect((await settingsOf(run)).notify).toEqual([{ to: 'office', events: usualEvents }]);
});

test('a job tells a target what happened in it, before it ends', async () => {
  const { url, received } = await receiver();
  const target =
    '{ name: builds, to: webhook, private: true, url_env: BUILDS_URL, secret_env: BUILDS_SECRET }';
  const inputs = { notify: `[${target}]` };
  const environment = { ...variables, BUILDS_URL: url, BUILDS_SECRET: secret };
  const run = await begun({ files: naming('builds'), inputs }, environment);
  expect(received.map(verified)).toMatchObject([
    { type: 'approval_requested', data: { title: expect.stringContaining('Coxswain finished') } },
  ]);
  const { state } = await fixture.ledger(Number(run.job.outputs['pull-request']));
  expect(state.owed.filter((effect) => effect.do === 'notify')).toEqual([]);
});

test('a name that the workflow does not have is refused, with those that it has', async () => {
  const { issue } = await begun({ files: naming('other'), inputs: { notify } });
  expect((await fixture.replies(issue)).join('\n')).toContain(
    '].to (line 3): expected builds or office (the operator\'s bound notify); received "other"',
  );
});

test('without the input, nobody is notified', async () => {
  const run = await begun({ files: naming('other') });
  expect(await settingsOf(run)).not.toHaveProperty('notify');
});

test('what somebody fills in for a manual start sets up no target', async () => {
  fixture = await ActionsFixture.start({ files: naming('office') });
  fixture.environment = { ...fixture.environment, ...variables };
  const job = await fixture.dispatch({ prompt: 'Write down the price.', notify });
  expect(await settingsOf({ job })).not.toHaveProperty('notify');
});

test('without a configuration file, all targets of the workflow are notified', async () => {
  const agent = '{ use: command, command: [sh, -c, "echo right > price.txt"] }';
  const run = await begun({ files: { [path]: null }, inputs: { agent, notify } });
  expect((await settingsOf(run)).notify?.map(({ to }) => to)).toEqual(['builds', 'office']);
});
