import { afterEach, expect, test, vi } from 'vitest';
import { ada } from '../steering/samples.ts';
import { story } from '../steering/story.ts';
import { atWorkOn } from './at-work.ts';

/** An agent that is told what people say, in a run whose ledger is slow. */

afterEach(() => vi.useRealTimers());

function steered() {
  const agent = { use: 'claude', timeout_s: 1800 } as const;
  const run = story({ agent }).starts().engine.takes().says(ada, '/steer --now rename it', { comment: 77 });
  return { run, ...atWorkOn(run) };
}

/** Hears everything; what is true of each word is noted before it is answered. */
function hearing(meanwhile: () => void = () => undefined) {
  const heard: string[] = [];
  const tell = async (words: string) => {
    heard.push(words.split('\n').at(-1) ?? '');
    meanwhile();
    return 'injected' as const;
  };
  return { heard, tell };
}

test('a result waits until it is recorded what the agent heard', async () => {
  const { run, live, takes } = steered();
  const { heard, tell } = hearing();
  const ends = live.attend(tell);
  await expect.poll(() => heard).toEqual(['rename it']);
  ends();
  const told = live.told();
  expect(await Promise.race([told, 'not yet'])).toBe('not yet');
  await takes();
  await told;
  expect(run.state.iterations[0]?.steers).toMatchObject([{ prompt: 'rename it', told: 'injected' }]);
});

test('but not for long', async () => {
  const { live } = steered();
  const { heard, tell } = hearing();
  live.attend(tell);
  await expect.poll(() => heard).toHaveLength(1);
  vi.useFakeTimers();
  const told = live.told();
  await vi.advanceTimersByTimeAsync(15_000);
  await told;
});

test('what the agent has heard it is not told again, even if that could not be recorded', async () => {
  const { run, live, fails } = steered();
  const { heard, tell } = hearing();
  live.attend(tell);
  live.see(run.state);
  await fails();
  live.see(run.state);
  await live.told();
  expect(heard).toEqual(['rename it']);
  expect(run.state.standing).toMatchObject({ telling: [{ prompt: 'rename it' }] });
});

test('what an agent that has ended did not hear is for the next one', async () => {
  const { run, live, takes } = steered();
  run.says(ada, '/steer --now and the docs');
  const { heard, tell } = hearing(() => ends());
  const ends = live.attend(tell);
  await takes();
  await live.told();
  expect(heard).toEqual(['rename it']);
  expect(run.state.standing).toMatchObject({ phase: 'working', telling: [{ prompt: 'and the docs' }] });
});

test('an agent that ends while it is told is not stopped for that', async () => {
  const { run, live } = steered();
  const ends = live.attend(async () => {
    ends();
    return 'unable';
  });
  await live.told();
  expect(run.state.standing).toMatchObject({ phase: 'working', telling: [{ prompt: 'rename it' }] });
});

test('the agent is told what a comment says by then, and nothing that was taken back', async () => {
  const { run, live, takes } = steered();
  run
    .says(ada, '/steer --now and the docs', { comment: 78 })
    .says(ada, '/steer --now or not', { comment: 79 });
  const { heard, tell } = hearing(() => {
    if (heard.length === 1) run.edits(78, 'and all docs').edits(79, null);
  });
  live.attend(tell);
  await takes();
  await takes();
  await live.told();
  expect(heard).toEqual(['rename it', 'and all docs']);
  expect(run.state.iterations[0]?.steers).toMatchObject([
    { prompt: 'rename it' },
    { prompt: 'and all docs' },
  ]);
});

test('the agent is told again what changes while it is told', async () => {
  const { run, live, takes } = steered();
  const { heard, tell } = hearing(() => {
    if (heard.length === 1) run.edits(77, 'rename all of them');
  });
  live.attend(tell);
  await takes();
  await live.told();
  expect(heard).toEqual(['rename it', 'rename all of them']);
  expect(run.state.iterations[0]?.steers).toMatchObject([{ prompt: 'rename all of them' }]);
});
