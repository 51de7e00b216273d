import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config/read.ts';
import { configPath } from '../../../src/config/schema.ts';
import { proposeSetup } from '../../../src/runs/setup/propose-setup.ts';
import { startRun } from '../../../src/runs/start/start.ts';
import { openRuns } from '../../../src/runs/wiring.ts';
import { seals } from '../../ledger/identity.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from '../runs-fixture.ts';

/** A repository without a configuration, in which somebody asks for a run. */
let saved: SavedForge;
let fixture: RunsFixture;
const branch = 'coxswain-setup';
const project = {
  'package.json': '{"scripts": {"test": "node --test", "lint": "x"}, "dependencies": {"a": "1"}}',
  'package-lock.json': '{}',
};

beforeAll(async () => {
  saved = await saveForge(async ({ ada, forge }) => {
    await ada.rest.issues.create({ ...at, title: 'The clock is wrong' });
    await forge.seed.commit('acme/api', project);
    await removeConfiguration(ada);
  });
});

async function removeConfiguration({ rest }: RunsFixture['ada']): Promise<void> {
  const { data } = await rest.repos.getContent({ ...at, path: configPath });
  const sha = 'sha' in data ? data.sha : '';
  await rest.repos.deleteFile({ ...at, path: configPath, message: 'Remove it', sha });
}

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});
afterEach(() => fixture.end());
afterAll(() => saved.remove());

async function pulls() {
  const { data } = await fixture.ada.rest.pulls.list({ ...at, state: 'all' });
  return data;
}

async function refs(): Promise<readonly string[]> {
  const listed = await fixture.gitAsAda('ls-remote', fixture.url, 'refs/heads/*', 'refs/coxswain/*');
  return listed
    .trim()
    .split('\n')
    .map((line) => line.split('\t')[1] ?? '');
}

async function proposedText(): Promise<string> {
  await fixture.gitAsAda('fetch', '--quiet', fixture.url, branch);
  return fixture.gitAsAda('show', `FETCH_HEAD:${configPath}`);
}

const lastReply = async (number: number) => (await fixture.appComments(number)).at(-1) ?? '';

test('the proposal is signed by GitHub where the rules demand it', async () => {
  fixture.forge.seed.addRuleset('acme/api', { include: ['~ALL'], rules: [{ type: 'required_signatures' }] });
  await fixture.says('ada', 1, '/run');
  const [pull] = await pulls();
  const { data } = await fixture.ada.rest.pulls.listCommits({ ...at, pull_number: pull?.number ?? 0 });
  expect(data.map(({ commit }) => commit.verification?.verified)).toEqual([true]);
  expect(await proposedText()).toContain('verifiers:');
  expect((await refs()).filter((ref) => ref.includes('unsigned'))).toEqual([]);
});

