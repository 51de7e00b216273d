import { expect, test } from 'vitest';
import { ada, removal } from '../steering/samples.ts';
import { story } from '../steering/story.ts';
import { atWorkOn } from './at-work.ts';

/** An agent that asks again, in a run whose ledger is slow. */

const another = { ...removal, id: 'ask-2', title: 'rm -rf other', command: 'rm -rf other' };

/** The first call is allowed already. */
function afterAnAnswer() {
  const run = story().starts().engine.takes().agent.asks(removal).says(ada, '/allow');
  return { run, ...atWorkOn(run) };
}

test('what people said to an earlier question is no answer to the next', async () => {
  const { run, live, takes } = afterAnAnswer();
  const answering = live.ask(another, new AbortController().signal);
  // Somebody says something else before the question is in the ledger.
  live.see(run.says(ada, '/steer and the docs').state);
  await takes();
  await expect.poll(() => run.state.standing).toMatchObject({ asking: { call: { id: another.id } } });
  live.see(run.clicks(ada, 'deny').state);
  expect(await answering).toEqual({ allowed: false, why: 'ada denied it' });
});

test('an answer counts that is in the ledger before anybody is told of the question', async () => {
  const { run, live, takes } = afterAnAnswer();
  const answering = live.ask(another, new AbortController().signal);
  await takes(() => run.clicks(ada, 'allow'));
  expect(await answering).toEqual({ allowed: true, why: '' });
});

test('an older state, acted on late, ends no question', async () => {
  const { run, live, takes } = afterAnAnswer();
  const { state: before } = run;
  const answering = live.ask(another, new AbortController().signal);
  await takes();
  await expect.poll(() => run.state.standing).toMatchObject({ asking: { call: { id: another.id } } });
  live.see(before);
  live.see(run.clicks(ada, 'allow').state);
  expect(await answering).toEqual({ allowed: true, why: '' });
});

test('an answer that is given while nobody answers in time counts', async () => {
  const { run, live, takes } = afterAnAnswer();
  const withdrawn = new AbortController();
  const answering = live.ask(another, withdrawn.signal);
  await takes();
  await expect.poll(() => run.state.standing).toMatchObject({ asking: { call: { id: another.id } } });
  withdrawn.abort();
  run.clicks(ada, 'allow');
  await takes();
  expect(await answering).toEqual({ allowed: true, why: '' });
});
