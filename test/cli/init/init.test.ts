import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Forge, startForge } from '@coxswain/forge';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { runCommand } from '../../../src/cli/program.ts';
import { heard } from '../heard.ts';

/** `coxswain init` in real clones, as somebody would use it who has never seen it. */
let said: ReturnType<typeof heard>;
let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'coxswain-init-')));
  said = heard();
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const git = (...args: readonly string[]) => execFileSync('git', [...args], { cwd: folder, stdio: 'pipe' });

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function clone(files: Readonly<Record<string, string>>, origin = 'git@github.com:acme/api.git'): void {
  git('init', '--quiet', '--initial-branch=main');
  git('remote', 'add', 'origin', origin);
  write(files);
  git('add', '--all');
  git('-c', 'user.name=ada', '-c', 'user.email=ada@example.org', 'commit', '--quiet', '-m', 'First');
}

/** The exit code of `coxswain init` in this folder. */
function init(...argv: readonly string[]): Promise<number> {
  vi.spyOn(process, 'cwd').mockReturnValue(argv[0]?.startsWith('/') ? argv[0] : folder);
  return runCommand(['init', ...argv.filter((each) => !each.startsWith('/'))]);
}

const text = (path: string) => readFileSync(join(folder, path), 'utf8');
const config = '.github/coxswain.yml';
const workflow = '.github/workflows/coxswain.yml';
const form = '.github/ISSUE_TEMPLATE/coxswain.yml';
const node = {
  'package.json':
    '{"scripts": {"test": "vitest", "lint": "eslint ."}, "devDependencies": {"typescript": "5"}}',
  'package-lock.json': '{}',
};

test('says what it found, what it wrote and what is left, in order', async () => {
  clone(node);
  expect(await init('--yes')).toBe(0);
  expect(said.err).toBe('');
  expect(said.out.replaceAll(folder, '<folder>')).toMatchInlineSnapshot(`
    "acme/api (<folder>): TypeScript with npm.

      setup  npm ci        package-lock.json
      test   npm test      script "test" in package.json
      lint   npm run lint  script "lint" in package.json

    Wrote .github/coxswain.yml.
    Wrote .github/workflows/coxswain.yml.
    Wrote .github/ISSUE_TEMPLATE/coxswain.yml.

    What is left, in order:

    1. Try the commands here: if one already fails, no work can ever be green.
         npm ci && npm test && npm run lint
    2. Name a release of Coxswain in line 18 of .github/workflows/coxswain.yml, in place of your-name/coxswain@v0:
       a clone does not know where one is. Without one, make it in a fork of yours (CONTRIBUTING.md, "Release").
    3. Commit to the default branch, main: nothing else counts.
         git add .github/coxswain.yml .github/workflows/coxswain.yml .github/ISSUE_TEMPLATE/coxswain.yml && git commit -m "Add Coxswain" && git push
    4. Store the key of Claude Code's model as a secret. The command prompts for it, so it stays out of your shell history:
         gh secret set ANTHROPIC_API_KEY --repo acme/api
    5. Tick "Allow GitHub Actions to create and approve pull requests", at the end of
         https://github.com/acme/api/settings/actions
    6. Comment \`/run\` on an issue: https://github.com/acme/api/issues
       A draft pull request answers it, and \`/help\` there lists what you can say.
    "
  `);
  const checked = await runCommand(['check', join(folder, config)]);
  expect(checked).toBe(0);
});

test('writes nothing but three files, whole', async () => {
  clone(node);
  write({ 'notes.txt': 'not committed' });
  await init('--yes', '--agent', 'codex', '--action', 'acme/coxswain@v1');
  expect(String(git('status', '--porcelain', '--untracked-files=all'))).toBe(
    `?? ${form}\n?? ${config}\n?? ${workflow}\n?? notes.txt\n`,
  );
  expect(text(config)).toContain('agent: codex\n');
  expect(text(workflow)).toContain('- uses: acme/coxswain@v1\n        env: { OPENAI_API_KEY: ');
  expect(said.out).toContain('gh secret set OPENAI_API_KEY --repo acme/api');
  expect(said.out).not.toContain('your-name');
});

test('an agent that needs a model gets one', async () => {
  clone(node);
  await init('--yes', '--agent', 'copilot');
  expect(text(config)).toMatch(/^agent: \{ use: copilot, model: .+ \}$/m);
  expect(await runCommand(['check', join(folder, config)])).toBe(0);
});