test('a pull request proposes a configuration, and nothing else', async () => {
  await fixture.says('ada', 1, '/run');
  const [pull, ...others] = await pulls();
  expect(others).toEqual([]);
  expect(pull).toMatchObject({ title: 'Configure Coxswain', user: { login: 'coxswain[bot]' }, draft: false });
  expect(pull?.base.ref).toBe('main');
  expect(pull?.labels).toEqual([]);
  expect(pull?.body).toMatchInlineSnapshot(`
    "@ada asked for a run in #1, and a run needs a configuration. This adds one, \`.github/coxswain.yml\`, and nothing else. It was made from the files on \`main\`; no command in it has been run.

    ### What was found

    JavaScript with npm.

    ### What each line does

    | | what it does | from |
    |---|---|---|
    | \`agent\` | Claude Code does the work |  |
    | \`npm ci\` | prepares the checkout, before the agent and before the verifiers | package-lock.json |
    | \`npm test\` | is the verifier \`test\`: its exit code says whether the work is right | script "test" in package.json |
    | \`npm run lint\` | is the verifier \`lint\`: its exit code says whether the work is right | script "lint" in package.json |

    ### After merging

    Comment \`/run\` in #1 again, and a coding agent starts working on a draft pull request. It is never merged unless a person approves it there.
    Each verifier should already pass on \`main\`: if one fails there, no work can ever be green.

    ### To change it

    Edit the file here, on the branch \`coxswain-setup\`, or later on \`main\`: only the file on \`main\` counts. \`coxswain check\` tells you whether the file is valid.
    If you do not want it, close this pull request: it will not be opened again.
    "
  `);
  const { data: files } = await fixture.ada.rest.pulls.listFiles({ ...at, pull_number: pull?.number ?? 0 });
  expect(files.map(({ filename, status }) => `${status} ${filename}`)).toEqual([`added ${configPath}`]);
  const text = await proposedText();
  expect(readConfig(text, { path: configPath, ref: 'main' }).outcome).toBe('configured');
  expect(await fixture.gitAsAda('log', '-1', '--format=%an <%ae>', 'FETCH_HEAD')).toBe(
    'Coxswain <coxswain@noreply.invalid>\n',
  );
  expect(await lastReply(1)).toMatchInlineSnapshot(
    `"There is no \`.github/coxswain.yml\` on \`main\` yet, so no run was started. #2 proposes one that fits this repository: review it, merge it, and use \`/run\` here again."`,
  );
  expect(await refs()).toEqual([`refs/heads/${branch}`, 'refs/heads/main']);
});

test('names of files stay in their cells', async () => {
  await fixture.forge.seed.commit('acme/api', { 'a | @bob.csproj': '' });
  await fixture.says('ada', 1, '/run');
  expect((await pulls())[0]?.body).toContain(
    '| `dotnet restore` | prepares the checkout, before the agent and before the verifiers | a \\| @\u200bbob.csproj |\n',
  );
});

test('the label asks for it as well, and gets the same answer once', async () => {
  await fixture.labels('ada', 1);
  await fixture.labels('ada', 1);
  expect(await pulls()).toHaveLength(1);
  expect(await fixture.appComments(1)).toHaveLength(1);
});

test('however often and by whomever it is asked for, there is one pull request', async () => {
  await Promise.all([
    fixture.says('ada', 1, '/run', 3),
    fixture.says('bob', 1, '/run please', 2),
    fixture.labels('bob', 1),
  ]);
  await fixture.restart();
  await fixture.sweep();
  await fixture.says('ada', 1, '/run');
  const [pull, ...others] = await pulls();
  expect(others).toEqual([]);
  const told = await fixture.appComments(1);
  // For three comments and a label.
  expect(told).toHaveLength(4);
  for (const reply of told) expect(reply).toContain(`#${pull?.number} proposes one`);
  expect(fixture.warnings).toEqual([]);
});

test('merged, it lets runs start', async () => {
  await fixture.says('ada', 1, '/run');
  const [pull] = await pulls();
  await fixture.ada.rest.pulls.merge({ ...at, pull_number: pull?.number ?? 0 });
  await fixture.says('ada', 1, '/run');
  const started = (await pulls()).find(({ head }) => head.ref.startsWith('coxswain/'));
  expect(started).toMatchObject({ state: 'open', draft: true });
});

test('closed, it is not opened again, but shown', async () => {
  await fixture.says('ada', 1, '/run');
  const [pull] = await pulls();
  await fixture.ada.rest.pulls.update({ ...at, pull_number: pull?.number ?? 0, state: 'closed' });
  await fixture.ada.rest.git.deleteRef({ ...at, ref: `heads/${branch}` });
  await fixture.restart();
  await fixture.says('bob', 1, '/run');
  expect(await pulls()).toHaveLength(1);
  expect(await refs()).toEqual(['refs/heads/main']);
  expect(await lastReply(1)).toContain(
    `#${pull?.number} proposed one and was closed, so it is not proposed again`,
  );
  expect(await lastReply(1)).toContain('- { name: test, run: npm test }');
});

