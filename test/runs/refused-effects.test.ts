import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ledgerOf, number, saveRunForApproval } from './approved-run.ts';
import { at, type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';

/** GitHub refuses to let us say anything about a run, but all else is drawn. */
let saved: SavedForge;
let fixture: RunsFixture;

beforeAll(async () => {
  saved = await saveRunForApproval();
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

/** Only people with write access may speak there from now on. */
const lock = () => fixture.ada.rest.issues.lock({ ...at, issue_number: number });

function refuse(path: RegExp, status: number, message: string): void {
  fixture.forge.seed.fault({ method: 'POST', path, times: 1_000, status, body: { message } });
}

async function pull() {
  return (await fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data;
}

/** The summary of the newest decision on the head. */
async function summary(): Promise<string> {
  const { head } = (await ledgerOf(fixture)).state;
  const place = { ...at, ref: head, check_name: 'Coxswain', filter: 'latest' } as const;
  const { data } = await fixture.ada.rest.checks.listForRef(place);
  return data.check_runs[0]?.output.summary ?? '';
}

test('an approval counts although the conversation is locked, and the check says what is missing', async () => {
  const place = { ...at, issue_number: number };
  const mia = fixture.client(saved.tokens.mia).rest.issues;
  const asks = await mia.createComment({ ...place, body: '/status' });
  const approves = await mia.createComment({ ...place, body: '/approve' });
  await lock();
  await fixture.hears('mia', number, asks.data);
  await fixture.hears('mia', number, approves.data);
  const { state } = await ledgerOf(fixture);
  expect(state.standing).toMatchObject({ phase: 'approved', finish: 'finished' });
  expect(state.owed).toEqual([]);
  expect(await summary()).toContain('a reply: Unable to create comment because issue is locked.');
});

test('a reaction that GitHub does not accept keeps nothing from being drawn', async () => {
  refuse(/\/reactions$/, 422, 'Validation Failed');
  await fixture.says('mia', number, '/approve');
  const { state } = await ledgerOf(fixture);
  expect(state.standing).toMatchObject({ phase: 'approved', finish: 'finished' });
  expect(state.owed).toEqual([]);
  expect(await summary()).toContain('mia (maintain) approved');
  expect(fixture.warnings).toContainEqual(
    expect.stringMatching(/could not react to comment .*Validation Failed/),
  );
});

test('a question that cannot be posted keeps nothing from being drawn, and is not tried again', async () => {
  const mia = fixture.client(saved.tokens.mia).rest.issues;
  const { data: steer } = await mia.createComment({ ...at, issue_number: number, body: '/steer more' });
  await lock();
  await fixture.hears('mia', number, steer);
  const { labels, body } = await pull();
  expect(labels.map(({ name }) => name)).toContain('coxswain:awaiting_approval');
  expect(body).toContain('"phase":"awaiting_approval"');
  await fixture.sweep();
  const refusals = fixture.warnings.filter((line) => line.includes('ask for'));
  expect(refusals).toEqual([expect.stringMatching(/ask for approval:2:\d+: .* 403, .*locked/)]);
  expect(fixture.warnings.filter((line) => line.includes('could not act'))).toEqual([]);
});

test('an approval takes the pull request out of draft although its question cannot be edited', async () => {
  const path = /\/issues\/comments\/\d+$/;
  const body = { message: 'Unable to edit comment because issue is locked.' };
  fixture.forge.seed.fault({ method: 'PATCH', path, times: 1_000, status: 403, body });
  await fixture.says('mia', number, '/approve');
  expect((await ledgerOf(fixture)).state.standing).toMatchObject({ phase: 'approved', finish: 'finished' });
  expect((await pull()).draft).toBe(false);
});

test('a check run that GitHub does not let us change is replaced by a new one of its name', async () => {
  const path = /\/check-runs\/\d+$/;
  fixture.forge.seed.fault({
    method: 'PATCH',
    path,
    times: 1_000,
    status: 403,
    body: { message: 'Forbidden' },
  });
  await fixture.says('mia', number, '/steer more');
  expect((await pull()).body).toContain('"phase":"awaiting_approval"');
  expect(await summary()).toContain('`/approve`, `/reject`');
  expect(fixture.warnings.filter((line) => line.includes('could not act'))).toEqual([]);
});

test('where no check run can be written, the pull request says all the same what the run waits for', async () => {
  for (const method of ['PATCH', 'POST'])
    fixture.forge.seed.fault({
      method,
      path: /\/check-runs/,
      times: 1_000,
      status: 422,
      body: { message: 'No' },
    });
  await fixture.says('mia', number, '/steer more');
  const { labels, body } = await pull();
  expect(labels.map(({ name }) => name)).toContain('coxswain:awaiting_approval');
  expect(body).toContain('"phase":"awaiting_approval"');
});
