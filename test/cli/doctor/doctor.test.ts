import { type Forge, type App as RegisteredApp, startForge } from '@coxswain/forge';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Examined, reportOf } from '../../../src/cli/doctor/doctor-finding.ts';
import { lookAt } from '../../../src/cli/doctor.ts';
import { permissions } from '../../app/app-fixture.ts';
import { eventually } from '../../app/eventually.ts';
import { ledgerKey } from '../../ledger/identity.ts';

const name = 'acme/api';
const config = 'version: 1\nagent: { use: command, command: [agent] }\n';
/** Nothing listens there. */
const unreachable = 'https://127.0.0.1:9/api/github/webhooks';
const events = [
  ...['issues', 'issue_comment', 'pull_request', 'pull_request_review'],
  ...['check_run', 'check_suite', 'push', 'merge_group'],
];

let forge: Forge;
let app: RegisteredApp;
let installation: number;
let variables: Record<string, string>;

beforeAll(async () => {
  forge = await startForge();
  const { seed } = forge;
  seed.addOrganization('acme');
  seed.addUser('ada');
  await seed.addRepository({ owner: 'acme', name: 'api', files: { '.github/coxswain.yml': config } });
  app = seed.createApp({
    ...{ slug: 'coxswain', owner: 'acme', permissions, events },
    ...{ webhook_url: '', webhook_secret: 'secret' },
  });
  installation = seed.installApp(app, [name]);
  seed.setWebhook(app, { url: unreachable });
  const { host } = new URL(forge.url);
  variables = {
    ...{ APP_ID: String(app.id), PRIVATE_KEY: app.private_key, WEBHOOK_SECRET: 'secret' },
    ...{ GHE_HOST: host, GHE_PROTOCOL: 'http', COXSWAIN_LEDGER_KEY: ledgerKey },
    // What it says of the sandbox has tests of its own, and takes long to find out.
    COXSWAIN_SANDBOX: 'off',
  };
});

afterAll(() => forge.stop());

beforeEach(() => forge.seed.unprotect(name));

/** What doctor says about one thing of the App or of the repository, as `level: text`. */
async function says(id: string, changed: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const examined = await lookAt({ ...variables, ...changed }, name);
  const findings = examined.flatMap((each) => each.findings);
  return findings.filter((found) => found.id === id).map(({ level, text }) => `${level}: ${text}`);
}

const source = (integration_id?: number) =>
  forge.seed.addRuleset(name, {
    name: 'gate',
    rules: [
      {
        type: 'required_status_checks',
        parameters: {
          required_status_checks: [
            { context: 'Coxswain', ...(integration_id !== undefined && { integration_id }) },
          ],
        },
      },
    ],
  });

describe('the App', () => {
  test('is not looked at without its environment', async () => {
    const [only, ...rest] = await lookAt({ ...variables, WEBHOOK_SECRET: '' }, undefined);
    expect(rest).toEqual([]);
    expect(only).toMatchObject({ about: 'The environment', findings: [{ level: 'problem' }] });
    expect(only?.findings[0]?.text).toMatch(/^WEBHOOK_SECRET is not set/);
  });

  test('that GitHub does not know is a problem', async () => {
    expect(await says('app', { APP_ID: '9999' })).toEqual([
      expect.stringMatching(/^problem: GitHub does not know/),
    ]);
  });

  test('is well when nothing is missing', async () => {
    const [, found] = await lookAt(variables, name);
    expect(found?.about).toBe('The App coxswain');
    const levels = found?.findings.map(({ id, level }) => `${id} ${level}`);
    expect(levels).toEqual([
      ...['app ok', 'ledger-key ok', 'permissions ok', 'events ok', 'installation ok'],
      ...['webhook-url ok', 'webhook-secret ok', 'deliveries note', 'sign-in note'],
    ]);
  });

  test('needs what its installation has not granted yet', async () => {
    forge.seed.setInstallationPermissions(installation, { ...permissions, statuses: 'read' });
    expect(await says('installation')).toEqual(['problem: acme has not granted statuses: write']);
    forge.seed.setInstallationPermissions(installation, permissions);
  });

  test('must be reached by a checked address', async () => {
    forge.seed.setWebhook(app, { url: 'http://127.0.0.1:9/hooks' });
    expect(await says('webhook-url')).toEqual([
      expect.stringMatching(/^problem: .* without a checked certificate/),
    ]);
    expect(await says('webhook-path')).toHaveLength(1);
    forge.seed.setWebhook(app, { url: unreachable });
  });
});

test('deliveries that do not arrive are a problem', async () => {
  forge.seed.setInstallationPermissions(installation, permissions);
  await eventually('the delivery to fail', () => forge.quiet() || undefined);
  expect(await says('deliveries')).toEqual([
    expect.stringMatching(/^problem: \d+ of the last \d+ deliveries failed/),
  ]);
});