test('a file that was removed again is not proposed again', async () => {
  await fixture.says('ada', 1, '/run');
  const [pull] = await pulls();
  await fixture.ada.rest.pulls.merge({ ...at, pull_number: pull?.number ?? 0 });
  await removeConfiguration(fixture.ada);
  await fixture.says('ada', 1, '/run');
  expect(await lastReply(1)).toContain(`although #${pull?.number}, which added it, was merged`);
});

describe('nothing is proposed', () => {
  test('for people who may not start runs', async () => {
    await fixture.says('rea', 1, '/run');
    await fixture.labels('rea', 1).catch(() => undefined);
    expect(await pulls()).toEqual([]);
    expect(await refs()).toEqual(['refs/heads/main']);
  });

  test('where the configuration is there but broken', async () => {
    await fixture.forge.seed.commit('acme/api', { [configPath]: 'version: 2\n' });
    await fixture.says('ada', 1, '/run');
    expect(await lastReply(1)).toContain('is not valid. Fix this, then try again');
    expect(await pulls()).toEqual([]);
  });

  test('over a branch of that name that somebody else has made', async () => {
    const sha = await fixture.pushes('bob', { from: 'main', to: branch, files: { 'a.txt': 'mine\n' } });
    await fixture.says('ada', 1, '/run');
    expect(await pulls()).toEqual([]);
    expect(await lastReply(1)).toContain('someone else has created a branch with that name');
    expect(await fixture.gitAsAda('ls-remote', fixture.url, branch)).toContain(sha);
  });

  test('where branches below that name are in the way', async () => {
    await fixture.pushes('bob', { from: 'main', to: `${branch}/x`, files: { 'a.txt': 'mine\n' } });
    await fixture.says('ada', 1, '/run');
    expect(await lastReply(1)).toContain('a branch with that name, or one below it');
    expect(await pulls()).toEqual([]);
  });

  test('where the folder of the file is a link', async () => {
    await fixture.forge.seed.commit('acme/api', { '.github': { content: 'elsewhere', mode: '120000' } });
    await fixture.says('ada', 1, '/run');
    expect(await lastReply(1)).toContain('Add one like this, then try again');
    expect(await refs()).toEqual(['refs/heads/main']);
  });

  test('where the operator lets the App not work, or none of the agents that are known', async () => {
    const { run, services } = fixture.run(1);
    const { repository } = run;
    const where = { path: configPath, ref: 'main' };
    const { data: issue } = await fixture.ada.rest.issues.get({ ...at, issue_number: 1 });
    const request = {
      ...{
        repository,
        installation_id: 1,
        cause: 'x',
        at: issue.created_at,
        adopt: null,
        text: '',
        source: null,
      },
      by: { login: 'ada', id: 1, role: 'write', bot: false },
      issue: { number: 1, title: 'x', body: '', open: true },
    } as const;
    const operator = { bounds: { agents: ['command'], repositories: ['acme/other'] } } as const;
    await run.readSettings({ base: 'main' });
    expect(
      await proposeSetup({ repository, request, where }, { ...services, operator, seals }),
    ).toBeUndefined();
    const outside = openRuns({ ...services, operator });
    const started = await startRun({ request, runs: outside.in(repository), startOptions: {} });
    expect(started).toMatchObject({ outcome: 'refused', refusal: { why: 'misconfigured' } });
    await outside.close();
    expect(await refs()).toEqual(['refs/heads/main']);
  });
});

