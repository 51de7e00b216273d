import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readLedger } from '../app/ledger-content.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** A run whose verifiers see the merge with `main` waits for approval on #2. */
let saved: SavedForge;
let fixture: RunsFixture;
const number = 2;

const config = `version: 1
agent: { use: command, command: [sh, agent.sh] }
verify_against: merge
verifiers: [{ name: test, run: "test ! -f broken" }]
`;

beforeAll(async () => {
  saved = await saveForge(async (forge) => {
    fixture = forge;
    await forge.pushes('ada', {
      from: 'main',
      files: { '.github/coxswain.yml': config, 'agent.sh': 'echo done > work.txt\n' },
    });
    const issue = await forge.ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
    await forge.says('ada', issue.data.number, '/run');
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

test('a base that moves before a finish is verified again, and the approval stands', async () => {
  const before = (await ledger()).state.shown?.merged_with;
  const tip = await fixture.pushes('ada', { from: 'main', files: { 'news.txt': 'of the base\n' } });
  await fixture.says('mia', number, '/approve');
  const { state, events } = await ledger();
  expect(before).toMatch(/^[0-9a-f]{40}$/);
  expect(state).toMatchObject({
    standing: { phase: 'approved', finish: 'finished' },
    approvals: [{ by: { login: 'mia' } }],
    shown: { merged_with: tip },
  });
  const verified = events.flatMap((event) => (event.type === 'verified' ? [event.merged_with] : []));
  expect(verified).toEqual([before, tip]);
});

test('people who are asked read in each sweep how far the base has moved, and the finish verifies it', async () => {
  const seen = (await ledger()).state.shown?.merged_with?.slice(0, 7);
  await fixture.pushes('ada', { from: 'main', files: { 'news.txt': 'of the base\n' } });
  const tip = await fixture.pushes('ada', { from: 'main', files: { 'more.txt': 'of the base\n' } });
  await fixture.sweep();
  await fixture.sweep();
  const moved = `by 2 commits, to \`${tip.slice(0, 7)}\`; the merge with it is verified before the run is finished`;
  expect(await asked()).toContain(`the merge with the base at \`${seen}\``);
  expect(await asked()).toContain(moved);
  expect(await checkText()).toContain(moved);
  const notes = (await ledger()).events.filter(({ type }) => type === 'base_moved');
  expect(notes).toHaveLength(1);
  await fixture.says('mia', number, '/approve');
  const { state } = await ledger();
  expect(state).toMatchObject({
    standing: { phase: 'approved', finish: 'finished' },
    shown: { merged_with: tip },
  });
  expect(state.shown).not.toHaveProperty('base_now');
  expect(await checkText()).not.toContain('has moved');
});

test('a base that is back where the verifiers saw it has not moved', async () => {
  const seen = (await ledger()).state.shown?.merged_with ?? '';
  await fixture.pushes('ada', { from: 'main', files: { 'news.txt': 'of the base\n' } });
  await fixture.sweep();
  expect(await asked()).toContain('by 1 commit, to');
  await fixture.gitAsAda('fetch', '--quiet', fixture.url, 'main');
  await fixture.gitAsAda('push', '--quiet', '--force', fixture.url, `${seen}:refs/heads/main`);
  await fixture.sweep();
  expect(await asked()).not.toContain('has moved');
});

test('what breaks together with the moved base is not finished', async () => {
  await fixture.pushes('ada', { from: 'main', files: { broken: 'yes\n' } });
  await fixture.says('mia', number, '/approve');
  const { state } = await ledger();
  expect(state).toMatchObject({
    approvals: [],
    // It is the base itself that is broken.
    standing: { phase: 'awaiting_resolution', interrupt: { type: 'red_before' } },
  });
});

test('a conflict with the moved base stops for a human, who is told what to do', async () => {
  await fixture.pushes('ada', { from: 'main', files: { 'work.txt': 'done differently\n' } });
  await fixture.says('mia', number, '/approve');
  const { state } = await ledger();
  expect(state).toMatchObject({
    approvals: [],
    standing: { phase: 'awaiting_resolution', interrupt: { type: 'conflict' } },
  });
  const { data: comments } = await fixture.ada.rest.issues.listComments({ ...at, issue_number: number });
  expect(comments.at(-1)?.body).toMatch(
    /stopped because it conflicts with its base[\s\S]*- work\.txt\n {4}[0-9a-f]{7,} Ada: [\s\S]*merge main into coxswain\//,
  );
});

async function ledger() {
  const found = await readLedger(fixture.url, fixture.adasToken, number);
  if (found === undefined) throw new Error('there is no ledger');
  return found;
}

async function asked(): Promise<string> {
  const comments = await fixture.appComments(number);
  return comments.find((text) => text.startsWith('### Coxswain finished')) ?? comments.join('\n');
}

async function checkText(): Promise<string> {
  const { head } = (await ledger()).state;
  const place = { ...at, ref: head, check_name: 'Coxswain' };
  const { data } = await fixture.ada.rest.checks.listForRef(place);
  return JSON.stringify(data.check_runs[0]?.output);
}
