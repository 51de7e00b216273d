import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { receiver, secret, verified } from '../notify/receiver.ts';
import { type AppFixture, expectNoProblems, startAppFixture } from './app-fixture.ts';
import { eventually } from './eventually.ts';
import type { PullClient } from './pull-client.ts';
import { config } from './widgets.ts';

/** Sessions in which people hear elsewhere what happens to a run. */
let fixture: AppFixture;

afterEach(async () => {
  try {
    expectNoProblems(fixture, /could not notify team of acme\/widgets#\d+; /);
  } finally {
    await fixture.end();
  }
});

/** The target answers with this status. */
let status = 200;

beforeEach(() => {
  status = 200;
});

async function startNotifying({ now, notify = '[team]' }: { now?: () => Date; notify?: string } = {}) {
  const team = await receiver((response) => void response.writeHead(status).end());
  const dir = mkdtempSync(join(tmpdir(), 'coxswain-notify-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const file = join(dir, 'operator.yml');
  const target = 'name: team, to: webhook, url_env: TEAM_URL, secret_env: TEAM_SECRET, private: true';
  writeFileSync(file, `version: 1\nnotify: [{ ${target} }]\n`);
  fixture = await startAppFixture({
    files: { '.github/coxswain.yml': `${config}notify: ${notify}\n` },
    variables: {
      ...{ COXSWAIN_OPERATOR_FILE: file, TEAM_URL: team.url, TEAM_SECRET: secret },
      COXSWAIN_SWEEP_EVERY: '2s',
    },
    ...(now && { now }),
  });
  const taken = () => team.received.map((each) => ({ id: each.headers['webhook-id'], ...verified(each) }));
  const told = (count: number) =>
    eventually(`message ${count}`, async () => (taken().length >= count ? taken() : undefined));
  return { team, taken, told };
}

/** What the ledger says is still to be sent. */
async function owedBy(pull: PullClient): Promise<readonly string[]> {
  const { state } = await pull.ledger();
  return state.owed.flatMap((effect) => (effect.do === 'notify' ? [effect.event] : []));
}

test('a team hears when it is waited for, what it would decide on, and how the run ended', async () => {
  const { told } = await startNotifying();
  const { ada, bob } = fixture;
  const pull = await ada.starts('Make it fine');
  const [first] = await told(1);
  expect(first).toMatchObject({
    type: 'approval_requested',
    data: {
      run: `acme/widgets#${pull.number}`,
      title: expect.stringContaining('Coxswain finished Widgets are wrong'),
      text: expect.stringContaining('Did work in iteration 0'),
      url: expect.stringContaining(`/acme/widgets/pull/${pull.number}`),
    },
  });
  await ada.says(pull, '/steer also mind the empty list');
  const [, second] = await told(2);
  expect(second).toMatchObject({ data: { title: expect.stringContaining('Steering iteration 1 complete') } });
  await bob.says(pull, '/reject not now');
  const all = await told(3);
  expect(all.map(({ type }) => type)).toEqual(['approval_requested', 'approval_requested', 'run_finished']);
  expect(new Set(all.map(({ id }) => id)).size).toBe(3);
  await eventually('nothing is owed', async () => ((await owedBy(pull)).length === 0 ? true : undefined));
});

test('what could not be sent before a crash is sent by the next process, once', async () => {
  let ahead = 0;
  const { team, taken, told } = await startNotifying({ now: () => new Date(Date.now() + ahead) });
  status = 503;
  const { ada } = fixture;
  const pull = await ada.starts('Make it fine');
  await told(2);
  fixture.app.kill();
  status = 200;
  team.received.length = 0;
  ahead = 2 * 60_000;
  await fixture.start();
  const [message] = await told(1);
  expect(message?.type).toBe('approval_requested');
  await eventually('nothing is owed', async () => ((await owedBy(pull)).length === 0 ? true : undefined));
  await fixture.app.stop();
  expect(taken()).toHaveLength(1);
});

test('a target that is away for a day is given up, which the run says, and nothing else waits for it', async () => {
  let ahead = 0;
  const { told } = await startNotifying({ now: () => new Date(Date.now() + ahead) });
  status = 500;
  const { ada } = fixture;
  const pull = await ada.starts('Make it fine');
  await pull.waitForPhase('awaiting_approval');
  await told(1);
  expect(await owedBy(pull)).toEqual(['approval_requested']);
  ahead = 24 * 3_600_000 + 60_000;
  const { output } = await eventually('what the check says', async () => {
    const check = await pull.check('Coxswain');
    return check.output.summary?.includes('team:') ? check : undefined;
  });
  expect(output.summary).toMatch(/not told elsewhere:\n\n- team: 127\.0\.0\.1:\d+ answered 500/);
});
