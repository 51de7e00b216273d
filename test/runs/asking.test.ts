import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { State } from '../../src/steering/state/state.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** An agent asks people, is stopped, and goes on with everything it had when somebody has answered. */
let saved: SavedForge;
let fixture: RunsFixture;
const number = 2;

const config = `version: 1
agent: { use: scripted, script: script.yml }
verifiers:
  - { name: test, run: "true" }
sandbox: off
`;

/** What the agent has done before it asked is there when it goes on. */
const turns = `turns:
  - on: { prompt: ['The user responded: "Python"', 'I have begun'] }
    steps:
      - { append: notes.txt, content: "after\\n" }
      - { say: Written in Python }
  - steps:
      - { say: I have begun }
      - { write: notes.txt, content: "before\\n" }
      - { ask: Which language?, context: Both are installed., options: [Go, Python] }
      - { say: Done without waiting }
`;

beforeAll(async () => {
  saved = await saveForge(async ({ ada, forge }) => {
    await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
    await forge.seed.commit('acme/api', { '.github/coxswain.yml': config, 'script.yml': turns });
  });
});

afterAll(() => saved.remove());

afterEach(() => fixture.end());

async function state(): Promise<State> {
  const found = (await fixture.run(number).run.readLedger())?.state;
  if (found === undefined) throw new Error('there is no ledger');
  return found;
}

async function notes(): Promise<string> {
  const { data: pull } = await fixture.ada.rest.pulls.get({ ...at, pull_number: number });
  const { data } = await fixture.ada.rest.repos.getContent({ ...at, path: 'notes.txt', ref: pull.head.sha });
  return 'content' in data ? Buffer.from(data.content, 'base64').toString() : '';
}

async function kept(): Promise<readonly string[]> {
  const listed = await fixture.gitAsAda('ls-remote', fixture.url, `refs/coxswain/kept/${number}/*`);
  return listed.split('\n').filter((line) => line !== '');
}

