import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ledgerOf, number } from './approved-run.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** A run on #2 waits for approval, and its base moves: `/update` merges it, or has its agent do so. */
let saved: SavedForge;
let fixture: RunsFixture;

const config = (more = '') => `version: 1
agent: { use: command, command: [sh, agent.sh] }
verifiers: [{ name: test, run: "true" }]
${more}`;

/** It ends a merge as `how.txt` of the base says. */
const agent = `
grep -q '^<<<<<<<' work.txt 2> /dev/null || { echo "iteration $COXSWAIN_ITERATION" >> work.txt; exit 0; }
case "$(cat how.txt)" in
  leave) sed -i '/^[<|]/d' work.txt ;;
  smuggle) printf 'both\\n' > work.txt; mkdir -p .husky; echo 'make' > .husky/pre-commit ;;
  *) printf 'both\\n' > work.txt ;;
esac
`;

beforeAll(async () => {
  saved = await saveForge(async (forge) => {
    await forge.pushes('ada', {
      from: 'main',
      files: { '.github/coxswain.yml': config(), 'agent.sh': agent, 'other.txt': 'before\n' },
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

test('a base that moved is merged with one commit of ours, verified, asked about, and approved', async () => {
  const { head: before } = await state();
  const tip = await moves({ 'news.txt': 'of the base\n' });
  await says('/update');
  const after = await state();
  expect(after).toMatchObject({
    ...{ standing: { phase: 'awaiting_approval' }, iteration: 1, max_iterations: 6 },
    iterations: [{}, { update: { by: 'ada', base: 'main', done: true }, score: expect.any(Number) }],
  });
  expect(await commit(after.head)).toMatchObject({ parents: [{ sha: before }, { sha: tip }] });
  expect((await commit(after.head)).message).toMatch(/^Merge main into coxswain\/[\s\S]*Co-authored-by: ada/);
  const { data: pull } = await fixture.ada.rest.pulls.get({ ...at, pull_number: number });
  expect(pull.head.sha).toBe(after.head);
  expect(pull.body).toContain('| 1 | Merge main into the branch | ada |');
  // What the base has brought is not the run's change.
  expect(after.shown?.changes.files.map(({ path }) => path)).toEqual(['work.txt']);
  expect(after).not.toHaveProperty('contributors');

  await says('/update');
  expect(await lastWords()).toContain('already has everything of `main`, so nothing has changed');
  expect(await state()).toMatchObject({ head: after.head, iteration: 1 });
  await fixture.says('mia', number, `/approve ${after.head}`);
  expect((await state()).standing).toMatchObject({ phase: 'approved', finish: 'finished' });
});

test('an approval falls with the head that was approved', async () => {
  await fixture.says('mia', number, '/approve');
  await moves({ 'news.txt': 'of the base\n' });
  await says('/update');
  expect(await state()).toMatchObject({ standing: { phase: 'awaiting_approval' }, approvals: [] });
});

test('/undo after an update keeps what the base has brought', async () => {
  await says('/steer more');
  await moves({ 'news.txt': 'of the base\n' });
  await says('/update');
  await says('/undo');
  const { head, iterations, standing } = await state();
  expect(standing.phase).toBe('awaiting_approval');
  expect(iterations.at(-1)).toMatchObject({ undo: { to: 0, done: true } });
  expect(await textOf('work.txt', head)).toBe('iteration 0\n');
  expect(await textOf('news.txt', head)).toBe('of the base\n');
});

describe('a conflict', () => {
  test('is told with who changed what on the base, and the head stays; by hand it is merged and verified', async () => {
    const { head } = await state();
    const tip = await moves({ 'work.txt': 'of the base\n' }, 'Use whole minutes');
    await says('/update');
    expect(await state()).toMatchObject({
      head,
      standing: { phase: 'awaiting_resolution', interrupt: { type: 'conflict' } },
    });
    const asked = await lastWords();
    expect(asked).toContain('stopped because it conflicts with its base');
    expect(asked).toMatch(/- work\.txt\n {4}[0-9a-f]{7,} Ada: Use whole minutes/);
    expect(asked).toContain('/update --resolve lets the agent resolve it');
    expect(asked).toMatch(/git switch coxswain\/\S+ && git pull && git merge origin\/main/);

    const branch = (await state()).run.branch;
    await fixture.pushes('bob', { from: branch, files: { 'work.txt': 'of the base\n' } });
    await fixture.turns(branch);
    await says('/update');
    expect(await state()).toMatchObject({ standing: { phase: 'awaiting_approval' } });
    expect((await commit((await state()).head)).parents.at(-1)?.sha).toBe(tip);
  });

  test('is resolved by the agent in a commit of both, which is verified and asked about', async () => {
    const { head: before } = await state();
    const tip = await moves({ 'work.txt': 'of the base\n', 'other.txt': 'after\n' }, 'Use whole minutes');
    await says('/update --resolve');
    const after = await state();
    expect(after).toMatchObject({
      standing: { phase: 'awaiting_approval' },
      iterations: [{}, { update: { resolves: tip, done: true } }],
      contributors: [{ login: 'ada' }],
    });
    expect(await commit(after.head)).toMatchObject({ parents: [{ sha: before }, { sha: tip }] });
    expect(await textOf('work.txt', after.head)).toBe('both\n');
    expect(await textOf('other.txt', after.head)).toBe('after\n');
    expect(after.worked?.files).toEqual(['work.txt']);
    expect(after.shown?.changes.files.map(({ path }) => path)).toEqual(['work.txt']);
    const prompt = await textOf('iterations/1/1/implement/prompt.md', (await ledgerOf(fixture)).ref);
    expect(prompt).toContain('### Conflicts with the Base');
    expect(prompt).toContain('Use whole minutes');
    expect(prompt).toContain('+iteration 0');
    await fixture.says('mia', number, `/approve ${after.head}`);
    expect((await state()).standing).toMatchObject({ phase: 'approved', finish: 'finished' });
  });

  test('with markers left is no result, however green the verifiers would be: people decide', async () => {
    const { head } = await state();
    await moves({ 'work.txt': 'of the base\n', 'how.txt': 'leave' });
    await says('/update --resolve');
    expect(await state()).toMatchObject({
      head,
      standing: { phase: 'awaiting_resolution', interrupt: { type: 'conflict' } },
      iterations: [{}, { update: { done: false } }],
    });
    expect(await lastWords()).toContain('The agent left conflict markers of the merge with main at');
  });

  test('is held where the agent changes more than the conflict, such as what CI would run', async () => {
    const { head } = await state();
    const tip = await moves({ 'work.txt': 'of the base\n', 'how.txt': 'smuggle' });
    await says('/update --resolve');
    expect(await state()).toMatchObject({
      head,
      standing: { phase: 'awaiting_permission', held: { hits: [{ rule: 'changes-automation' }] } },
    });
    await fixture.says('mia', number, '/allow');
    const after = await state();
    expect(after).toMatchObject({ standing: { phase: 'awaiting_approval' }, iterations: [{}, {}] });
    expect(await commit(after.head)).toMatchObject({ parents: [{ sha: head }, { sha: tip }] });
    expect(after.iterations[1]).toMatchObject({ update: { done: true } });
    expect(after.shown?.gates.map(({ rule }) => rule)).toContain('changes-automation');
  });

  test('in what agents are told goes to people, because agents see another version', async () => {
    const { run } = await state();
    const head = await fixture.pushes('ada', { from: run.branch, files: { 'AGENTS.md': 'Be brief.\n' } });
    await fixture.turns(run.branch);
    await moves({ 'AGENTS.md': 'Be thorough.\n' });
    await says('/update --resolve');
    expect(await state()).toMatchObject({
      head,
      standing: { phase: 'awaiting_resolution', interrupt: { type: 'conflict' } },
    });
    const asked = await lastWords();
    expect(asked).toContain('No agent can resolve this: it cannot change AGENTS.md');
    expect(asked).not.toContain('/update --resolve lets the agent');
    expect(asked).toMatch(/git switch coxswain\/\S+ && git pull && git merge origin\/main/);
  });

  test('with the merge that the verifiers were to see goes to the agent by itself, once', async () => {
    const more = 'verify_against: merge\non_conflict: resolve\n';
    const tip = await moves({ '.github/coxswain.yml': config(more), 'work.txt': 'of the base\n' });
    await says('/verify');
    expect(await state()).toMatchObject({
      standing: { phase: 'awaiting_approval' },
      iterations: [{}, { update: { by: null, resolves: tip, done: true } }],
      shown: { merged_with: tip },
    });
  });
});

test('another base is merged once the pull request has it', async () => {
  await fixture.pushes('ada', { from: 'main', to: 'next', files: { 'next.txt': 'next\n' } });
  await retargets('next');
  await says('/update');
  const { head, iterations } = await state();
  expect(iterations.at(-1)).toMatchObject({ update: { base: 'next', done: true } });
  expect(await textOf('next.txt', head)).toBe('next\n');
});

test('what the agent merges of another base, conflicts resolved, has authors whom nobody knows', async () => {
  const more = 'on_conflict: resolve\napproval: { steerer_may_approve: false }\n';
  await moves({ '.github/coxswain.yml': config(more) });
  await fixture.pushes('bob', {
    from: 'main',
    to: 'bobs',
    files: { 'work.txt': 'bob\n', 'bob.txt': 'his\n' },
  });
  await retargets('bobs');
  await fixture.says('bob', number, '/update');
  await retargets('main');
  const { head, shown, people_unknown } = await state();
  expect(shown?.changes.files.map(({ path }) => path)).toEqual(['bob.txt', 'work.txt']);
  await fixture.says('bob', number, `/approve ${head}`);
  expect(await state()).toMatchObject({ standing: { phase: 'awaiting_approval' }, approvals: [] });
  expect(people_unknown).toBe(true);
});

test('with `ci: after_look` the repository’s CI does not run on the merge either', async () => {
  await moves({ '.github/coxswain.yml': config('ci: after_look\n') });
  await says('/update');
  const { head, ci_skipped } = await state();
  expect(ci_skipped).toBe(head);
  expect((await commit(head)).message).toContain('\n\n\nCoxswain-Run');
});

const says = (text: string) => fixture.says('ada', number, text);
const state = async () => (await ledgerOf(fixture)).state;
const lastWords = async () => (await fixture.appComments(number)).at(-1) ?? '';

function moves(files: Readonly<Record<string, string>>, message = 'Move on'): Promise<string> {
  return fixture.pushes('ada', { from: 'main', files, message });
}

async function retargets(base: string): Promise<void> {
  await fixture.ada.rest.pulls.update({ ...at, pull_number: number, base });
  await fixture.sweep();
}

async function commit(sha: string) {
  return (await fixture.ada.rest.git.getCommit({ ...at, commit_sha: sha })).data;
}

async function textOf(path: string, ref: string): Promise<string> {
  const media = { mediaType: { format: 'raw' } };
  const { data } = await fixture.ada.rest.repos.getContent({ ...at, path, ref, ...media });
  return String(data);
}
