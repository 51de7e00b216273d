import { expect, test } from 'vitest';
import { eventually } from './eventually.ts';
import { owedBy, startNotifying } from './notified-team.ts';

test('a team hears when it is waited for, what it would decide on, and how the run ended', async () => {
  const { fixture, told } = await startNotifying();
  const { ada, bob } = fixture;
  const pull = await ada.starts('Make it fine');
  const [first] = await told(1);
  expect(first).toMatchObject({
    type: 'approval_requested',
    data: {
      run: `acme/widgets#${pull.number}`,
      title: expect.stringContaining('Coxswain finished Widgets are wrong'),
      text: expect.stringContaining('Did work in iteration 0'),
      url: expect.stringContaining(`/acme/widgets/pull/${pull.number}`),
    },
  });
  await ada.says(pull, '/steer also mind the empty list');
  const [, second] = await told(2);
  expect(second).toMatchObject({ data: { title: expect.stringContaining('Steering iteration 1 complete') } });
  await bob.says(pull, '/reject not now');
  const all = await told(3);
  expect(all.map(({ type }) => type)).toEqual(['approval_requested', 'approval_requested', 'run_finished']);
  expect(new Set(all.map(({ id }) => id)).size).toBe(3);
  await eventually('nothing is owed', async () => ((await owedBy(pull)).length === 0 ? true : undefined));
});
