import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ledgerOf, number } from './approved-run.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** An agent whose work would be merged without people changes by what it is judged. */
let saved: SavedForge;
let fixture: RunsFixture;

const config = (verifier: string) => `version: 1
agent: { use: command, command: [sh, agent.sh] }
verifiers: [{ name: test, run: "${verifier}" }]
sandbox: off
approval: { mode: auto, new_history: 0, finish: merge }
`;

beforeAll(async () => {
  saved = await saveForge(async ({ ada }) => {
    await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

/** Resolves when the work of an agent that runs this script is judged. */
async function works(agent: string, verifier = 'true'): Promise<void> {
  await fixture.forge.seed.commit('acme/api', {
    '.github/coxswain.yml': config(verifier),
    'tools/check.sh': 'test -f notes.txt\n',
    'agent.sh': `${agent}\n`,
  });
  await fixture.says('ada', 1, '/run');
}

const pull = async () => (await fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data;

test.each([
  ['the configuration', 'echo "# more" >> .github/coxswain.yml', 'true'],
  ['who owns what', 'echo "* @bob" > CODEOWNERS', 'true'],
  ['a script', 'echo "exit 0" > tools/check.sh', 'CI=1 sh tools/check.sh'],
  ['a script in another folder', 'echo "exit 0" > tools/check.sh', 'cd tools && timeout 60 sh -eu check.sh'],
  ['a script by a link', 'ln -sf ../agent.sh tools/check.sh', 'sh tools/check.sh'],
])('people decide about a change of %s', async (_, agent, verifier) => {
  await works(`echo more >> notes.txt\n${agent}`, verifier);
  const { state } = await ledgerOf(fixture);
  expect(await pull()).toMatchObject({ merged: false, draft: true });
  expect(JSON.stringify(state.standing)).toContain('changes-automation');
  expect(state.standing.phase).toMatch(/^awaiting_/);
});

test('nobody has to be asked about other files', async () => {
  await works('echo more >> notes.txt', 'CI=1 sh tools/check.sh');
  expect((await pull()).merged).toBe(true);
});