describe('an agent that asks', () => {
  test('is stopped, and what it had done is kept off the branch', async () => {
    fixture = await startRunsFixture(saved);
    await fixture.says('ada', 1, '/run');
    const { standing, questions = [], attempts_used, parked } = await state();
    expect(standing.phase).toBe('awaiting_answer');
    expect(questions).toMatchObject([
      { asked: { question: 'Which language?', options: ['Go', 'Python'] }, on_timeout: 'block' },
    ]);
    expect({ attempts_used, because: parked?.because }).toEqual({ attempts_used: 0, because: 'question' });
    const asked = (await fixture.appComments(number)).at(-1);
    expect(asked).toMatch(
      /Which language\?[\s\S]*The agent was stopped, and continues from there with your answer/,
    );
    expect(await kept()).toEqual([`${parked?.work?.head}\t${parked?.work?.kept}`]);
    const { data: pull } = await fixture.ada.rest.pulls.get({ ...at, pull_number: number });
    expect(pull).toMatchObject({ state: 'open', draft: true, changed_files: 0 });
  });

  test('goes on where it was when somebody answers, in one commit', async () => {
    fixture = await startRunsFixture(saved);
    await fixture.says('ada', 1, '/run');
    await fixture.says('bob', number, '/answer 2');
    const after = await state();
    expect(after.standing.phase).toBe('awaiting_approval');
    expect(after).toMatchObject({ attempt: 2, attempts_used: 1, questions: [] });
    expect(after.parked).toBeUndefined();
    expect(await notes()).toBe('before\nafter\n');
    const { data: commits } = await fixture.ada.rest.pulls.listCommits({ ...at, pull_number: number });
    expect(commits.map(({ commit }) => commit.message.split('\n', 1)[0]).slice(1)).toEqual([
      'Written in Python',
    ]);
    expect(after.interactions).toMatchObject([
      { kind: 'question', by: 'bob', how: 'answered', reply: 'Python' },
    ]);
  });

  test('goes on in another process, on another machine', async () => {
    fixture = await startRunsFixture(saved);
    await fixture.says('ada', 1, '/run');
    await fixture.restart();
    await fixture.says('ada', number, '/answer python');
    expect((await state()).standing.phase).toBe('awaiting_approval');
    expect(await notes()).toBe('before\nafter\n');
  });

  test.each([
    ['here', 'before\nafter\n'],
    ['on another machine', 'after\n'],
  ])('goes on from no other commit, whoever moves the ref that keeps it (%s)', async (where, expected) => {
    fixture = await startRunsFixture(saved);
    await fixture.says('ada', 1, '/run');
    const { parked } = await state();
    await fixture.gitAsAda('fetch', '--quiet', fixture.url, 'main');
    const ref = `${parked?.work?.kept}`;
    await fixture.gitAsAda('push', '--quiet', '--force', fixture.url, `FETCH_HEAD:${ref}`);
    expect((await kept())[0]).not.toContain(`${parked?.work?.head}\t`);
    if (where !== 'here') await fixture.restart();
    await fixture.says('ada', number, '/answer python');
    expect((await state()).standing.phase).toBe('awaiting_approval');
    expect(await notes()).toBe(expected);
  });

  test('reads what it did and said before, and the answer', async () => {
    fixture = await startRunsFixture(saved);
    await fixture.says('ada', 1, '/run');
    await fixture.says('ada', number, '/answer python');
    const { run } = fixture.run(number);
    const prompt = (await run.artefact('iterations/0/2/implement/prompt.md')) ?? '';
    const sections = ['PREVIOUS ACTIONS LOG', 'FEEDBACK'].map((name) => prompt.indexOf(`--- ${name} ---`));
    expect(sections.every((index) => index > 0) && sections).toEqual(sections.toSorted((a, b) => a - b));
    expect(prompt).toContain('You previously asked: "Which language?". The user responded: "Python".');
    expect(prompt).toContain('I have begun');
    const log = (await run.artefact('iterations/0/2/implement/reasoning.md')) ?? '';
    expect(log).toMatch(
      /I have begun[\s\S]*\[USER_INPUT\] User answered: "Python"\n\n[\s\S]*Written in Python/,
    );
  });

  test('is told that what it had done does not fit any more when somebody pushed meanwhile', async () => {
    fixture = await startRunsFixture(saved);
    await fixture.says('ada', 1, '/run');
    const { run, parked } = await state();
    await fixture.pushes('bob', { from: run.branch, files: { 'notes.txt': 'by bob\n' } });
    await fixture.sweep();
    await fixture.says('ada', number, '/answer python');
    expect((await state()).standing.phase).toBe('awaiting_approval');
    expect(await notes()).toBe('by bob\nafter\n');
    const prompt = await fixture.run(number).run.artefact('iterations/0/2/implement/prompt.md');
    expect(prompt).toContain(parked?.work?.head.slice(0, 7));
  });

  test('gets an answer that comes while it is held, and is not stopped', async () => {
    fixture = await startRunsFixture(saved, undefined, { holdQuestionsMs: 20_000 });
    const starting = fixture.says('ada', 1, '/run');
    await expect.poll(async () => (await state().catch(() => undefined))?.questions?.length).toBe(1);
    await fixture.says('bob', number, '/answer Go');
    await starting;
    const after = await state();
    expect(after).toMatchObject({ attempt: 1, attempts_used: 1 });
    expect(after.standing.phase).toBe('awaiting_approval');
    expect(await notes()).toBe('before\n');
  });

  test('is steered instead of answered, which takes the question back', async () => {
    fixture = await startRunsFixture(saved);
    await fixture.says('ada', 1, '/run');
    await fixture.says('ada', number, '/steer Just use Go');
    const { interactions } = await state();
    expect(interactions[0]).toMatchObject({ kind: 'question', how: 'steered' });
  });
});
