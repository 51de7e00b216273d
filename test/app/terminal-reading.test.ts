import { readdirSync } from 'node:fs';
import { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inboxEntryShape, runShape } from '../../src/doors/report/report-shapes.ts';
import { seqMark } from '../../src/github/marks.ts';
import type { State } from '../../src/steering/state/state.ts';
import { name } from './app-fixture.ts';
import { freePort } from './app-process.ts';
import { eventually } from './eventually.ts';
import { forgeLedger } from './forged-ledger.ts';
import { at } from './person.ts';
import { type Terminal, terminalOf } from './terminal.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from './waiting-runs.ts';

let given: FixtureWithRuns;
let grace: Terminal;
let run: string;

beforeAll(async () => {
  given = await startFixtureWithRuns();
  grace = terminalOf(given.fixture, given.fixture.grace);
  run = `acme/widgets#${given.next().number}`;
});

afterAll(() => given.fixture.end());

test('shows where a run stands, and its facts for scripts', async () => {
  const { code, out, err } = await grace.run(['status', '--run', run]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^Status: awaiting_approval\nRun: acme\/widgets#\d+, iteration 0 of 5, attempt 1\n/);
  expect(out).toContain(
    '\nRepository: widgets\n  Summary: 1 file changed, +2, -1\n  modified src/0.txt (+2/-1)\n',
  );
  const json = await grace.run(['status', '--run', run, '-o', 'json']);
  expect(runShape.parse(JSON.parse(json.out))).toMatchObject({ trust: 'verified', run });
  const some = await grace.run(['status', '--run', run, '-o', 'json=phase,trust']);
  expect(JSON.parse(some.out)).toEqual({ phase: 'awaiting_approval', trust: 'verified' });
});

test('says why, without Markdown, and without what nobody sees', async () => {
  const { code, out } = await grace.run(['why', '--run', run], { env: { FORCE_COLOR: '1' } });
  expect(code).toBe(0);
  expect(out).toMatch(/^component +weight +value +evidence$/m);
  expect(out).toContain('\nWhat the tests are worth\n');
  expect(out).not.toMatch(/\*\*|`|\||\p{Cf}|\p{Default_Ignorable_Code_Point}/u);
});

test('shows a change as a summary, whole, and in part', async () => {
  const summary = await grace.run(['diff', '--run', run]);
  expect(summary.out).toBe(
    'Repository: widgets\n  Summary: 1 file changed, +2, -1\n  modified src/0.txt (+2/-1)\n',
  );
  const whole = await grace.run(['diff', '--run', run, '--full', '--file', 'src']);
  expect(whole.out).toMatch(/\n-as it was\n\+fine\n\+iteration 0, attempt 1\n$/);
  const cut = await grace.run(['diff', '--run', run, '--max-lines', '2']);
  expect(cut.out).toMatch(
    /\n\+fine\n\.\.\. \(truncated\)\n\nIt is too long to be shown in full: --web opens all of it\.\n$/,
  );
  expect(await grace.run(['diff', '--run', run, '--max-lines', 'x'])).toMatchObject({ code: 2, out: '' });
});

test('shows what verifiers printed, what happened, and who settled what', async () => {
  const logs = await grace.run(['logs', '--run', run, '--verifier', 'test']);
  expect(logs.out).toBe('[PASS] widgets:test (exit code: 0)\n');
  const none = await grace.run(['logs', '--run', run, '--verifier', 'absent']);
  expect(none).toMatchObject({ code: 1, err: 'coxswain logs: no verifier called absent has run\n' });
  const history = await grace.run(['history', '--run', run]);
  expect(history.out).toMatch(/^when +what\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC {2}\S/);
  expect((await grace.run(['audit', '--run', run])).out).toBe('Nothing has been settled yet.\n');
  const { out } = await grace.run(['export', '--run', run]);
  expect(JSON.parse(out)).toMatchObject({
    trust: 'verified',
    state: { version: 3 },
    events: expect.any(Array),
  });
});

test('lists what waits, in a pipe and for scripts', async () => {
  const { out, code } = await grace.run(['inbox']);
  expect(code).toBe(0);
  expect(out).toMatch(/^run +asks for +risk +for +title\nacme\/widgets#\d+ +approval +low +\S/);
  const json = await grace.run(['inbox', '-o', 'json', '--repo', 'acme/widgets', '--risk', 'low']);
  expect(inboxEntryShape.array().parse(JSON.parse(json.out)).length).toBeGreaterThan(1);
  expect((await grace.run(['inbox', '--risk', 'high'])).out).toBe('No run waits for people.\n');
  expect(await grace.run(['inbox', '--risk', 'hi'])).toMatchObject({ code: 2 });
  expect((await grace.run(['runs', '-o', 'json=run'])).out).toContain(run);
});

test('says what it could not verify', async () => {
  const { fixture, next } = given;
  const pull = next();
  await forgeLedger(fixture, fixture.bob, { pull, change: (state) => ({ ...state, iteration: 4 }) });
  const { code, out, err } = await grace.run(['status', '--run', `acme/widgets#${pull.number}`]);
  expect(code).toBe(0);
  expect(out).toContain('iteration 4 of 5');
  expect(err).toMatch(
    /^Not verified: its ledger has gone on since number 4, which .* names, to number 5\.\n$/,
  );
});

test('says nothing for verified that somebody has added to a ledger behind what the App names', async () => {
  const { fixture, next } = given;
  const pull = next();
  const words = 'approve by ada';
  // It would say itself that this is not its ledger.
  await fixture.app.stop();
  await forgeLedger(fixture, fixture.bob, { pull, words, change: (state) => state });
  for (const command of ['history', 'export']) {
    const { code, out, err } = await grace.run([command, '--run', `acme/widgets#${pull.number}`]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).not.toContain(words);
  }
  await fixture.start();
});

test('believes no check run of a workflow, whatever it says', async () => {
  const { fixture, next } = given;
  const pull = next();
  await fixture.app.stop();
  const change = (state: State) => ({ ...state, iteration: 4 });
  const commit = await forgeLedger(fixture, fixture.bob, { pull, change });
  const auth = fixture.forge.seed.actionsToken(name, { checks: 'write' });
  const { state } = await pull.ledger();
  await new Octokit({ baseUrl: fixture.forge.apiUrl, auth }).rest.checks.create({
    ...{ ...at, name: 'Coxswain', head_sha: state.head, external_id: `approval:${pull.number}:99` },
    output: { title: 'Coxswain', summary: 'Fine', text: seqMark(state.seq, commit) },
  });
  const status = ['status', '--run', `acme/widgets#${pull.number}`];
  expect((await grace.run(status)).err).toMatch(/^Not verified: its ledger has gone on since number 4/);
  const named = await grace.run(status, { env: { COXSWAIN_APP: 'github-actions' } });
  expect(named.err).toMatch(/^Not verified: .* any workflow of the repository can make the check runs/);
  await fixture.start();
});

describe('what goes wrong', () => {
  test('a run that does not exist, a token that is none, a GitHub that does not answer', async () => {
    const absent = await grace.run(['status', '--run', 'acme/widgets#4711']);
    expect(absent).toMatchObject({ code: 1, out: '' });
    expect(absent.err).toContain('there is no such repository or run, or your token cannot see it');
    const bad = await grace.run(['inbox'], { env: { GH_ENTERPRISE_TOKEN: 'nonsense' } });
    expect(bad).toMatchObject({ code: 1, out: '' });
    const gone = await grace.run(['inbox'], { env: { GH_HOST: '127.0.0.1:9' } });
    expect(gone).toMatchObject({ code: 3, out: '' });
    const address = `http://127.0.0.1:${await freePort()}`;
    const server = await grace.run(['status', '--run', run, '--server', address]);
    expect(server).toMatchObject({
      code: 3,
      err: expect.stringContaining(`coxswain status: ${address} cannot be reached: fetch failed`),
    });
  });

  test('a rate limit, and a single sign-on', async () => {
    const { forge } = given.fixture;
    forge.seed.fault({ path: /\/search\/issues/, times: 1, status: 429, headers: { 'retry-after': '3000' } });
    const limited = await grace.run(['inbox']);
    expect(limited).toMatchObject({ code: 3 });
    expect(limited.err).toMatch(/rate limit is used up until \d\d:\d\d:\d\d UTC/);
    const link = 'https://github.com/orgs/acme/sso?authorization_request=A1';
    const headers = { 'x-github-sso': `required; url=${link}` };
    // The App asks for pull requests, too, and would take the answer.
    forge.seed.fault({ path: /\/search\/issues/, times: 1, status: 403, headers });
    const blocked = await grace.run(['runs']);
    expect(blocked).toMatchObject({ code: 1, err: expect.stringContaining(link) });
  });

  test('Ctrl-C leaves nothing behind', async () => {
    const { forge } = given.fixture;
    const before = readdirSync(grace.home);
    forge.seed.fault({ path: /git-upload-pack/, times: 3, delay_ms: 10_000 });
    const running = grace.start(['status', '--run', run]);
    await eventually(
      'a folder for the ledger',
      () => readdirSync(grace.home).some((name) => name.startsWith('coxswain-reading-')) || undefined,
    );
    running.signal('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130 });
    expect(readdirSync(grace.home)).toEqual(before);
  });
});

test('prunes the ledgers of ended runs, and of no others', async () => {
  const { fixture, next } = given;
  const pull = next();
  await fixture.ada.says(pull, '/cancel');
  await pull.waitForClosed();
  const args = ['prune', '--repo', 'acme/widgets', '--older', '0h'];
  const ada = terminalOf(fixture, fixture.ada);
  const ref = `refs/coxswain/closed/${pull.number}`;
  await eventually(
    'a ledger that can be pruned',
    async () => (await ada.run([...args, '--dry-run'])).out.includes(ref) || undefined,
  );
  expect(await grace.run([...args, '--yes'])).toMatchObject({ code: 1 });
  expect(await ada.run(args)).toMatchObject({ code: 2 });
  const { code, out, err } = await ada.run([...args, '--yes']);
  expect({ code, err }).toEqual({ code: 0, err: 'Deleted 1.\n' });
  expect(out).toMatch(new RegExp(`^ledger +ended\n${ref} +\\d{4}-\\d\\d-\\d\\d\n$`));
  expect((await ada.run(args)).out).toBe('No run of acme/widgets ended longer than 0h ago.\n');
});
