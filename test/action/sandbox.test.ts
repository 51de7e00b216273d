import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { JobSandbox } from '../../src/action/job-resources.ts';
import { settingsOf } from '../agent/states.ts';
import { ActionsFixture, at, name } from './actions-fixture.ts';
import { repositoryFiles, succeedingAgent } from './repository.ts';
import { isRoot, RootPrograms } from './root-programs.ts';

// Every job is a separate process with Git, an agent and verifiers.
let fixture: ActionsFixture;
let machine: RootPrograms;

beforeAll(async () => {
  fixture = await ActionsFixture.start({ files: succeedingAgent });
});
afterEach(() => machine.remove());
afterAll(async () => {
  await fixture.end();
});

/** The next jobs run on such a machine. */
function on(programs: ConstructorParameters<typeof RootPrograms>[0], environment = 'github-hosted'): void {
  machine = new RootPrograms(programs);
  fixture.environment = {
    PATH: machine.path,
    RUNNER_ENVIRONMENT: environment,
    RUNNER_OS: 'Linux',
    // The search path has only links to programs.
    COXSWAIN_SANDBOX_READABLE: dirname(dirname(realpathSync(process.execPath))),
  };
}

async function startedRun() {
  await fixture.labeledIssue();
  const outcome = await fixture.onlyFinishedJob();
  return { ...outcome, number: Number(outcome.outputs['pull-request']) };
}

/** What people see who may approve: the check run and the last comment. */
async function shown(number: number): Promise<readonly string[]> {
  const { head } = await fixture.pull(number);
  const { data } = await fixture.ada.rest.checks.listForRef({ ...at, ref: head.sha });
  const decision = data.check_runs.find((run) => run.name === 'Coxswain');
  return [decision?.output.summary ?? '', (await fixture.replies(number)).at(-1) ?? ''];
}

const install =
  'apt-get -o DPkg::Lock::Timeout=60 -o Acquire::Retries=3 install --yes --no-install-recommends bubblewrap';
const update = 'apt-get -o DPkg::Lock::Timeout=60 -o Acquire::Retries=3 update';
const openText = 'No sandbox';

describe('on a runner of GitHub, bubblewrap', { tags: ['bubblewrap'] }, () => {
  test('is installed when work begins, not for a comment or a sweep', async () => {
    on({});
    const { outputs, number } = await startedRun();
    expect(outputs).toMatchObject({ phase: 'awaiting_approval' });
    expect(machine.calls()).toEqual([install]);
    expect((await fixture.ledger(number)).state.settings.sandbox).toBe('required');
    expect((await shown(number)).join()).not.toContain(openText);

    machine.remove();
    on({});
    await fixture.comment(number, '/status');
    expect(await fixture.onlyFinishedJob()).toMatchObject({ code: 0 });
    await fixture.sweep();
    expect(await fixture.onlyFinishedJob()).toMatchObject({ event: 'schedule', code: 0 });
    expect(machine.calls()).toEqual([]);
  });

  test('is left as it is where it works', async () => {
    on({ hasBubblewrap: true });
    expect(await startedRun()).toMatchObject({ outputs: { phase: 'awaiting_approval' } });
    expect(machine.calls()).toEqual([]);
  });

  test('gets a profile of its own where AppArmor forbids it', async () => {
    on({ hasBubblewrap: true, forbidden: 'without_profile' });
    expect(await startedRun()).toMatchObject({ outputs: { phase: 'awaiting_approval' } });
    expect(machine.calls()).toEqual([expect.stringMatching(/^apparmor_parser --replace \S+\/bwrap$/)]);
    expect(machine.profile).toMatch(/^profile bwrap \/usr\/bin\/bwrap .*\{\n {2}userns,\n\}$/m);
  });

  test('is allowed for the whole machine where a profile does not help', async () => {
    on({ forbidden: 'without_sysctl' });
    expect(await startedRun()).toMatchObject({ outputs: { phase: 'awaiting_approval' } });
    const [first, second, ...rest] = machine.calls();
    expect([first, second]).toEqual([install, expect.stringMatching(/^apparmor_parser /)]);
    expect(rest).toEqual(['sysctl -w kernel.apparmor_restrict_unprivileged_userns=0']);
  });

  test('stops the run if it cannot be installed, with the command, its output and the way out', async () => {
    on({ refuses: 'E: Unable to locate package bubblewrap' });
    const { code, log, number } = await startedRun();
    expect(code).toBe(1);
    expect(log).toContain('E: Unable to locate package bubblewrap');
    expect(machine.calls().slice(0, 3)).toEqual([install, update, install]);
    expect(await fixture.block(number)).toMatchObject({ phase: 'awaiting_resolution' });
    const asked = (await fixture.replies(number)).at(-1);
    expect(asked).toContain(`\`${isRoot ? '' : 'sudo '}${install}\` ended with exit code 100`);
    expect(asked).toContain('E: Unable to locate package bubblewrap');
    expect(asked).toContain('`sandbox: preferred`');
    expect(asked).not.toContain(openText);

    const path = '.github/coxswain.yml';
    await fixture.forge.seed.commit(name, { [path]: `${repositoryFiles[path]}sandbox: preferred\n` });
    await fixture.comment(number, '/retry');
    expect(await fixture.onlyFinishedJob()).toMatchObject({
      code: 0,
      outputs: { phase: 'awaiting_approval' },
    });
    for (const text of await shown(number)) expect(text).toContain(openText);
    await fixture.forge.seed.commit(name, { [path]: repositoryFiles[path] ?? '' });
  });
});

test('what the machine cannot hold is said once in the log of the job', {
  tags: ['bubblewrap'],
}, async () => {
  const said: string[] = [];
  const info = (text: string) => void said.push(text);
  const quiet = { debug: () => undefined, info, warn: info, error: info };
  const sandbox = new JobSandbox({ readable: [], hostedLinux: false }, quiet);
  const { unbounded } = await sandbox.under(settingsOf({}));
  await sandbox.under(settingsOf({}));
  expect(said).toEqual(unbounded === null ? [] : [unbounded]);
});

test('on a runner of your own nothing is installed, and the pull request says that there was no sandbox', async () => {
  on({}, 'self-hosted');
  const { outputs, number } = await startedRun();
  expect(outputs).toMatchObject({ phase: 'awaiting_approval' });
  expect(machine.calls()).toEqual([]);
  for (const text of await shown(number)) expect(text).toContain(openText);
});