describe('the source of the check', () => {
  test.each([
    ['nothing requires it', () => undefined, /^problem: nothing requires Coxswain for merging into main/],
    ['anybody may report it', () => source(), /^problem: main requires Coxswain from any source/],
    ['another App reports it', () => source(77), /^problem: main requires Coxswain from another App \(77\)/],
    ['our App reports it', () => source(app.id), /^ok: main requires Coxswain from this App/],
  ])('when %s', async (_, protect, expected) => {
    protect();
    expect(await says('check-source')).toEqual([expect.stringMatching(expected)]);
  });

  test.each([
    ['Coxswain / test', /^problem: main requires Coxswain \/ test, but not from this App/],
    [
      'Coxswain (unlisted: next)',
      /^problem: main requires Coxswain \(unlisted: next\), which is for branches/,
    ],
  ])('matters for %s too', async (context, expected) => {
    const required_status_checks = [{ context }, { context: 'Coxswain', integration_id: app.id }];
    forge.seed.addRuleset(name, {
      rules: [{ type: 'required_status_checks', parameters: { required_status_checks } }],
    });
    expect(await says('check-source')).toEqual([
      'ok: main requires Coxswain from this App',
      expect.stringMatching(expected),
    ]);
  });

  test('counts from classic protection too, whose exceptions only administrators see', async () => {
    const required_status_checks = { strict: true, checks: [{ context: 'Coxswain', app_id: app.id }] };
    forge.seed.addProtection(name, 'main', { required_status_checks });
    expect(await says('check-source')).toEqual(['ok: main requires Coxswain from this App']);
    expect(await says('bypass')).toContain(
      'unseen: who may go past the protection of main; only administrators see it',
    );
  });

  test('is not enough for administrators where protection spares them', async () => {
    const required_status_checks = { strict: true, checks: [{ context: 'Coxswain', app_id: app.id }] };
    forge.seed.addProtection(name, 'main', { required_status_checks });
    forge.seed.setInstallationPermissions(installation, { ...permissions, administration: 'read' });
    expect(await says('bypass')).toContain('note: administrators may go past the protection of main');
    expect(await says('strict')).toEqual([expect.stringMatching(/must contain the newest commit of main/)]);
    forge.seed.setInstallationPermissions(installation, permissions);
  });

  test('is asked for every branch that the configuration lists', async () => {
    const text = `${config}bases: [{ branches: 'release/*', check: release }]\n`;
    const sha = await forge.seed.commit(name, { '.github/coxswain.yml': text });
    expect(await says('bases')).toEqual(['note: no branch matches release/* yet']);
    await createBranch('release/1', sha);
    const found = await says('check-source');
    expect(found).toContainEqual(
      expect.stringContaining('nothing requires Coxswain (release) for merging into release/1'),
    );
    await forge.seed.commit(name, { '.github/coxswain.yml': config });
  });
});

test('an App that may bypass the rule is a problem, and others who may are told apart', async () => {
  forge.seed.addRuleset(name, {
    name: 'gate',
    rules: [{ type: 'pull_request' }],
    bypass_actors: [{ actor_type: 'Integration', actor_id: app.id }],
  });
  expect(await says('bypass')).toEqual([
    'problem: this App may bypass the ruleset gate of main',
    'unseen: who may bypass the ruleset gate; only administrators see it',
  ]);
});

test('rules about our branches, merge queues and signatures are named', async () => {
  forge.seed.addRuleset(name, { include: ['~ALL'], rules: [{ type: 'creation' }] });
  forge.seed.addRuleset(name, { rules: [{ type: 'merge_queue' }] });
  expect(await says('run-branches')).toEqual(['problem: rules about creation cover coxswain/ branches']);
  expect(await says('merge-queue')).toEqual([
    'ok: main has a merge queue, and the App hears which groups it makes',
  ]);
});

describe('signed commits', () => {
  const signed = { type: 'required_signatures' } as const;

  test('that classic protection demands are named, too', async () => {
    const required_status_checks = { strict: false, checks: [] };
    forge.seed.addProtection(name, 'main', { required_status_checks, required_signatures: true });
    expect(await says('signatures')).toEqual([expect.stringContaining('must be signed: GitHub signs ours')]);
  });

  test.each<[RegExp, string, boolean]>([
    [/^note: .* ours only are once whoever merges squashes them/, '{}', false],
    [/^note: .* ours only are once the merge queue squashes them/, '{ finish: merge }', true],
    [/^note: .*: Coxswain squashes ours/, '{ finish: merge }', false],
    [/^problem: .* ours are not/, '{ finish: merge, merge_method: rebase }', false],
  ])('that are switched off are judged by who merges how: %s', async (expected, approval, queued) => {
    const text = `${config}commits: { sign: 'off' }\napproval: ${approval}\n`;
    await forge.seed.commit(name, { '.github/coxswain.yml': text });
    forge.seed.addRuleset(name, { rules: queued ? [signed, { type: 'merge_queue' }] : [signed] });
    expect(await says('signatures')).toEqual([expect.stringMatching(expected)]);
    await forge.seed.commit(name, { '.github/coxswain.yml': config });
  });
});

