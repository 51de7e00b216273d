import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ledgerOf, number, saveApprovedRun } from './approved-run.ts';
import { at, type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';

/** A run that has ended, and people who reopen its pull request while no webhook arrives. */
let saved: SavedForge;
let fixture: RunsFixture;

beforeAll(async () => {
  saved = await saveApprovedRun();
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

const turn = (state: 'open' | 'closed') =>
  fixture.bob.rest.pulls.update({ ...at, pull_number: number, state });
const pullState = async () => (await fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data.state;
const standing = async () => (await ledgerOf(fixture)).state.standing;

async function closings(): Promise<readonly (string | undefined)[]> {
  const place = { ...at, issue_number: number, per_page: 100 };
  const events = await fixture.ada.paginate(fixture.ada.rest.issues.listEvents, place);
  return events.filter(({ event }) => event === 'closed').map(({ actor }) => actor?.login);
}

const ends = {
  'that people closed': async () => {
    await fixture.says('ada', number, '/steer make it better');
    await turn('closed');
    await fixture.sweep();
    expect(await standing()).toMatchObject({ phase: 'cancelled' });
    const events = await fixture.run(number).run.ledger.events();
    expect(events).toContainEqual(expect.objectContaining({ type: 'closed', by: 'bob' }));
  },
  'that was rejected': () => fixture.says('mia', number, '/reject No.'),
  'that was cancelled': () => fixture.says('mia', number, '/cancel'),
};

describe.each(Object.entries(ends))('a pull request of a run %s', (name, end) => {
  test('is closed once, and stays open once somebody has reopened it', async () => {
    await end();
    expect(await pullState()).toBe('closed');
    await turn('open');
    await fixture.says('ada', number, '/status');
    await fixture.restart();
    await fixture.says('ada', number, '/status');
    expect(await pullState()).toBe('open');
    expect(await closings()).toEqual([name === 'that people closed' ? 'bob' : 'coxswain[bot]']);
  });

  test('waits for /resume although its reopening was never delivered', async () => {
    await end();
    await turn('open');
    await fixture.says('ada', number, '/status');
    await fixture.sweep();
    expect(await standing()).toMatchObject({ phase: 'paused', why: 'reopened' });
    expect((await ledgerOf(fixture)).events.at(-1)).toMatchObject({ type: 'reopened', by: 'bob' });
    expect(await pullState()).toBe('open');
  });
});

test('`/resume` goes on with a run whose reopening was never delivered', async () => {
  await ends['that was cancelled']();
  await turn('open');
  await fixture.says('mia', number, '/resume');
  const { events } = await ledgerOf(fixture);
  const types = events.map(({ type }) => type);
  expect(types.indexOf('reopened')).toBeLessThan(types.lastIndexOf('said'));
  expect(types).toContain('reopened');
  expect(['queued', 'working', 'verifying', 'awaiting_approval']).toContain((await standing()).phase);
});

test('a pull request that somebody reopened is not closed by a process that only knows of the end', async () => {
  await fixture.says('mia', number, '/reject No.');
  const { state } = await ledgerOf(fixture);
  fixture.wait(60);
  await turn('open');
  await fixture.restart();
  const { run } = fixture.run(number);
  const closing = { id: 'the end:close', do: 'close', at: state.updated_at } as const;
  run.resume({ ...state, owed: [closing] });
  await run.drained();
  expect(await pullState()).toBe('open');
  expect(await closings()).toEqual(['coxswain[bot]']);
});

test('an old answer of GitHub does not end a run again that somebody has reopened', async () => {
  await fixture.says('mia', number, '/cancel');
  const { data: closed } = await fixture.ada.rest.pulls.get({ ...at, pull_number: number });
  fixture.wait(60);
  await turn('open');
  await fixture.sweep();
  expect(await standing()).toMatchObject({ phase: 'paused', why: 'reopened' });
  const { octokit } = fixture.run(number).run.repository;
  octokit.hook.wrap('request', async (request, options) => {
    const answer = await request(options);
    const isPull = options.method === 'GET' && /\/pulls\/(?:\d+|\{pull_number\})$/.test(options.url);
    return isPull ? { ...answer, data: closed } : answer;
  });
  await fixture.sweep();
  expect(await standing()).toMatchObject({ phase: 'paused', why: 'reopened' });
});

test('an old answer of GitHub does not open a run again that was closed since', async () => {
  await turn('closed');
  fixture.wait(60);
  await turn('open');
  const { octokit } = fixture.run(number).run.repository;
  const place = { ...at, per_page: 100 };
  const pulls = (await octokit.rest.pulls.list({ ...place, state: 'open' })).data;
  const events = (await octokit.rest.issues.listEvents({ ...place, issue_number: number })).data;
  fixture.wait(60);
  await turn('closed');
  await fixture.sweep();
  expect(await standing()).toEqual({ phase: 'done', merged: false });
  octokit.hook.wrap('request', async (request, options) => {
    const answer = await request(options);
    if (options.method !== 'GET') return answer;
    if (/\/pulls(?:\?|$)/.test(options.url)) return { ...answer, data: pulls };
    return /\/issues\/\d+\/events/.test(options.url) ? { ...answer, data: events } : answer;
  });
  await fixture.sweep();
  expect(await standing()).toEqual({ phase: 'done', merged: false });
});
