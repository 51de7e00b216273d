import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { State } from '../../src/steering/state.ts';
import { at, type GivenRun, startGivenRun } from './given-run.ts';

/** An approved run is merged as GitHub's own settings say, and not as a ledger says. */
let run: GivenRun;

const name = 'acme/api';
const finished = { phase: 'approved', finish: 'finished' } as const;

const start = (finish: string) => async () => {
  run = await startGivenRun(`approval: { finish: ${finish} }\n`);
  run.forge.seed.settings(name, { allow_auto_merge: true });
};

afterEach(() => run.end());

/** A finished run with an approval that Mia has really given, and the merge that its ledger wants. */
async function approved(when: 'now' | 'allowed', changed: Partial<State> = {}): Promise<State> {
  const { head } = run;
  const owed = [{ id: 'x:merge', do: 'merge', head_sha: head, when } as const];
  return run.waiting({ standing: finished, approvals: [await run.approves(head)], owed, ...changed });
}

async function pull() {
  return (await run.people.ada.rest.pulls.get({ ...at, pull_number: run.number })).data;
}

/** Requires checks for merging into `main`, each from an App or, with null, from anybody. */
function requires(checks: Readonly<Record<string, number | null>>): void {
  const required_status_checks = Object.entries(checks).map(([context, app]) =>
    app === null ? { context } : { context, integration_id: app },
  );
  run.forge.seed.addRuleset(name, {
    rules: [{ type: 'required_status_checks', parameters: { required_status_checks } }],
  });
}

const ownApp = () => {
  const { app } = run.repository.own;
  return 'id' in app ? app.id : null;
};

async function ciSucceeds(): Promise<void> {
  const status = { sha: run.head, context: 'ci', state: 'success' } as const;
  await run.people.ada.rest.repos.createCommitStatus({ ...at, ...status });
}

/** The comments of the App. */
async function says(): Promise<readonly string[]> {
  const { data } = await run.people.ada.rest.issues.listComments({ ...at, issue_number: run.number });
  return data.filter(({ user }) => user?.type === 'Bot').map(({ body = '' }) => body);
}

describe('with `finish: ready`', () => {
  beforeEach(start('ready'));

  test('nothing is merged, even if the ledger wants it', async () => {
    const state = await approved('now');
    const settings = {
      ...state.settings,
      approval: { ...state.settings.approval, finish: 'merge' as const },
    };
    await run.open({ ...state, settings }).acts();
    expect((await pull()).merged).toBe(false);
    expect(run.warnings).toEqual([expect.stringContaining('its configuration says that people merge')]);
  });
});

describe('with `finish: merge`', () => {
  beforeEach(start('merge, merge_method: rebase'));

  test('the method is that of the configuration, not of the ledger', async () => {
    const state = await approved('now');
    const settings = {
      ...state.settings,
      approval: { ...state.settings.approval, merge_method: 'squash' as const },
    };
    await run.open({ ...state, settings }).acts();
    expect((await pull()).merged).toBe(true);
    const { data: merged } = await run.people.ada.rest.repos.getCommit({ ...at, ref: 'main' });
    expect(merged.commit.message).toBe('Note');
  });

  test.each([
    ['the base was just moved', 405, 'Base branch was modified. Review and try the merge again.'],
    ['the head was just moved', 409, 'Head branch was modified. Review and try the merge again.'],
  ])('a refusal because %s is not told, and the merge is tried again', async (_, status, message) => {
    const open = run.open(await approved('now'));
    run.forge.seed.fault({
      ...{ method: 'PUT', path: /\/pulls\/\d+\/merge$/, times: 1 },
      ...{ status, body: { message } },
    });
    await expect(open.acts()).rejects.toThrow(message);
    await open.acts();
    expect((await pull()).merged).toBe(true);
    expect((await says()).filter((text) => text.includes('does not allow'))).toEqual([]);
  });
});

test('a look at a draft that was not made ready yet merges it, and reports no refusal', async () => {
  await start('merge')();
  const { node_id } = await pull();
  const toDraft =
    'mutation ($id: ID!) { convertPullRequestToDraft(input: { pullRequestId: $id }) { pullRequest { id } } }';
  await run.people.ada.graphql(toDraft, { id: node_id });
  await run.open(await approved('now')).run.finishAgain();
  expect((await pull()).merged).toBe(true);
  expect((await says()).filter((text) => text.includes('does not allow'))).toEqual([]);
});