test('finds the root from a folder below it', async () => {
  clone({ ...node, 'src/a.ts': '' });
  expect(await init(join(folder, 'src'), '--yes')).toBe(0);
  expect(existsSync(join(folder, config))).toBe(true);
  expect(said.out).toContain('cd .. && git add .github/coxswain.yml');
});

test('for an App there is no workflow, no secret and no setting', async () => {
  clone(node);
  expect(await init('--yes', '--app')).toBe(0);
  expect(existsSync(join(folder, workflow))).toBe(false);
  expect(said.out).not.toMatch(/gh secret|settings\/actions/);
  expect(said.out).toContain('coxswain doctor --repo acme/api');
});

describe('with --check', () => {
  let forge: Forge;
  let token: string;

  beforeAll(async () => {
    forge = await startForge();
    forge.seed.addOrganization('acme');
    token = forge.seed.addUser('ada');
    await forge.seed.addRepository({ owner: 'acme', name: 'api', files: node });
    forge.seed.setCollaborator('acme/api', 'ada', 'admin');
  });
  afterAll(() => forge.stop());
  afterEach(() => vi.unstubAllEnvs());

  test('what GitHub says is done is not left to do', async () => {
    vi.stubEnv('GH_ENTERPRISE_TOKEN', token);
    vi.stubEnv('GH_HOST', new URL(forge.url).host);
    clone(node, `${forge.url}/acme/api.git`);
    forge.seed.settings('acme/api', { actions_may_create_pull_requests: true });
    expect(await init('--yes', '--check')).toBe(0);
    expect(said.out).toContain('GitHub says: GitHub Actions may create pull requests.\n');
    expect(said.out).not.toContain('settings/actions');
    expect(said.out).toContain('gh secret set ANTHROPIC_API_KEY');
  });

  test('nothing is written without a token for that host', async () => {
    vi.stubEnv('GH_TOKEN', token);
    vi.stubEnv('GH_ENTERPRISE_TOKEN', '');
    vi.stubEnv('GITHUB_ENTERPRISE_TOKEN', '');
    vi.stubEnv('GH_HOST', new URL(forge.url).host);
    clone(node, `${forge.url}/acme/api.git`);
    expect(await init('--yes', '--check')).toBe(2);
    expect(said.err).toContain('takes your token from GH_ENTERPRISE_TOKEN');
    expect(existsSync(join(folder, '.github'))).toBe(false);
  });

  test.each(['', 'ghe.example.org'])(
    'a host that only the clone names gets no token: GH_HOST=%s',
    async (host) => {
      vi.stubEnv('GH_ENTERPRISE_TOKEN', token);
      vi.stubEnv('GH_HOST', host);
      clone(node, `${forge.url}/acme/api.git`);
      const before = forge.requests.total;
      expect(await init('--yes', '--check')).toBe(2);
      expect(said.err).toContain(`set GH_HOST=${new URL(forge.url).host}`);
      expect(forge.requests.total).toBe(before);
      expect(existsSync(join(folder, '.github'))).toBe(false);
    },
  );
});

