import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppFixture, expectNoProblems, startAppFixture } from './app-fixture.ts';
import { eventually } from './eventually.ts';
import { type Terminal, terminalOf } from './terminal.ts';

/** Every command that a terminal says is in the ledger exactly as if it had been written as a comment. */
let fixture: AppFixture;
let mia: Terminal;

beforeAll(async () => {
  fixture = await startAppFixture();
  mia = terminalOf(fixture, fixture.mia);
});

afterAll(() => fixture?.end());

/** Says one after the other on a run; all are taken up. */
async function says(number: number, lines: readonly (readonly string[])[]): Promise<void> {
  for (const argv of lines) {
    const ended = await mia.run([...argv, '--run', `acme/widgets#${number}`]);
    expect(ended, `${argv.join(' ')}: ${ended.err}`).toMatchObject({ code: 0, err: '' });
  }
}

async function saidOn(pull: Awaited<ReturnType<AppFixture['ada']['starts']>>) {
  const { events } = await pull.ledger();
  return events.flatMap((event) => (event.type === 'said' ? [event.command] : []));
}

test('a run is held, extended, interrupted and given up', async () => {
  const pull = await fixture.ada.starts('Make it fine');
  await pull.waitForPhase('awaiting_approval');
  await says(pull.number, [
    ['pause', '-m', 'Wait for the release'],
    ['resume'],
    ['extend', '3'],
    ['interrupt', '-m', 'The design\nhas changed'],
  ]);
  const { open_interaction } = await pull.waitForPhase('awaiting_resolution');
  // GitHub's times are in seconds: what is said in the same one may have been said before.
  const asked = Date.parse(open_interaction?.opened_at ?? '');
  await eventually('the next second', () => Date.now() >= asked + 1000 || undefined);
  await says(pull.number, [['resolve', 'abandon', '-m', 'Not worth it']]);
  expect(await saidOn(pull)).toEqual([
    { type: 'pause', reason: 'Wait for the release' },
    { type: 'resume' },
    { type: 'extend', more: 3 },
    { type: 'interrupt', reason: 'The design\nhas changed' },
    { type: 'abandon', reason: 'Not worth it' },
  ]);
  await pull.waitForClosed();
  expectNoProblems(fixture);
}, 90_000);

test('a question is answered, and work that is held is kept off the branch', async () => {
  const asking = await fixture.ada.starts('agent: ask');
  await asking.waitForPhase('awaiting_answer');
  await says(asking.number, [['answer', 'Then', 'the', 'end']]);
  expect(await saidOn(asking)).toEqual([{ type: 'answer', text: 'Then the end' }]);
  const held = await fixture.ada.starts('agent: workflow');
  await held.waitForPhase('awaiting_permission');
  await says(held.number, [['deny', '-m', 'CI must not change']]);
  expect(await saidOn(held)).toEqual([{ type: 'deny', reason: 'CI must not change' }]);
  await says(held.number, [['cancel']]);
  expectNoProblems(fixture);
}, 90_000);

test('a failed task is replaced by those of a file, and a red verifier is overridden', async () => {
  const pull = await fixture.ada.starts('Make it worse. agent: red');
  await pull.waitForPhase('awaiting_resolution');
  const { head_sha } = await pull.waitForPhase('awaiting_resolution');
  const overridden = await mia.run([
    'approve',
    '--despite',
    'test',
    '--yes',
    '--sha',
    head_sha,
    '--run',
    `acme/widgets#${pull.number}`,
  ]);
  expect(overridden).toMatchObject({ code: 0 });
  expect(await saidOn(pull)).toEqual([{ type: 'approve', sha: head_sha, despite: ['test'] }]);
  const other = await fixture.ada.starts('Make that worse. agent: red');
  await other.waitForPhase('awaiting_resolution');
  const input =
    'description: "First. agent: work"\nname: first\n---\ndescription: "Then. agent: work"\ndepends_on: [first]\n';
  const bare = await mia.run(['spawn', '--run', `acme/widgets#${other.number}`]);
  expect(bare).toMatchObject({ code: 2, err: expect.stringContaining('it needs a task') });
  const argv = ['spawn', '-f', '-', '--run', `acme/widgets#${other.number}`, '-o', 'json'];
  const spawned = await mia.run(argv, { input });
  expect(spawned).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(spawned.out)).toMatchObject({ action: 'spawn', status: 'resumed' });
  expect(await saidOn(other)).toMatchObject([
    { type: 'spawn', tasks: [{ name: 'first' }, { depends_on: ['first'] }] },
  ]);
  expectNoProblems(fixture);
}, 90_000);