test('a merge queue of which the App does not hear is a problem, which says who accepts it where', async () => {
  const { merge_queues: _, ...former } = permissions;
  forge.seed.setInstallationPermissions(installation, former);
  expect(await says('installation')).toEqual(['ok: acme has accepted its permissions']);
  forge.seed.addRuleset(name, { rules: [{ type: 'merge_queue' }] });
  expect(await says('merge-queue')).toEqual([
    'problem: main has a merge queue, and the App lacks merge_queues: read: its check never comes there',
  ]);
  const remedies = (await lookAt(variables, name)).flatMap(({ findings }) =>
    findings.flatMap(({ id, remedy }) => (id === 'merge-queue' ? [remedy] : [])),
  );
  expect(remedies).toEqual([expect.stringMatching(/^Accept its request for new permissions at http/)]);
  forge.seed.setInstallationPermissions(installation, permissions);
});

test('deploy keys that may push are listed where GitHub shows them', async () => {
  forge.seed.addDeployKey(name, 'ada', { title: 'release', read_only: false });
  expect(await says('deploy-keys')).toEqual([expect.stringMatching(/^unseen: /)]);
  forge.seed.setInstallationPermissions(installation, { ...permissions, administration: 'read' });
  expect(await says('deploy-keys')).toEqual([
    expect.stringMatching(/^note: deploy keys that may push: release;/),
  ]);
  forge.seed.setInstallationPermissions(installation, permissions);
});

test('workflows that give secrets to pushed code are named, as a rough reading', async () => {
  const text = `on: pull_request\njobs: { a: { steps: [{ run: "x \${{ secrets.KEY }}" }] } }\n`;
  await forge.seed.commit(name, { '.github/workflows/ci.yml': text });
  const [found] = await says('workflows');
  expect(found).toContain('by a rough reading, what agents push runs at once');
  expect(found).toContain('.github/workflows/ci.yml (pull_request) with the secret KEY');
});

test('a configuration that is missing or wrong is a problem', async () => {
  await forge.seed.commit(name, { '.github/coxswain.yml': 'version: 1\nverifier: []\n' });
  expect(await says('configuration')).toEqual([expect.stringMatching(/^problem: .* is not valid: /)]);
  await forge.seed.commit(name, { '.github/coxswain.yml': config });
});

test('that one person is enough is said, unless the configuration forbids it', async () => {
  expect(await says('approval')).toEqual([expect.stringMatching(/^note: one person with write access can/)]);
  for (const approval of [
    '{ required: 2 }',
    '{ steerer_may_approve: false }',
    '{ requester_may_approve: false }',
    '{ by: [maintain] }',
  ]) {
    await forge.seed.commit(name, { '.github/coxswain.yml': `${config}approval: ${approval}\n` });
    expect(await says('approval')).toEqual([]);
  }
  await forge.seed.commit(name, { '.github/coxswain.yml': config });
});

test('a repository without the App is a problem', async () => {
  const examined = await lookAt(variables, 'acme/none');
  expect(examined.at(-1)).toMatchObject({ about: 'acme/none', findings: [{ level: 'problem' }] });
});

test('all repositories of the App are looked at by default', async () => {
  const examined = await lookAt(variables, undefined);
  expect(examined.map(({ about }) => about)).toEqual(['This machine', 'The App coxswain', name]);
});

test('the report counts problems and does not claim that anything is safe', () => {
  const bad = { level: 'problem', id: 'x', text: 'it is\u001b[31m open', remedy: 'Close it' } as const;
  const examined: readonly Examined[] = [{ about: name, findings: [bad] }];
  expect(reportOf(examined)).toMatchInlineSnapshot(`
    "acme/api
      problem  it is [31m open.
               Close it.

    1 problem found. Doctor sees only what GitHub shows it: what it does not mention may still be wrong.
    "
  `);
  expect(reportOf([])).not.toMatch(/safe|secure/i);
});

