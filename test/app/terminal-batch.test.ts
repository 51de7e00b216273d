import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from './eventually.ts';
import { forgeLedger } from './forged-ledger.ts';
import { at } from './person.ts';
import type { PullClient } from './pull-client.ts';
import { type Terminal, terminalOf } from './terminal.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from './waiting-runs.ts';

let given: FixtureWithRuns;
let ada: Terminal;

beforeAll(async () => {
  given = await startFixtureWithRuns();
  ada = terminalOf(given.fixture, given.fixture.ada);
});

afterAll(() => given.fixture.end());

async function approvalsOn({ number }: PullClient): Promise<readonly string[]> {
  const { octokit } = given.fixture.ada;
  const { data } = await octokit.rest.issues.listComments({ ...at, issue_number: number, per_page: 100 });
  return data.flatMap(({ body = '' }) => body.match(/^\/approve .*$/gm) ?? []);
}

test('approves all that waits, by the commits that were shown, and nothing that is risky or not proven', async () => {
  const { fixture, next } = given;
  const { ada: person, bob, forge } = fixture;
  const [forged, first, second] = [next(), next(), next()];
  const risky = await person.starts('agent: secret');
  await risky.waitForPhase('awaiting_permission');

  await forgeLedger(fixture, bob, { pull: forged, change: (state) => ({ ...state, max_iterations: 9 }) });
  const unconfirmed = await ada.run(['approve', '--all']);
  expect(unconfirmed).toMatchObject({ code: 2, out: '' });
  expect(unconfirmed.err).toContain('--yes');
  expect(unconfirmed.err).toMatch(
    new RegExp(`acme/widgets#${forged.number} +not verified: its ledger has gone on`),
  );
  // In a ledger that is not proven, the risk may be, too.
  const alone = await ada.run(['approve', '--run', `acme/widgets#${forged.number}`]);
  expect(alone).toMatchObject({ code: 1, out: '', err: expect.stringContaining('its risk is not known') });
  expect(await ada.run(['approve', '--all', '--sha', '1234567'])).toMatchObject({ code: 2, out: '' });

  expect(await ada.run(['reject', '--all', '--yes'])).toMatchObject({ code: 2, out: '' });

  // Ctrl-C after the first one: whoever runs it again goes on.
  const running = ada.start(['approve', '--all', '--yes']);
  await eventually('the first result', () => /approved|Approved|done/i.test(running.said()) || undefined, {
    instead: running.said,
  });
  running.signal('SIGINT');
  expect((await running.ended).code).toBe(130);

  // GitHub asks to be left alone for a moment.
  forge.seed.fault({
    method: 'POST',
    path: /\/comments/,
    times: 1,
    status: 429,
    headers: { 'retry-after': '1' },
  });
  const { code, out } = await ada.run(['approve', '--all', '--yes']);
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(/ 0 refused, 0 not taken up yet, [01] left out\.\n$/),
  });
  for (const pull of [first, second]) {
    expect(await approvalsOn(pull)).toEqual([`/approve ${await pull.head()}`]);
    await pull.waitForPhase('approved').catch(() => pull.waitForPhase('done'));
  }
  for (const pull of [forged, risky]) expect(await approvalsOn(pull)).toEqual([]);

  const again = await ada.run(['approve', '--all', '--yes', '-o', 'json']);
  expect(again.code).toBe(0);
  // Nothing is said twice, and of the ledger that somebody forged nothing at all.
  expect(JSON.parse(again.out).filter(({ status }: { status: string }) => status !== 'left_out')).toEqual([]);

  const rejected = await ada.run(['reject', '--all', '--kind', 'permission', '--yes', '-m', 'Not needed']);
  expect(rejected).toMatchObject({ code: 0, out: expect.stringContaining('0 settled') });
  expect(rejected.err).toMatch(
    new RegExp(`acme/widgets#${risky.number} +its risk is \\w+, so it has to be looked at alone`),
  );
});

test('leaves out what is no longer as it was shown', async () => {
  const { ada: person, bob, forge } = given.fixture;
  const first = await person.starts('Make it fine (6)');
  await first.waitForPhase('awaiting_approval');
  const second = await person.starts('Make it fine (7)');
  await second.waitForPhase('awaiting_approval');
  const slow = { method: 'POST', path: new RegExp(`/issues/${first.number}/comments`), delay_ms: 8000 };
  forge.seed.fault({ ...slow, times: 1 });
  const running = ada.start(['approve', '--all', '--yes']);
  await eventually('the table', () => running.said().includes(`#${second.number} `) || undefined, {
    instead: running.said,
  });
  await bob.says(second, '/reject No');
  await second.waitForPhase('rejected');
  expect((await running.ended).out).toContain(`#${second.number}: it no longer waits for anybody\n`);
  expect(await approvalsOn(second)).toEqual([]);
  expect(await approvalsOn(first)).toEqual([`/approve ${await first.head()}`]);
});

test('rejects with a reason, and says what Coxswain refuses', async () => {
  const { fixture } = given;
  const grace = terminalOf(fixture, fixture.grace);
  const refused = await grace.run(['reject', '--all', '--yes', '-m', 'No longer needed']);
  expect(refused).toMatchObject({ code: 0, out: expect.stringContaining('0 settled') });
  const retried = await ada.run(['retry', '--all', '--yes']);
  expect(retried.err).toMatch(/^No run can be settled by \/retry now\./);
});
