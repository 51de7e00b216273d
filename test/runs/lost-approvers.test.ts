import { expect, test } from 'vitest';
import { runWithApprovers } from './run-with-approvers.ts';
import { at } from './runs-fixture.ts';

const run = runWithApprovers();
const { pull, phase, comments, lastComment, says } = run;

/** What the newest check run says. */
async function summary(): Promise<string> {
  const place = { ...at, ref: (await pull()).head.sha, check_name: 'Coxswain' };
  const { data } = await run.fixture.ada.rest.checks.listForRef(place);
  return `${data.check_runs[0]?.output.summary} ${data.check_runs[0]?.output.text}`;
}

test('an approval falls when CODEOWNERS on the base names somebody else', async () => {
  for (const login of ['bob', 'mia'] as const) await says(login, '/approve');
  expect(await phase()).toBe('approved');
  await run.fixture.forge.seed.commit('acme/api', { '.github/CODEOWNERS': '/web/ @ada\n' });
  await run.fixture.sweep();
  expect(await phase()).toBe('awaiting_approval');
  expect((await comments()).join('\n')).toContain('web/app.js needs @ada');
  for (const login of ['ada', 'bob'] as const) await says(login, '/approve');
  expect(await phase()).toBe('approved');
});

test('a team that is gone is a mistake in the configuration, which the pull request says', async () => {
  for (const login of ['bob', 'mia'] as const) await says(login, '/approve');
  run.fixture.forge.seed.removeTeam('acme/platform');
  await run.fixture.sweep();
  expect(await phase()).toBe('failed');
  expect(await summary()).toContain('a team of acme, by its slug');
});

test('without the permission to read teams, nobody is taken for a member, and the permission is named', async () => {
  const { seed } = run.fixture.forge;
  const permissions = {
    contents: 'write',
    pull_requests: 'write',
    issues: 'write',
    checks: 'write',
  } as const;
  seed.setInstallationPermissions(run.installation, { ...permissions, statuses: 'write' });
  await says('bob', '/approve');
  expect(await lastComment()).toContain('Still needed: 1 more by write; infra/ needs @acme/platform');
  await says('mia', '/retry');
  expect(await phase()).toBe('failed');
  expect(await summary()).toContain('"Members: read"');
});

test('an outage of the teams is neither yes nor no: the approval counts when it is over', async () => {
  run.fixture.forge.seed.fault({ method: 'GET', path: /\/teams\//, status: 502, times: 100 });
  await expect(says('bob', '/approve')).rejects.toThrow();
  run.fixture.forge.seed.clearFaults();
  await run.fixture.sweep();
  await says('mia', '/approve');
  expect(await phase()).toBe('approved');
});
