import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { runCommand } from '../../src/cli/program.ts';
import { minimalConfig } from '../../src/config/schema.ts';
import { ownerIn } from '../../src/config/settings-by-base.ts';
import { heard } from './heard.ts';

/** `coxswain check` judges files as the App does, and needs nothing else. */
let said: ReturnType<typeof heard>;

beforeEach(() => {
  said = heard();
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

function file(text: string, name = 'coxswain.yml'): string {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-check-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

test('a valid file is said to be valid, and what it means', async () => {
  const path = file(minimalConfig());
  expect(await runCommand(['check', path, '--branch', 'main'])).toBe(0);
  expect(said).toEqual({
    err: '',
    out: `${path} is valid: agent claude; verifiers test; 1 approval, then ready for review; default branch main.\n`,
  });
});

test('a valid file whose mode is not manual is not said to wait for approvals alone', async () => {
  const path = file(`${minimalConfig()}approval: { mode: auto, required: 2 }\n`);
  expect(await runCommand(['check', path, '--branch', 'main'])).toBe(0);
  expect(said.out).toContain(
    'verifiers test; mode auto or 2 approvals (in the Action alone people always decide), then ready for review',
  );
});

test('all problems of a file are listed, each with its line and an example', async () => {
  const wrong = Array.from({ length: 14 }, (_, index) => `  - { name: v${index}, run: '', timeout: soon }\n`);
  expect(await runCommand(['check', file(`version: 1\nagent: clod\nverifiers:\n${wrong.join('')}`)])).toBe(1);
  expect(said.out).toMatch(/has \d+ problems:/);
  expect(said.out).toContain('agent.use (line 2)');
  expect(said.out).toContain('verifiers[0].timeout (line 4)');
  expect(said.out).toContain('verifiers[13].timeout (line 17)');
  expect(said.out).toContain('as in:\n');
});

test('the problems can be had as JSON', async () => {
  expect(
    await runCommand(['check', file('version: 1\nagent: { use: claude, modell: x }'), '-o', 'json']),
  ).toBe(1);
  const { version, files } = JSON.parse(said.out);
  expect({ version, files }).toMatchObject({
    version: 1,
    files: [{ problems: [{ path: 'agent.modell', line: 2 }] }],
  });
});

test("an operator's file is checked, and bounds the configuration", async () => {
  const operator = file('version: 1\nagents: [codex]\n', 'operator.yml');
  expect(await runCommand(['check', file(minimalConfig()), '--operator', operator])).toBe(1);
  expect(said.out).toContain(`${operator} is valid.\n`);
  expect(said.out).toMatch(/agent\.use \(line 2\): expected .*codex/);
});

test.each([
  [
    'a file that does not exist',
    ['check', '/no/such.yml'],
    /there is no file \/no\/such\.yml; .*\n\n {2}version: 1/,
  ],
  ['a folder', ['check', '/'], /could not read \//],
])('%s is told', async (_, argv, message) => {
  expect(await runCommand(argv)).toBe(1);
  expect(said.err).toMatch(message);
});

test('without a name it is the file of the repository in this folder, which may have none yet', async () => {
  expect(await runCommand(['check'])).toBe(1);
  expect(said.err).toContain('there is no file .github/coxswain.yml; a configuration to start with:');
});

test('in a clone, a team of another organization is a problem', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-check-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const git = (...words: readonly string[]) => execFileSync('git', words, { cwd: folder });
  git('init', '--quiet');
  git('remote', 'add', 'origin', 'git@github.com:Acme/api.git');
  const approval =
    "approval: { by: ['@acme/core', '@other/core'], protected_paths: [{ paths: a, by: ['@else/b'] }] }\n" +
    "bases: [{ branches: next, check: next, approval: { by: ['@third/c'] } }]\n";
  const path = file(`${minimalConfig()}${approval}`);
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
  expect(await runCommand(['check', path, '--branch', 'main'])).toBe(1);
  expect(said.out).toContain('has 3 problems');
  expect(said.out).toContain('approval.by[1]: expected a team of Acme, which owns this repository by');
  expect(said.out).toContain('approval.protected_paths[0].by[0]');
  expect(said.out).toContain('bases[0].approval.by[0]');
});

test.each([
  ['https://github.com/acme/api.git', 'acme'],
  ['ssh://git@github.com/acme/api', 'acme'],
  ['git@ghe.example.org:acme/api.git', 'acme'],
  ['/srv/git/api.git', undefined],
  ['', undefined],
])('the owner in %j is %j', (address, owner) => expect(ownerIn(address)).toBe(owner));

test('a model whose price is not known is named where its cost is to be bounded', async () => {
  const limited = (agent: string) =>
    file(minimalConfig().replace('agent: claude', `agent: ${agent}`).concat('limits: { cost_usd: 5 }\n'));
  const unknown = limited('{ use: claude, model: claude-of-tomorrow }');
  expect(await runCommand(['check', unknown])).toBe(0);
  expect(said.out).toMatch(
    / is valid: .*\nThe price of claude-of-tomorrow is not known, so `limits.cost_usd`/,
  );
  const before = said.out.length;
  const prices = '[{ model: claude-of-*, input: 1, output: 2 }]';
  const operator = file(`version: 1\nprices: ${prices}\n`, 'operator.yml');
  await runCommand(['check', unknown, '--operator', operator]);
  await runCommand(['check', limited('{ use: claude, model: claude-opus-4-5 }')]);
  await runCommand(['check', limited('claude')]);
  await runCommand(['check', file(`${minimalConfig()}agents: { x: { use: codex, model: of-tomorrow } }\n`)]);
  expect(said.out.slice(before)).not.toContain('is not known');
});

test('so is one of a worker profile, or where only the operator bounds the cost', async () => {
  const agents = '{ small: { use: codex, model: of-tomorrow, limits: { cost_usd: 1 } } }';
  expect(await runCommand(['check', file(`${minimalConfig()}agents: ${agents}\n`)])).toBe(0);
  expect(said.out).toContain('The price of of-tomorrow is not known');
  const operator = file('version: 1\nlimits: { cost_usd: 5 }\n', 'operator.yml');
  const own = file(minimalConfig().replace('agent: claude', 'agent: { use: codex, model: of-next-year }'));
  expect(await runCommand(['check', own, '--operator', operator])).toBe(0);
  expect(said.out).toContain('The price of of-next-year is not known');
});

test('stages are said with who works in them, who approves them, and who reads the work', async () => {
  const lines = `agents: { careful: { use: claude, model: opus } }
stages: [{ name: plan, agent: careful, approve: true }, implement]
pipelines: { quick: [{ name: implement, agent: codex }, review] }
review: { agent: gemini }
`;
  expect(await runCommand(['check', file(minimalConfig() + lines)])).toBe(0);
  expect(said.out).toContain(
    'stages plan by careful (people approve it), implement; a second opinion from gemini; ' +
      'pipelines quick for tasks that choose one; verifiers test',
  );
  const before = said.out.length;
  await runCommand(['check', file(`${minimalConfig()}stages: implement\n`)]);
  expect(said.out.slice(before)).not.toMatch(/stages|opinion|pipelines/);
});

test('a reviewer is called as under agents, whatever its stage is told', async () => {
  const lines = `agents: { careful: { use: claude, model: opus } }
stages: [implement, { name: review, agent: careful, instructions: Look at the names. }]
`;
  await runCommand(['check', file(minimalConfig() + lines)]);
  expect(said.out).toContain('a second opinion from careful;');
});

test('the models of stages and of second opinions need a price, too', async () => {
  const lines = `limits: { cost_usd: 5 }
agents: { reader: { use: codex, model: of-tomorrow } }
review: reader
`;
  expect(await runCommand(['check', file(minimalConfig() + lines)])).toBe(0);
  expect(said.out.match(/The price of of-tomorrow is not known/g)).toHaveLength(1);
});
