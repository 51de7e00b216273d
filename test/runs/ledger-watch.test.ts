import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ada, removal } from '../steering/samples.ts';
import { story } from '../steering/story.ts';
import { atWorkOn } from './at-work.ts';

/** What people say is recorded by another process than the one in which the agent works. */

const agent = { use: 'claude', timeout_s: 1800 } as const;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

test('an agent that waits gets an answer from elsewhere within seconds', async () => {
  const run = story({ agent }).starts().engine.takes();
  const { live, takes } = atWorkOn(run, { hasOthers: () => true });
  const answers: unknown[] = [];
  void live.ask(removal, new AbortController().signal).then((answer) => answers.push(answer));
  await takes();
  await expect.poll(() => run.state.standing).toMatchObject({ asking: { call: { id: removal.id } } });
  run.says(ada, '/allow');
  await vi.advanceTimersByTimeAsync(2_000);
  await expect.poll(() => answers).toEqual([{ allowed: true, why: '' }]);
});

test.each([
  [true, ['rename it']],
  [false, []],
])(
  'an agent at work is told what was said elsewhere, if there is such a process: %s',
  async (others, told) => {
    const run = story({ agent }).starts().engine.takes();
    const { live } = atWorkOn(run, { hasOthers: () => others });
    const heard: string[] = [];
    const rest = live.attend(async (words) => {
      heard.push(words.split('\n').at(-1) ?? '');
      return 'injected';
    });
    run.says(ada, '/steer --now rename it');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(heard).toEqual(told);
    rest();
    run.says(ada, '/steer --now and the docs');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(heard).toEqual(told);
  },
);
