import { readFileSync } from 'node:fs';
import { type Forge, startForge } from '@coxswain/forge';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { runCommand } from '../../../src/cli/program.ts';
import { minimalConfig } from '../../../src/config/schema.ts';
import { workflowText } from '../../../src/onboarding/setup-files.ts';
import { heard } from '../heard.ts';

/** A repository on which the Action works, as its owner sees it. */
let forge: Forge;
let token: string;
let said: ReturnType<typeof heard>;
let count = 0;
const example = readFileSync(new URL('../../../examples/claude.yml', import.meta.url), 'utf8');
const made = { agentTitle: 'Claude Code', key: 'ANTHROPIC_API_KEY', action: 'acme/coxswain@v1', needs: [] };
const workflow = workflowText({ example, ...made });
const good = { '.github/coxswain.yml': minimalConfig(), '.github/workflows/coxswain.yml': workflow };

beforeAll(async () => {
  forge = await startForge();
  forge.seed.addOrganization('acme');
  token = forge.seed.addUser('ada');
});
afterAll(() => forge.stop());
beforeEach(() => {
  said = heard();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

interface Given {
  readonly files?: Readonly<Record<string, string>>;
  readonly settings?: Parameters<Forge['seed']['settings']>[1];
  readonly role?: 'read' | 'admin';
}

/** The exit code of doctor for a new repository, and its findings. */
async function doctor({ files = good, settings = {}, role = 'admin' }: Given) {
  const name = `api-${++count}`;
  await forge.seed.addRepository({ owner: 'acme', name, files: { 'README.md': 'x', ...files } });
  forge.seed.setCollaborator(`acme/${name}`, 'ada', role);
  const usual = { actions_may_create_pull_requests: true, actions_secrets: ['ANTHROPIC_API_KEY'] };
  forge.seed.settings(`acme/${name}`, { ...usual, ...settings });
  vi.stubEnv('GH_ENTERPRISE_TOKEN', token);
  vi.stubEnv('GH_HOST', new URL(forge.url).host);
  const code = await runCommand(['doctor', '--action', '--repo', `acme/${name}`]);
  return { code, out: said.out.replaceAll(name, 'api').replaceAll(forge.url, 'http://forge') };
}

test('one that is well has no problem, and the label is a note', async () => {
  const { code, out } = await doctor({});
  expect(out).toMatchInlineSnapshot(`
    "acme/api, as GitHub shows it to you
      ok       .github/coxswain.yml on main is valid.
      ok       .github/workflows/coxswain.yml uses acme/coxswain@v1.
      ok       .github/workflows/coxswain.yml hears everything that it has to.
      ok       the token of .github/workflows/coxswain.yml may do what it has to.
      ok       GitHub Actions is switched on.
      ok       GitHub Actions may create pull requests.
      ok       the secret ANTHROPIC_API_KEY is there.
      note     there is no label coxswain, so that only /run starts runs.
               Create it with \`gh label create coxswain --repo acme/api\`.

    No problems found. Doctor sees only what GitHub shows it: what it does not mention may still be wrong.
    "
  `);
  expect(code).toBe(0);
});

test.each<[string, Given, RegExp]>([
  [
    'the setting',
    { settings: { actions_may_create_pull_requests: false } },
    /may not create pull requests.*\n.*Tick "Allow GitHub Actions.*http:\/\/forge\/acme\/api\/settings\/actions/,
  ],
  [
    'the secret',
    { settings: { actions_secrets: ['OTHER'] } },
    /no secret ANTHROPIC_API_KEY.*\n.*gh secret set ANTHROPIC_API_KEY --repo acme\/api/,
  ],
  ['Actions', { settings: { actions_enabled: false } }, /is switched off.*\n.*settings\/actions/],
  [
    'everything',
    { files: {} },
    /there is no \.github\/coxswain\.yml on main.*\n.*coxswain init[\s\S]*no workflow on main uses Coxswain.*\n.*coxswain init/,
  ],
  [
    'a valid configuration',
    { files: { ...good, '.github/coxswain.yml': 'version: 2\n' } },
    /is not valid: .*version/,
  ],
  [
    'an end to the inputs of before',
    { files: { ...good, '.github/workflows/coxswain.yml': example } },
    /both .*coxswain\.yml and the inputs agent, setup, verifiers in .*\n.*Remove the inputs/,
  ],
  [
    'a release',
    { files: { ...good, '.github/workflows/coxswain.yml': example } },
    /uses your-name\/coxswain@v0, which stands for a release/,
  ],
  [
    'an event',
    { files: { ...good, '.github/workflows/coxswain.yml': workflow.replace(/^ {2}schedule:.*\n/m, '') } },
    /not started by schedule, so what was missed stays missed/,
  ],
  [
    'a permission',
    { files: { ...good, '.github/workflows/coxswain.yml': workflow.replace('checks: write, ', '') } },
    /lacks checks: write\.\n.*permissions/,
  ],
  [
    'approval without teams',
    { files: { ...good, '.github/coxswain.yml': `${minimalConfig()}approval: { by: ["@acme/core"] }\n` } },
    /@acme\/core may approve, but a workflow's token cannot read teams\.\n.*Name users or permissions/,
  ],
  [
    'approval by more than clicks',
    { files: { ...good, '.github/coxswain.yml': `${minimalConfig()}approval: { how: [button] }\n` } },
    /`approval.how` counts only clicks, and a workflow hears of none\.\n.*or use the App/,
  ],
  [
    'approval without teams for a branch',
    {
      files: {
        ...good,
        '.github/coxswain.yml': `${minimalConfig()}bases: [{ branches: next, check: next, approval: { by: ["@acme/core"], mode: auto } }]\n`,
      },
    },
    /`approval.mode: auto` waits for people in the Action alone[\s\S]*@acme\/core may approve, but a workflow's/,
  ],
])('where %s is missing, it is a problem with its mend', async (_, given, expected) => {
  const { code, out } = await doctor(given);
  expect(out).toMatch(expected);
  expect(code).toBe(1);
});

test('a workflow of an older version is told what it does not hear, which is no problem', async () => {
  const older = workflow
    .replace('issues: { types: [labeled, closed] }', 'issues: { types: [labeled] }')
    .replace(/^ {2}workflow_dispatch: .*\n/m, '');
  const { code, out } = await doctor({ files: { ...good, '.github/workflows/coxswain.yml': older } });
  expect(out).toMatch(/note .*not started by workflow_dispatch, so nobody can start it by hand\.\n.*Add it/);
  expect(out).toMatch(/note .*issues that are closed, so a run that waits for one begins with the schedule/);
  expect(code).toBe(0);
});

test('without a file the inputs are the configuration, and those of a manual start are none', async () => {
  const long = readFileSync(new URL('../../../examples/coxswain.yml', import.meta.url), 'utf8');
  const path = '.github/workflows/coxswain.yml';
  expect((await doctor({ files: { [path]: example } })).out).toMatch(/ok {7}there is no .* so the inputs in/);
  said.out = '';
  expect((await doctor({ files: { ...good, [path]: long } })).out).toMatch(
    /ok {7}\.github\/coxswain\.yml on main is valid/,
  );
});

test('a mode that has no effect in the Action alone is a note', async () => {
  const file = `${minimalConfig()}approval: { mode: auto }\n`;
  const { code, out } = await doctor({ files: { ...good, '.github/coxswain.yml': file } });
  expect(out).toMatch(
    /note {5}`approval\.mode: auto` waits for people in the Action alone\.\n.*Only the App goes on without people/,
  );
  expect(code).toBe(0);
});

test('what only administrators see is said to be unseen', async () => {
  const { code, out } = await doctor({ role: 'read' });
  expect(out).toMatch(/unseen {3}whether GitHub Actions may create pull requests/);
  expect(out).toMatch(/unseen {3}whether the secret ANTHROPIC_API_KEY is there/);
  expect(code).toBe(0);
});

test('a token for github.com is not sent elsewhere', async () => {
  vi.stubEnv('GH_TOKEN', token);
  vi.stubEnv('GH_ENTERPRISE_TOKEN', '');
  vi.stubEnv('GITHUB_ENTERPRISE_TOKEN', '');
  vi.stubEnv('GH_HOST', new URL(forge.url).host);
  expect(await runCommand(['doctor', '--action', '--repo', 'acme/x'])).toBe(2);
  expect(said.err).toContain('takes your token from GH_ENTERPRISE_TOKEN');
});

test.each([
  [['--action'], '--action is about one repository'],
  [['--action', '--repo', 'acme/x'], 'takes your token from GH_TOKEN: GH_TOKEN=$(gh auth token) coxswain'],
])('%j is refused', async (argv, message) => {
  vi.stubEnv('GH_TOKEN', '');
  vi.stubEnv('GITHUB_TOKEN', '');
  expect(await runCommand(['doctor', ...argv])).toBe(2);
  expect(said.err).toContain(message);
});

test('one that the token does not see is named', async () => {
  vi.stubEnv('GH_ENTERPRISE_TOKEN', token);
  vi.stubEnv('GH_HOST', new URL(forge.url).host);
  expect(await runCommand(['doctor', '--action', '--repo', 'acme/nothing'])).toBe(1);
  expect(said.out).toContain('GitHub does not show it to you');
});
