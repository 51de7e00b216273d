import { expect, test } from 'vitest';
import { eventually } from './eventually.ts';
import { owedBy, startNotifying } from './notified-team.ts';

/** Sessions in which the target, or the App, is away. */

test('what could not be sent before a crash is sent by the next process, once', async () => {
  let ahead = 0;
  const { fixture, team, received, taken, told } = await startNotifying(() => new Date(Date.now() + ahead));
  team.status = 503;
  const { ada } = fixture;
  const pull = await ada.starts('Make it fine');
  await told(2);
  fixture.app.kill();
  team.status = 200;
  received.length = 0;
  ahead = 2 * 60_000;
  await fixture.start();
  const [message] = await told(1);
  expect(message?.type).toBe('approval_requested');
  await eventually('nothing is owed', async () => ((await owedBy(pull)).length === 0 ? true : undefined));
  await fixture.app.stop();
  expect(taken()).toHaveLength(1);
});

test('a target that is away for a day is given up, which the run says, and nothing else waits for it', async () => {
  let ahead = 0;
  const { fixture, team, told } = await startNotifying(() => new Date(Date.now() + ahead));
  team.status = 500;
  const { ada } = fixture;
  const pull = await ada.starts('Make it fine');
  await pull.waitForPhase('awaiting_approval');
  await told(1);
  expect(await owedBy(pull)).toEqual(['approval_requested']);
  ahead = 24 * 3_600_000 + 60_000;
  const { output } = await eventually('what the check says', async () => {
    const check = await pull.check('Coxswain');
    return check.output.summary?.includes('team:') ? check : undefined;
  });
  expect(output.summary).toMatch(/not told elsewhere:\n\n- team: 127\.0\.0\.1:\d+ answered 500/);
});