describe('a file that is there', () => {
  const own = 'version: 1\nagent: codex\n';

  test('is left as it is, and what it says counts', async () => {
    clone({ ...node, [config]: own });
    expect(await init('--yes')).toBe(0);
    expect(text(config)).toBe(own);
    expect(said.out).toContain('already exists and was left as it is; --force replaces it');
    expect(said.out).toContain('  +  - { name: test, run: npm test }');
    expect(said.out).toContain('gh secret set OPENAI_API_KEY');
  });

  test('is never replaced if it is the form of issues', async () => {
    clone({ ...node, [form]: 'name: Ours\n' });
    expect(await init('--yes', '--force')).toBe(0);
    expect(text(form)).toBe('name: Ours\n');
    expect(said.out).not.toContain(form);
  });

  test('with inputs in the place of a configuration is to be changed', async () => {
    const example = readFileSync(new URL('../../../examples/claude.yml', import.meta.url), 'utf8');
    clone({ ...node, [workflow]: example });
    await init('--yes');
    expect(text(workflow)).toBe(example);
    expect(said.out).toContain(`Remove agent, setup, verifiers under \`with\` in ${workflow}`);
  });

  test('that is wrong is to be corrected first', async () => {
    clone({ ...node, [config]: 'version: 2\n' });
    expect(await init('--yes')).toBe(0);
    expect(said.out).toContain(`1. Correct ${config}, which is not valid: \`coxswain check\` lists`);
  });

  test('is replaced with --force', async () => {
    clone({ ...node, [config]: own });
    expect(await init('--yes', '--force', '--agent', 'claude')).toBe(0);
    expect(text(config)).toContain('agent: claude');
    expect(said.out).toContain(`Replaced ${config}.`);
  });

  test('is not told twice once all is committed', async () => {
    clone(node);
    await init('--yes');
    git('add', '--all');
    git('-c', 'user.name=ada', '-c', 'user.email=ada@example.org', 'commit', '--quiet', '-m', 'Second');
    said.out = '';
    expect(await init('--yes')).toBe(0);
    expect(said.out).toContain(`${config} already exists, exactly like this.`);
    expect(said.out).not.toContain('git add');
  });

  test('of another name that runs Coxswain is the workflow', async () => {
    clone({
      ...node,
      '.github/workflows/agent.yml':
        'jobs: {a: {steps: [\n  { run: x }]}}\n#\n      - uses: acme/coxswain@v1\n',
    });
    await init('--yes');
    expect(existsSync(join(folder, workflow))).toBe(false);
  });
});

test('when one file cannot be written, none is', async () => {
  clone({ ...node, '.github/workflows': 'a file' });
  expect(await init('--yes')).toBe(1);
  expect(said.err).toContain(workflow);
  expect(readdirSync(join(folder, '.github'))).toEqual(['workflows']);
});

describe('a clone that others have made', () => {
  test.each(['.github', '.github/workflows', config])(
    'with %s as a link is not written through',
    async (path) => {
      const outside = mkdtempSync(join(tmpdir(), 'coxswain-init-outside-'));
      try {
        clone(node);
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        symlinkSync(outside, join(folder, path));
        expect(await init('--yes', '--force')).toBe(1);
        expect(said.err).toContain(`${path} is a symbolic link`);
        expect(readdirSync(outside)).toEqual([]);
      } finally {
        rmSync(outside, { recursive: true, force: true });
      }
    },
  );

  test('puts nothing into the terminal or into commands to copy', async () => {
    clone({ 'a\u001b[2J/package.json': node['package.json'] });
    write({ '.github/workflows/$(id).yml': 'on: push\n#\n      - uses: acme/coxswain@v1\n' });
    expect(await init('--yes')).toBe(0);
    expect(said.out).not.toContain('\u001b');
    expect(said.out).toContain(`git add ${config} '.github/workflows/$(id).yml' ${form} && git commit`);
  });
});

describe('what is no clone of a repository on GitHub is refused', () => {
  test('a folder without Git', async () => {
    expect(await init('--yes')).toBe(1);
    expect(said.err).toBe(
      `coxswain init: ${folder} is not in a Git repository: expected a clone of your own repository, as in \`git clone https://github.com/acme/api && cd api\`\n`,
    );
  });

  test('a bare repository', async () => {
    git('init', '--quiet', '--bare');
    expect(await init('--yes')).toBe(1);
    expect(said.err).toContain('is a bare repository: expected a clone with files');
  });

  test('one without a commit', async () => {
    git('init', '--quiet');
    expect(await init('--yes')).toBe(1);
    expect(said.err).toContain('has no commit yet');
  });

  test('one without an origin, unless its name is given', async () => {
    clone(node);
    git('remote', 'remove', 'origin');
    expect(await init('--yes')).toBe(1);
    expect(said.err).toContain('has no remote named origin');
    expect(await init('--yes', '--repo', 'acme/other')).toBe(0);
    expect(said.out).toContain('--repo acme/other');
  });

  test.each([
    'https://ada:hunter2@gitlab.com/acme/api.git',
    '/srv/git/api.git',
    '../api',
    'https://github.com/acme',
  ])('one from %s', async (origin) => {
    clone(node, origin);
    expect(await init('--yes')).toBe(1);
    expect(said.err).toContain('expected the address of the repository on GitHub');
    expect(said.err).not.toContain('hunter2');
    expect(existsSync(join(folder, '.github'))).toBe(false);
  });
});
