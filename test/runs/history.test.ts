import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { git } from '../../src/git/git.ts';
import { outcomesRef } from '../../src/ledger/format.ts';
import { openFormerRuns } from '../../src/repository/former-runs.ts';
import type { EventOf } from '../../src/steering/state/event.ts';
import { seals } from '../ledger/identity.ts';
import { attemptOn } from './attempt-on.ts';
import { type GivenRun, startGivenRun } from './given-run.ts';

/** Whether former runs are asked about, when a commit is verified. */
let given: GivenRun;
let home: string;

const start = async (mode: string) => {
  given = await startGivenRun(`approval: { mode: ${mode} }\n`);
};

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'coxswain-history-'));
});

afterEach(async () => {
  await given.end();
  await rm(home, { recursive: true, force: true });
});

async function verified(): Promise<Partial<EventOf<'verified'>>> {
  const found: EventOf<'verified'>[] = [];
  const formerRuns = openFormerRuns(home, given.services.log, seals);
  await attemptOn(given, home, {
    formerRuns,
    recorded: async (_, event) => void (event.type === 'verified' && found.push(event)),
  });
  return found[0] ?? {};
}

test('where only people decide, nobody counts former runs', async () => {
  await start('manual');
  expect(await verified()).not.toHaveProperty('merged_runs');
});

test.each(['auto', 'confidence_threshold'])(
  'in mode %s an agent without former runs has none',
  async (mode) => {
    await start(mode);
    const event = await verified();
    expect(event.merged_runs).toBe(0);
    expect(event).not.toHaveProperty('notices');
  },
);

test('a record that is not ours is said on the pull request', async () => {
  await start('auto');
  const { dir } = await given.repository.mirror();
  await git(['push', '--quiet', given.repository.remote.url, `main:${outcomesRef}`], {
    cwd: dir,
    remote: given.repository.remote,
  });
  const event = await verified();
  expect(event.merged_runs).toBe(0);
  expect(event.notices).toEqual([
    'The record of former runs (refs/coxswain/outcomes) cannot be used: it has no outcomes.jsonl of ours. ' +
      'So this counts as new ground.',
  ]);
  expect(given.warnings.join('\n')).toContain(
    'former runs count for nothing: it has no outcomes.jsonl of ours',
  );
});
