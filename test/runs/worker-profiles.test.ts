import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { problemText } from '../../src/config/schema/config-problem.ts';
import { presentingProblems } from '../../src/repository/configuration.ts';
import { readLedger } from '../app/ledger-content.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** A repository with an agent of its own for careful work. */
let saved: SavedForge;
let fixture: RunsFixture;

const configuration = `version: 1
agent: { use: command, command: [sh, -c, 'echo usual > by.txt'] }
verifiers: [{ name: test, run: "true" }]
agents:
  careful:
    use: command
    command: [sh, -c, 'cat > prompt.txt; echo careful > by.txt']
    instructions: Write the test first.
    limits: { minutes: 7 }
`;

beforeAll(async () => {
  saved = await saveForge(async ({ ada }) => {
    await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
  fixture.wait(120);
  await fixture.pushes('mia', {
    ...{ from: 'main', message: 'Name an agent for careful work' },
    files: { '.github/coxswain.yml': configuration },
  });
});

afterEach(() => fixture.end());

/** The comment is read as GitHub has it. */
async function asks(profile: string): Promise<void> {
  const body = `/run Look well.\n\`\`\`coxswain\nworker_profile: ${profile}\nkind: test\n\`\`\``;
  await fixture.ada.rest.issues.createComment({ ...at, issue_number: 1, body });
  fixture.waitInApp(120);
  await fixture.sweep();
}

async function fileOn(ref: string, path: string): Promise<string> {
  const { data } = await fixture.ada.rest.repos.getContent({
    ...at,
    ref,
    path,
    mediaType: { format: 'raw' },
  });
  return String(data);
}

test('a task is worked on by the profile that it names, which is told its role', async () => {
  await asks('careful');
  const [pull] = (await fixture.ada.rest.pulls.list({ ...at, state: 'all' })).data;
  if (pull === undefined) throw new Error('no run was started');
  await fixture.run(pull.number).services.engine.idle();
  const { head } = (await fixture.ada.rest.pulls.get({ ...at, pull_number: pull.number })).data;
  expect(await fileOn(head.ref, 'by.txt')).toBe('careful\n');
  const prompt = await fileOn(head.ref, 'prompt.txt');
  expect(prompt).toContain('### Your Role\nWrite the test first.\n');
  expect(prompt).toContain('Kind of task: test.');
  const { state } = (await readLedger(fixture.url, fixture.adasToken, pull.number)) ?? {};
  expect(state).toMatchObject({
    task: { worker_profile: 'careful', kind: 'test' },
    settings: { limits: { minutes: 7 }, profiles: ['careful'], instructions: 'Write the test first.' },
  });
});

test('a profile that there is not starts no run, and the reply names those that there are', async () => {
  await asks('carefull');
  expect((await fixture.ada.rest.pulls.list({ ...at, state: 'all' })).data).toEqual([]);
  const { data } = await fixture.ada.rest.issues.listComments({ ...at, issue_number: 1 });
  expect(data.at(-1)?.body).toContain(
    'expected careful (did you mean that?), or one of careful, the names under',
  );
});

test('a retry can choose a profile that the configuration has only since then', async () => {
  await asks('careful');
  const [{ number = 0 } = {}] = (await fixture.ada.rest.pulls.list({ ...at, state: 'all' })).data;
  await fixture.run(number).services.engine.idle();
  await fixture.pushes('mia', {
    ...{ from: 'main', message: 'Name an agent for quick work' },
    files: { '.github/coxswain.yml': configuration.replace('careful:', 'quick:') },
  });
  const profile = async () =>
    (await readLedger(fixture.url, fixture.adasToken, number))?.state.task.worker_profile;
  await fixture.says('ada', number, '/steer --with quick Look again.');
  expect((await fixture.appComments(number)).at(-1)).toContain('a block after /retry can name it');
  await fixture.says('ada', number, '/retry\n```coxswain\nworker_profile: quik\n```');
  expect((await fixture.appComments(number)).at(-1)).toContain('expected quick (did you mean that?)');
  await fixture.says('ada', number, '/retry\n```coxswain\nworker_profile: quick\n```');
  expect(await profile()).toBe('quick');
});

test('a steer hands the work to a profile by its name, and says which there are', async () => {
  await fixture.ada.rest.issues.createComment({ ...at, issue_number: 1, body: '/run' });
  fixture.waitInApp(120);
  await fixture.sweep();
  const [{ number = 0 } = {}] = (await fixture.ada.rest.pulls.list({ ...at, state: 'all' })).data;
  await fixture.run(number).services.engine.idle();
  await fixture.says('ada', number, '/steer --with carefull Look again.');
  expect((await fixture.appComments(number)).at(-1)).toMatch(
    /cannot be handed to `carefull`: .*the names under agents are careful/,
  );
  await fixture.says('ada', number, '/steer --with careful Look again.');
  await fixture.run(number).services.engine.idle();
  const { head } = (await fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data;
  expect(await fileOn(head.ref, 'by.txt')).toBe('careful\n');
  const { state } = (await readLedger(fixture.url, fixture.adasToken, number)) ?? {};
  expect(state).toMatchObject({ task: { worker_profile: 'careful' }, settings: { limits: { minutes: 7 } } });
});

test('teams that are to be asked are an error in the Action, which cannot read them', async () => {
  const settings = {
    approval: { by: [{ role: 'write' } as const] },
    interrupts: { ask: ['ada', 'acme/core'] },
  };
  const repository = { octokit: fixture.ada, owner: 'acme' };
  expect(await presentingProblems(repository, settings, { presenter: 'action' })).toEqual([
    expect.objectContaining({ path: 'interrupts.ask', received: '"@acme/core"' }),
  ]);
});

test('clicks that alone count are an error in the Action, which hears of none', async () => {
  const by = [{ role: 'write' } as const];
  const repository = { octokit: fixture.ada, owner: 'acme' };
  const problems = (how: readonly ('button' | 'review')[], presenter: 'app' | 'action') =>
    presentingProblems(repository, { approval: { by, how } }, { presenter });
  expect((await problems(['button'], 'action')).map(problemText)).toEqual([
    'approval.how: expected comment or review among them: a workflow hears of no click, which takes the App; received [button]',
  ]);
  expect(await problems(['button', 'review'], 'action')).toEqual([]);
  expect(await problems(['button'], 'app')).toEqual([]);
});