describe('the pull request is no run', () => {
  async function proposal(): Promise<number> {
    await fixture.says('ada', 1, '/run');
    return (await pulls())[0]?.number ?? 0;
  }

  test('when people change it, speak on it or label it, nor after a restart', async () => {
    const number = await proposal();
    await fixture.pushes('bob', { from: branch, files: { [configPath]: 'version: 1\nagent: codex\n' } });
    await fixture.pushes('bob', {
      from: branch,
      force: true,
      files: { [configPath]: 'version: 1\nagent: gemini\n' },
    });
    await fixture.ada.rest.issues.addLabels({ ...at, issue_number: number, labels: ['coxswain'] });
    for (const words of ['/approve', '/steer faster', '/resume', '/status'])
      await fixture.says('ada', number, words);
    await fixture.restart();
    await fixture.sweep();
    await fixture.sweep();
    expect(await fixture.appComments(number)).toEqual([]);
    expect(fixture.warnings).toEqual([]);
    expect(await refs()).toEqual([`refs/heads/${branch}`, 'refs/heads/main']);
    const { data } = await fixture.ada.rest.checks.listForRef({ ...at, ref: branch });
    expect(data.check_runs).toEqual([]);
  });

  test('even if somebody asks for one on it', async () => {
    const number = await proposal();
    await fixture.says('ada', number, '/run');
    expect(await lastReply(number)).toContain(
      'This pull request proposes a configuration, so no run works on it.',
    );
  });

  test('and does not keep the repository from being left alone by sweeps', async () => {
    await proposal();
    expect(await fixture.sweep()).toBe(false);
  });
});

describe('what fails', () => {
  test.each([
    ['the pull request', /\/pulls$/, 'POST', 1],
    ['the look for earlier ones', /\/pulls(?:\?|$)/, 'GET', 4],
    ['the reply', /\/comments$/, 'POST', 1],
  ])('for a while is done once when it is heard again: %s', async (_, path, method, times) => {
    const place = { ...at, issue_number: 1, body: '/run' };
    const { data: comment } = await fixture.ada.rest.issues.createComment(place);
    fixture.forge.seed.fault({ times, path, method, status: 502 });
    let failures = 0;
    while (
      await fixture.hears('ada', 1, comment).then(
        () => false,
        () => true,
      )
    ) {
      failures += 1;
      await fixture.restart();
    }
    expect(failures).toBeGreaterThan(0);
    expect(await pulls()).toHaveLength(1);
    expect(await fixture.appComments(1)).toHaveLength(1);
  });

  test('when the answer is lost opens no second one', async () => {
    fixture.forge.seed.fault({ times: 1, path: /\/pulls$/, method: 'POST', drop: 'after' });
    const { data: comment } = await fixture.ada.rest.issues.createComment({
      ...at,
      issue_number: 1,
      body: '/run',
    });
    await fixture.hears('ada', 1, comment).catch(() => fixture.hears('ada', 1, comment));
    expect(await pulls()).toHaveLength(1);
    expect(await fixture.appComments(1)).toHaveLength(1);
  });

  test('because the App may not push is told, with the permission', async () => {
    fixture.forge.seed.setInstallationPermissions(saved.app.installation, {
      ...{ contents: 'read', pull_requests: 'write', issues: 'write', checks: 'write', metadata: 'read' },
    });
    await fixture.says('ada', 1, '/run');
    expect(await lastReply(1)).toMatch(
      /proposing one failed: pushing the branch needs the permission contents=write/,
    );
    expect(await pulls()).toEqual([]);
  });

  test('because of a rule is told, with what to add by hand', async () => {
    fixture.forge.seed.addRuleset('acme/api', { include: [branch], rules: [{ type: 'creation' }] });
    await fixture.says('ada', 1, '/run');
    expect(await lastReply(1)).toMatch(/and proposing one failed: .*creat/i);
    expect(await lastReply(1)).toContain('agent: claude');
    expect(await pulls()).toEqual([]);
  });
});

test('where the check is required, the pull request says who can merge it', async () => {
  const required_status_checks = [{ context: 'Coxswain' }];
  fixture.forge.seed.addRuleset('acme/api', {
    rules: [{ type: 'required_status_checks', parameters: { required_status_checks } }],
  });
  await fixture.says('ada', 1, '/run');
  expect((await pulls())[0]?.body).toContain('The check `Coxswain` is required on `main`.');
});
