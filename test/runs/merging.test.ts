import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FinishedRun, startFinishedRun } from './finished-run.ts';
import { at } from './given-run.ts';

/** An approved run is merged as GitHub's own settings say, and not as a ledger says. */
let run: FinishedRun;

const start = (finish: string) => async () => {
  run = await startFinishedRun(finish);
};

afterEach(() => run.end());

describe('with `finish: ready`', () => {
  beforeEach(start('ready'));

  test('nothing is merged, even if the ledger wants it', async () => {
    const state = await run.approved('now');
    const settings = {
      ...state.settings,
      approval: { ...state.settings.approval, finish: 'merge' as const },
    };
    await run.open({ ...state, settings }).acts();
    expect((await run.pull()).merged).toBe(false);
    expect(run.warnings).toEqual([expect.stringContaining('its configuration says that people merge')]);
  });
});

describe('with `finish: merge`', () => {
  beforeEach(start('merge, merge_method: rebase'));

  test('the method is that of the configuration, not of the ledger', async () => {
    const state = await run.approved('now');
    const settings = {
      ...state.settings,
      approval: { ...state.settings.approval, merge_method: 'squash' as const },
    };
    await run.open({ ...state, settings }).acts();
    expect((await run.pull()).merged).toBe(true);
    const { data: merged } = await run.people.ada.rest.repos.getCommit({ ...at, ref: 'main' });
    expect(merged.commit.message).toBe('Note');
  });
});

describe('with `finish: merge` and a merge queue', () => {
  beforeEach(async () => {
    await start('merge')();
    run.forge.seed.addRuleset('acme/api', { rules: [{ type: 'merge_queue' }] });
  });

  test('an approved run is queued at the commit that was approved, once', async () => {
    run.requires({ Coxswain: run.ownApp() });
    const open = run.open(await run.approved('now'));
    await open.acts();
    await open.run.finishAgain();
    expect(await run.isQueued()).toBe(true);
    const { standing } = open.run.newest ?? {};
    expect(standing).toMatchObject({ phase: 'approved', queue: { is: 'in', by: 'coxswain[bot]' } });
    expect(run.warnings).toEqual([]);
  });
});

describe('with `finish: auto-merge`', () => {
  beforeEach(start('auto-merge'));

  test('GitHub merges by itself where the base requires our check from our App', async () => {
    run.requires({ Coxswain: run.ownApp(), ci: null });
    await run.open(await run.approved('allowed')).acts();
    expect(await run.pull()).toMatchObject({
      merged: false,
      auto_merge: { enabled_by: { login: 'coxswain[bot]' } },
    });
    await run.ciSucceeds();
    expect((await run.pull()).merged).toBe(true);
  });

  test.each([
    ['requires it from anybody', { Coxswain: null, ci: null }],
    ['does not require it', { ci: null }],
  ])('we wait and merge ourselves where the base %s', async (_, checks) => {
    run.requires(checks);
    const open = run.open(await run.approved('allowed'));
    await open.acts();
    await open.run.finishAgain();
    expect(await run.pull()).toMatchObject({ merged: false, auto_merge: null });
    const said = (await run.says()).filter((text) => text.startsWith('Approved, but GitHub does not allow'));
    expect(said).toEqual([expect.stringContaining('no rule of the base requires the check `Coxswain` with')]);
    await run.ciSucceeds();
    await open.run.finishAgain();
    expect((await run.pull()).merged).toBe(true);
  });

  test('a head that nobody approved is not merged while we wait', async () => {
    run.requires({ ci: null });
    const open = run.open(await run.approved('allowed'));
    await open.acts();
    const head = await run.pushes();
    const status = { sha: head, context: 'ci', state: 'success' } as const;
    await run.people.ada.rest.repos.createCommitStatus({ ...at, ...status });
    await open.run.finishAgain();
    expect((await run.pull()).merged).toBe(false);
    expect(open.run.newest?.approvals).toEqual([]);
  });
});

describe('auto-merge', () => {
  beforeEach(start('auto-merge'));

  test('is off before anything is drawn when an approval falls', async () => {
    run.requires({ Coxswain: run.ownApp(), ci: null });
    const open = run.open(await run.approved('allowed'));
    await open.acts();
    expect((await run.pull()).auto_merge).not.toBeNull();
    run.forge.requests.clear();
    await open.run.record({
      type: 'review_dismissed',
      id: 'x',
      at: '2026-11-22T10:00:00Z',
      review_id: 1,
      by: 'ada',
    });
    const when = '2026-11-22T10:00:00Z';
    const push = { before: run.head, head: await run.pushes(), forced: false, by: 'ada' };
    await open.run.record({ type: 'pushed', id: 'push:1', at: when, ...push });
    await open.acts();
    expect((await run.pull()).auto_merge).toBeNull();
    const writes = run.forge.requests.api.filter(
      ({ method, actor }) => method !== 'GET' && actor === 'coxswain[bot]',
    );
    expect(writes[0]?.path).toMatch(/graphql/);
  });
});
