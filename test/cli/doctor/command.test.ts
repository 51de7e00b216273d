import { afterEach, expect, test, vi } from 'vitest';
import { runCommand } from '../../../src/cli/program.ts';

afterEach(() => vi.restoreAllMocks());

/** What a command prints, in an environment without any setting of the App, and its exit code. */
async function printed(...argv: readonly string[]): Promise<{ code: number; output: string }> {
  let output = '';
  const keep = (text: string | Uint8Array) => {
    output += String(text);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(keep);
  vi.spyOn(process.stderr, 'write').mockImplementation(keep);
  vi.stubEnv('APP_ID', '');
  const code = await runCommand(['doctor', ...argv]);
  vi.unstubAllEnvs();
  return { code, output };
}

test('doctor exits with 1 if it finds a problem', async () => {
  const { code, output } = await printed();
  expect(code).toBe(1);
  expect(output).toMatch(/^The environment\n {2}problem {2}APP_ID is not set/);
  expect(output).toMatch(/\n {2}problem {2}COXSWAIN_LEDGER_KEY is not set/);
});

test('doctor prints JSON for programs', async () => {
  const { output } = await printed('-o', 'json');
  expect(JSON.parse(output)).toMatchObject({
    version: 1,
    problems: 4,
    examined: [
      { about: 'The environment', findings: Array(4).fill({ level: 'problem', id: 'environment' }) },
    ],
  });
});

const usage = '`coxswain doctor --help` lists what it takes.\n';

test('doctor names a format that it does not know', async () => {
  expect(await printed('-o', 'xml')).toEqual({
    code: 2,
    output: `coxswain doctor: --output is "xml": expected text or json\n${usage}`,
  });
});

test.each(['widgets', 'https://github.com/acme/widgets', 'acme/', 'acme/widgets/pulls', ''])(
  'doctor does not look for the repository %j',
  async (repo) => {
    expect(await printed('--repo', repo)).toEqual({
      code: 2,
      output: `coxswain doctor: --repo is ${JSON.stringify(repo)}: expected owner/name\n${usage}`,
    });
  },
);
