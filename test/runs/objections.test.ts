import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { State } from '../../src/steering/state/state.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** Mia objects in plain words, and Bob, who has the role write, would rather have the run go on. */
let saved: SavedForge;
let fixture: RunsFixture;
const number = 2;
const place = { ...at, issue_number: number };

const timed = `version: 1
agent: { use: command, command: [sh, agent.sh] }
verifiers:
  - { name: test, run: "true" }
  - { name: lint, run: "false", required: false }
sandbox: off
approval:
  { mode: auto, new_history: 0, finish: merge, auto_proceed_after: 1h, on_timeout: proceed }
`;

beforeAll(async () => {
  saved = await saveForge(async ({ ada, forge, says }) => {
    await forge.seed.commit('acme/api', { '.github/coxswain.yml': timed });
    await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
    await says('ada', 1, '/run');
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

async function state(): Promise<State> {
  const snapshot = await fixture.run(number).run.readLedger();
  if (snapshot === undefined) throw new Error('there is no run');
  return snapshot.state;
}

/** Nobody tells the App. */
async function writes(login: 'bob' | 'mia' | 'rea', body: string): Promise<number> {
  return (await fixture[login].rest.issues.createComment({ ...place, body })).data.id;
}

async function timeIsUp(): Promise<void> {
  fixture.waitInApp(3601);
  await fixture.sweep();
}

async function expectStopped(because: object): Promise<void> {
  expect((await state()).standing).not.toHaveProperty('proceeds');
  expect((await state()).left_to_people?.because).toMatchObject({ why: 'stopped', ...because });
  expect((await fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data.merged).toBe(false);
}

describe('while time runs', () => {
  test('a plain comment stops it as soon as it is heard, and also when it is deleted', async () => {
    const id = await fixture.says('mia', number, 'I think this is wrong.');
    await expectStopped({ by: 'mia' });
    await fixture.bob.rest.issues.deleteComment({ ...at, comment_id: id });
    await timeIsUp();
    await expectStopped({ by: 'mia' });
  });

  test('a comment that nobody told us of, and that was deleted since, stops it', async () => {
    const id = await writes('mia', 'I think this is wrong.');
    await fixture.bob.rest.issues.deleteComment({ ...at, comment_id: id });
    await timeIsUp();
    await expectStopped({ by: 'bob', how: 'deleted' });
  });

  test('a comment whose words somebody took away stops it', async () => {
    const { data } = await fixture.ada.rest.issues.createComment({ ...place, body: 'Thanks.' });
    fixture.wait(3);
    await fixture.bob.rest.issues.updateComment({ ...at, comment_id: data.id, body: '…' });
    await timeIsUp();
    await expectStopped({});
  });

  test('what a stranger writes and deletes stops nothing', async () => {
    const id = await fixture.says('rea', number, 'Hello!');
    await fixture.deletes('rea', number, id);
    await timeIsUp();
    expect((await state()).standing).toMatchObject({ ground: { by: 'policy' } });
  });
});

test('more comments than are read hide no objection', async () => {
  await fixture.end();
  fixture = await startRunsFixture(saved, undefined, { largestPage: 1 });
  await writes('mia', 'I think this is wrong.');
  for (let count = 0; count < 52; count++) {
    await writes('rea', 'Me too!');
    fixture.wait(90);
  }
  await timeIsUp();
  // What one sweep leaves unread, the next one reads.
  await fixture.sweep();
  await expectStopped({});
});

describe('an approval', () => {
  beforeEach(async () => {
    const manual = timed.replace(/mode[^}]*/, 'finish: ready ');
    await fixture.forge.seed.commit('acme/api', { '.github/coxswain.yml': manual });
    await fixture.says('ada', number, '/verify');
    await fixture.says('ada', number, '/approve');
    expect((await state()).standing).toMatchObject({ phase: 'approved', finish: 'finished' });
  });

  const fallen = async () => {
    expect(await state()).toMatchObject({ approvals: [], standing: { phase: 'awaiting_approval' } });
    expect((await fixture.appComments(number)).join('\n')).toContain('deleted');
  };

  test('falls when somebody deletes words afterwards', async () => {
    await fixture.deletes('bob', number, await fixture.says('mia', number, 'Wait, please.'));
    await fallen();
    // GitHub tells whole seconds, and of the same second nobody knows which came first.
    fixture.wait(2);
    await fixture.says('ada', number, '/approve');
    expect((await state()).standing.phase).toBe('approved');
  });

  test('falls when nobody told us of it', async () => {
    const comment_id = await writes('mia', 'Wait, please.');
    await fixture.bob.rest.issues.deleteComment({ ...at, comment_id });
    await fixture.sweep();
    await fallen();
  });

  test('stands when a stranger deletes a comment, or somebody says something', async () => {
    await fixture.deletes('rea', number, await fixture.says('rea', number, 'Hello!'));
    await fixture.says('mia', number, 'Nice.');
    await fixture.sweep();
    expect((await state()).standing.phase).toBe('approved');
  });
});
