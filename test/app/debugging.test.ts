import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppFixture, startAppFixture } from './app-fixture.ts';
import { eventually } from './eventually.ts';

/** What `DEBUG=coxswain:*` says of one steer. */
let fixture: AppFixture;

beforeAll(async () => {
  fixture = await startAppFixture({ variables: { DEBUG: 'coxswain:*' } });
});
afterAll(() => fixture?.end());

test('with DEBUG=coxswain:* the App says why it decided, recorded and drew something, or passed it over', async () => {
  const { ada, app } = fixture;
  const pull = await ada.starts('Make it fine');
  await pull.waitForPhase('awaiting_approval', { iteration: 0 });
  const before = app.output().length;
  const comment = await ada.says(pull, '/steer make it better');
  await pull.waitForPhase('awaiting_approval', { iteration: 1 });
  const run = `acme/widgets#${pull.number}`;
  const drawn = new RegExp(`coxswain:draw ${run} entry \\d+: drawn as awaiting_approval`);
  const lines = await eventually('the last drawing', () => {
    const said = app.output().slice(before);
    return drawn.test(said) ? said : undefined;
  });
  const event = `${run} comment:${comment}@\\S+`;
  expect(lines).toMatch(new RegExp(`coxswain:decide ${event}: Start iteration 1, steered by ada: .*queued`));
  expect(lines).toMatch(new RegExp(`coxswain:record ${event}: entry \\d+`));
  expect(lines).toMatch(/coxswain:listen \S+ \S+: it concerns no run/);
});