describe('the agent', () => {
  afterAll(() => forge.seed.commit(name, { '.github/coxswain.yml': config }));

  test('that is a program of the repository is not started', async () => {
    expect(await says('agent')).toEqual([expect.stringMatching(/^note: its agent is command/)]);
  });

  test('that is not here is a problem with its mend, and so is a key that is missing', async () => {
    await forge.seed.commit(name, { '.github/coxswain.yml': 'version: 1\nagent: goose\n' });
    const examined = await lookAt(variables, name);
    const found = examined.flatMap((each) => each.findings).filter(({ id }) => id.startsWith('agent'));
    expect(found).toMatchObject([
      {
        id: 'agent',
        level: 'problem',
        text: expect.stringMatching(/^Goose is not here/i),
        remedy: expect.stringMatching(/^Install it/),
      },
      {
        id: 'agent-key',
        level: 'problem',
        text: expect.stringMatching(/needs the key of its model/),
        remedy: expect.stringMatching(/^Set the key/),
      },
    ]);
    expect(await says('agent-key', { OPENAI_API_KEY: 'sk-made-up-0123456789' })).toEqual([
      expect.stringMatching(/^ok: /),
    ]);
  });

  test('of a worker profile is looked at as well', async () => {
    const agents = 'agents: { careful: goose, quick: claude }\n';
    await forge.seed.commit(name, { '.github/coxswain.yml': `version: 1\nagent: codex\n${agents}` });
    expect(await says('agent-key', { OPENAI_API_KEY: 'sk-made-up-0123456789' })).toEqual([
      'ok: Codex reaches its model',
      'ok: worker profile careful: Goose reaches its model',
      expect.stringMatching(/^problem: worker profile quick: Claude Code needs the key of its model/),
    ]);
  });
});

test('what holds for several worker profiles, or also without them, is said once', async () => {
  const agents = 'agents: { careful: { use: claude, model: opus }, quick: claude, same: codex }\n';
  await forge.seed.commit(name, { '.github/coxswain.yml': `version: 1\nagent: codex\n${agents}` });
  expect(await says('agent-key', { OPENAI_API_KEY: 'sk-made-up-0123456789' })).toEqual([
    'ok: Codex reaches its model',
    expect.stringMatching(/^problem: worker profiles careful, quick: Claude Code needs the key of its model/),
  ]);
});

test('an agent that only a stage or a second opinion names is looked at as well', async () => {
  const lines =
    'stages: [{ name: plan, agent: claude }, implement]\npipelines: { a: [{ name: plan, agent: claude }, implement] }\n';
  await forge.seed.commit(name, {
    '.github/coxswain.yml': `version: 1\nagent: codex\nagents: { same: codex }\nreview: qwen\n${lines}`,
  });
  expect(await says('agent-key', { OPENAI_API_KEY: 'sk-made-up-0123456789' })).toEqual([
    'ok: Codex reaches its model',
    expect.stringMatching(/^problem: stage plan: Claude Code needs the key of its model/),
    expect.stringMatching(/^(?:ok|problem): second opinion: Qwen Code/),
  ]);
  expect(await says('agent')).toContainEqual(
    expect.stringMatching(/^problem: .*second opinion: Qwen Code is not here/),
  );
});

test('a team that cannot be read is a problem with its mend, and so is a line of CODEOWNERS', async () => {
  const approval = 'approval: { by: [codeowners, "@acme/core"] }\n';
  const files = { '.github/coxswain.yml': `${config}${approval}`, CODEOWNERS: '* @ada\n!docs/ @ada\n' };
  await forge.seed.commit(name, files);
  expect(await says('approvers')).toEqual([expect.stringMatching(/^problem: .*"Members: read"/)]);
  forge.seed.setInstallationPermissions(installation, { ...permissions, members: 'read' });
  expect(await says('approvers')).toEqual([expect.stringMatching(/^problem: .*a team of acme, by its slug/)]);
  forge.seed.addTeam('acme/core');
  expect(await says('approvers')).toEqual(['ok: the teams that may approve or are asked can be read']);
  const asked = 'interrupts: { ask: ["@acme/helpers"] }\n';
  await forge.seed.commit(name, { '.github/coxswain.yml': `${config}${approval}${asked}` });
  expect(await says('approvers')).toEqual([
    expect.stringMatching(/^problem: interrupts.ask: .*"@acme\/helpers"/),
  ]);
  expect(await says('code owners')).toEqual([
    expect.stringMatching(/^note: line 2 of CODEOWNERS: "!docs\/"/),
  ]);
  forge.seed.setInstallationPermissions(installation, permissions);
});

test('a label that is missing is told, with how to create it', async () => {
  expect(await says('label')).toEqual(['note: there is no label coxswain, so that only /run starts runs']);
});

async function createBranch(branch: string, sha: string): Promise<void> {
  const { Octokit } = await import('@octokit/rest');
  const token = forge.seed.addUser(`creator-of-${branch.replace('/', '-')}`);
  forge.seed.setCollaborator(name, `creator-of-${branch.replace('/', '-')}`, 'write');
  const octokit = new Octokit({ baseUrl: forge.apiUrl, auth: token });
  await octokit.rest.git.createRef({ owner: 'acme', repo: 'api', ref: `refs/heads/${branch}`, sha });
}
