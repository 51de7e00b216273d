import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { formFields } from '../../src/config/tasks/form.ts';
import { stateIn } from './blocked-run.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** What people write that a task cannot depend on. Issue #1 is open; no run has begun. */
let saved: SavedForge;
let fixture: RunsFixture;
let meanwhile: (() => Promise<unknown>) | undefined;

beforeAll(async () => {
  saved = await saveForge(async ({ ada }) => {
    await ada.rest.issues.create({ ...at, title: 'First', body: 'It comes first.' });
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  meanwhile = undefined;
  fixture = await startRunsFixture(saved, undefined, {
    onRequest: async ({ kind }, next) => {
      const doing = kind === 'git' ? meanwhile : undefined;
      if (doing !== undefined) meanwhile = undefined;
      await doing?.();
      return next();
    },
  });
});

afterEach(() => fixture.end());

async function write(body: string): Promise<number> {
  return (await fixture.ada.rest.issues.create({ ...at, title: 'Another', body })).data.number;
}

/** The lines of what was told, without what keeps numbers from being links. */
async function toldOn(issue: number): Promise<readonly string[]> {
  await fixture.labels('ada', issue);
  const [text = '', ...more] = await fixture.appComments(issue);
  expect(more).toEqual([]);
  return text
    .replaceAll('\u200b', '')
    .split('\n')
    .filter((line) => line !== '');
}

const invalid = 'The task is not valid, so no run was started. Fix this, then try again:';
const block = (...lines: readonly string[]) => ['```coxswain', ...lines, '```'].join('\n');
const hundred = Array.from({ length: 100 }, (_, index) => `#${100 + index}`);

test.each<[string, string, string]>([
  ['itself', 'Depends on #2', '- #2 cannot depend on itself'],
  ['itself in a block', block('depends_on: [2]'), '- #2 cannot depend on itself'],
  ['what is not there', 'Depends on #99', '- #99 does not exist here'],
  [
    'another repository',
    'Depends on acme/web#5',
    '- acme/web#5 is in another repository, and a run can only depend on what is in its own',
  ],
  [
    'a hundred others',
    `Depends on ${hundred.join(', ')}`,
    '- it depends on more than 50 issues and pull requests',
  ],
])('a task that depends on %s is refused', async (_, body, problem) => {
  expect(await toldOn(await write(body))).toEqual([invalid, problem]);
});

test.each<[string, string, RegExp]>([
  [
    'another repository',
    "['acme/web#5']",
    /^- depends_on\[0\] \(line 1\): .*a task cannot wait for one in another/,
  ],
  [
    'a hundred others',
    `['${hundred.join("', '")}']`,
    /^- depends_on \(line 1\): expected at most 50 dependencies/,
  ],
  [
    'another task in the same block',
    '[parser]',
    /^- no task in the same block has the name `parser`: expected the number of an issue/,
  ],
])('a block that depends on %s is refused', async (_, list, problem) => {
  const [, ...problems] = await toldOn(await write(block(`depends_on: ${list}`)));
  expect(problems).toEqual([expect.stringMatching(problem)]);
});

test('three issues that wait for each other are spelled out', async () => {
  for (const next of [3, 4, 2]) await write(`Depends on #${next}`);
  expect(await toldOn(2)).toEqual([invalid, '- it would wait for itself: #2 → #3 → #4 → #2']);
});

test('mistakes in a block, an unknown profile and what it cannot depend on are told together', async () => {
  const fields = block("depends_on: [98, 'acme/web#5']", 'kind: deploy', 'worker_profile: careful');
  const [, ...problems] = await toldOn(await write(`Depends on #2 and #99\n\n${fields}`));
  expect(problems).toEqual([
    expect.stringMatching(/^- depends_on\[1\] \(line 1\): expected .*; received "acme\/web#5"/),
    expect.stringMatching(/^- kind \(line 2\): expected plan, build or test; received "deploy"/),
    expect.stringMatching(/^- worker_profile: expected no profile, because .*; received "careful"/),
    '- #2 cannot depend on itself',
    '- #98 does not exist here',
    '- #99 does not exist here',
  ]);
});

test('so are those of a form', async () => {
  const values = new Map([
    ['description', 'Do it.'],
    ['kind', 'deploy'],
    ['worker_profile', 'careful'],
    ['depends_on', '#2, 99'],
  ]);
  const text = formFields.map(({ label, key }) => `### ${label}\n\n${values.get(key) ?? '_No response_'}`);
  const [, ...problems] = await toldOn(await write(text.join('\n\n')));
  expect(problems).toEqual([
    '- Kind: expected build or plan or test; received "deploy"',
    expect.stringMatching(/^- worker_profile: /),
    '- #2 cannot depend on itself',
    '- #99 does not exist here',
  ]);
});

test('what whoever asked changes in the issue meanwhile changes nothing of what the run waits for', async () => {
  const issue = await write('Depends on #1');
  meanwhile = () => fixture.ada.rest.issues.update({ ...at, issue_number: issue, body: 'Depends on #99' });
  await fixture.labels('ada', issue);
  const { standing, task } = await stateIn(fixture, 3);
  expect([task.depends_on, standing]).toEqual([
    ['#1'],
    { phase: 'blocked', on: [{ number: 1, is: 'open' }] },
  ]);
});

test('what somebody else changes in the issue meanwhile is shown, and nothing begins', async () => {
  const issue = await write('Depends on #1');
  meanwhile = () =>
    fixture.bob.rest.issues.update({ ...at, issue_number: issue, body: 'Depends on nothing' });
  const [first, ...told] = await toldOn(issue);
  expect(first).toContain('bob changed this issue');
  expect(told).toContain('> Depends on nothing');
});
