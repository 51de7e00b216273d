import { describe, expect, test } from 'vitest';
import { type CommandName, commandSpecs } from '../../src/steering/commands/index.ts';
import { advisableTo, foreseenRefusal, possibleIn } from '../../src/steering/phases/table.ts';
import { allPhases, runIn } from './phases.ts';
import { ada, bob, mia, rea, secret } from './samples.ts';
import type { Story } from './story.ts';

const people = [ada, bob, mia, rea];

/** What the person would have to type: the page names the commit. */
function typed(name: CommandName, { state }: Story): string {
  return `/${name} ${name === 'approve' ? state.head : commandSpecs[name].example}`;
}

describe.each(allPhases)('while %s', (phase) => {
  test('a refusal is foreseen exactly where a command is refused', () => {
    for (const by of people) {
      for (const name of possibleIn(runIn[phase]().state)) {
        const run = runIn[phase]();
        const foreseen = foreseenRefusal(run.state, name, { by, at: new Date(run.now).toISOString() });
        run.says(by, typed(name, run));
        expect([by.login, name, run.refusal?.why]).toEqual([by.login, name, foreseen?.why]);
      }
    }
  });
});

test('an approval is foreseen to be refused for what is red, too few iterations for a steer', () => {
  const at = '2025-03-03T13:00:00Z';
  const red = runIn.awaiting_resolution({ max_iterations: 0 });
  expect(foreseenRefusal(red.state, 'approve', { by: mia, at })).toEqual({
    why: 'red_verifiers',
    names: ['test'],
    has: 'maintain',
  });
  expect(advisableTo(red.state, { by: mia, at })).not.toContain('approve');
  expect(advisableTo(red.state, { by: mia, at })).not.toContain('steer');
  expect(advisableTo(red.state, { by: mia, at })).toContain('retry');
});

test('work held by a critical rule is answered by maintainers only', () => {
  const run = runIn.queued().agent.isHeld([secret]);
  const at = new Date(run.now).toISOString();
  expect(foreseenRefusal(run.state, 'allow', { by: ada, at })?.why).toBe('not_permitted');
  expect(foreseenRefusal(run.state, 'allow', { by: mia, at })).toBeUndefined();
});

test('a refusal recommends nothing that the same person would be refused next', () => {
  const run = runIn.awaiting_resolution().says(ada, '/allow');
  const said = run.replies.at(-1);
  expect(said?.say === 'refused' && said.possible).toEqual(
    expect.arrayContaining(['retry', 'steer', 'reject', 'cancel', 'verify']),
  );
  expect(said?.say === 'refused' && said.possible).not.toContain('approve');
});