describe('with `ci: after_look`', () => {
  test.each(['merge', 'auto-merge'])('CI runs on the base after a squash by `finish: %s`', async (finish) => {
    const message = 'Fix\n\n\nCoxswain-Run: acme/api#1\nskip-checks: true\n';
    run = await startGivenRun(
      `ci: after_look\napproval: { finish: ${finish}, merge_method: squash }\n`,
      message,
    );
    run.forge.seed.settings(name, { allow_auto_merge: true });
    const waits = finish === 'auto-merge';
    requires({ Coxswain: ownApp(), ...(waits && { ci: null }) });
    await run.open(await approved(waits ? 'allowed' : 'now')).acts();
    if (waits) await ciSucceeds();
    expect((await pull()).merged).toBe(true);
    const { data } = await run.people.ada.rest.repos.getCommit({ ...at, ref: 'main' });
    expect(data.commit.message).toBe(
      `Fix (#${run.number})\n\nCoxswain-Run: acme/api#${run.number}\nCo-authored-by: ada <ada@users.noreply.github.com>`,
    );
  });
});

describe('with `finish: auto-merge`', () => {
  beforeEach(start('auto-merge'));

  test('GitHub merges by itself where the base requires our check from our App', async () => {
    requires({ Coxswain: ownApp(), ci: null });
    await run.open(await approved('allowed')).acts();
    expect(await pull()).toMatchObject({
      merged: false,
      auto_merge: { enabled_by: { login: 'coxswain[bot]' } },
    });
    await ciSucceeds();
    expect((await pull()).merged).toBe(true);
  });

  test.each([
    ['requires it from anybody', { Coxswain: null, ci: null }],
    ['does not require it', { ci: null }],
  ])('we wait and merge ourselves where the base %s', async (_, checks) => {
    requires(checks);
    const open = run.open(await approved('allowed'));
    await open.acts();
    await open.run.finishAgain();
    expect(await pull()).toMatchObject({ merged: false, auto_merge: null });
    const said = (await says()).filter((text) => text.startsWith('Approved, but GitHub does not allow'));
    expect(said).toEqual([expect.stringContaining('no rule of the base requires the check `Coxswain` with')]);
    await ciSucceeds();
    await open.run.finishAgain();
    expect((await pull()).merged).toBe(true);
  });

  test('a head that nobody approved is not merged while we wait', async () => {
    requires({ ci: null });
    const open = run.open(await approved('allowed'));
    await open.acts();
    const head = await run.pushes();
    const status = { sha: head, context: 'ci', state: 'success' } as const;
    await run.people.ada.rest.repos.createCommitStatus({ ...at, ...status });
    await open.run.finishAgain();
    expect((await pull()).merged).toBe(false);
    expect(open.run.newest?.approvals).toEqual([]);
  });

  test('a merge queue is left to people, who are told', async () => {
    run.forge.seed.addRuleset(name, { rules: [{ type: 'merge_queue' }] });
    await run.open(await approved('allowed')).acts();
    expect((await says()).at(-1)).toContain('a merge queue, which Coxswain does not support');
    expect((await pull()).merged).toBe(false);
  });

  test('we stop after a week, and say so once', async () => {
    requires({ ci: null });
    const state = await approved('allowed');
    const long = state.approvals.map((approval) => ({ ...approval, at: '2025-01-01T00:00:00Z' }));
    const open = run.open({ ...state, approvals: long });
    await ciSucceeds();
    await open.acts();
    await open.run.finishAgain();
    expect((await pull()).merged).toBe(false);
    const said = (await says()).filter((text) => text.includes('no longer tries to merge'));
    expect(said).toEqual([expect.stringContaining('Merge it by hand')]);
  });
});

describe('auto-merge', () => {
  beforeEach(start('auto-merge'));

  const enable = async () => {
    const { node_id } = await pull();
    const query =
      'mutation ($id: ID!) { enablePullRequestAutoMerge(input: { pullRequestId: $id }) { clientMutationId } }';
    await run.people.mia.graphql(query, { id: node_id });
  };

  test('is off before anything is drawn when an approval falls', async () => {
    requires({ Coxswain: ownApp(), ci: null });
    const open = run.open(await approved('allowed'));
    await open.acts();
    expect((await pull()).auto_merge).not.toBeNull();
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
    expect((await pull()).auto_merge).toBeNull();
    const writes = run.forge.requests.api.filter(
      ({ method, actor }) => method !== 'GET' && actor === 'coxswain[bot]',
    );
    expect(writes[0]?.path).toMatch(/graphql/);
  });

  test('that a person enabled is off while the run is not approved', async () => {
    requires({ Coxswain: ownApp() });
    const { node_id } = await pull();
    const ready =
      'mutation ($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { clientMutationId } }';
    await run.people.mia.graphql(ready, { id: node_id });
    await enable();
    expect((await pull()).auto_merge).not.toBeNull();
    await run.open(run.waiting()).acts();
    expect((await pull()).auto_merge).toBeNull();
  });
});
