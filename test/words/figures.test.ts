import { expect, test } from 'vitest';
import { blockOf } from '../../src/github/show/block.ts';
import type { SteeringIteration } from '../../src/steering/state/state.ts';
import { failedText } from '../../src/words/index.ts';
import { keptText } from '../../src/words/parts/common-phrases.ts';
import { runTable } from '../../src/words/run-table.ts';
import { anIteration, awaiting } from '../github/show/state.ts';
import { story } from '../steering/story.ts';

/** Figures and verdicts that speak of the same thing. */

const notes = { leftOut: 0, requester: 'ada', restored: null, ciWaits: false };

test('a sum that an older version recorded is shown and handed on without binary rounding', () => {
  const state = awaiting({ iterations: [anIteration({ duration_s: 5.199999999999999 })] });
  const block = blockOf(state);
  expect(block.history[0]?.duration_s).toBe(5.2);
  expect(runTable(block, notes)).toContain('| 5.2 s |');
});

test('a cost that no agent reports has no column, and one that some do not is said to be missing', () => {
  const tableOf = (...costs: readonly { usd?: number }[]) => {
    const iterations = costs.map((cost, iteration_number) =>
      anIteration({ iteration_number, cost, duration_s: 6 }),
    );
    return runTable(blockOf(awaiting({ iterations })), notes);
  };
  expect(tableOf({}, {})).toContain('| confidence | work time |');
  expect(tableOf({}, {})).toContain('| 6.0 s |');
  expect(tableOf({ usd: 0.1 }, {})).toMatch(
    /cost, work time .*0\.10 USD, 6\.0 s \|.*cost not reported, 6\.0 s \|/s,
  );
});

test('a verifier that is not required and failed is told apart from one that is required', () => {
  const flaky = { name: 'flaky', success: false, required: false } as const;
  const passed = { name: 'test', success: true };
  const tableOf = (verifiers: SteeringIteration['verifiers']) =>
    runTable(blockOf(awaiting({ iterations: [anIteration({ verifiers })] })), notes);
  expect(tableOf([passed, flaky])).toContain('| 1 pass; `flaky` fail, not required |');
  expect(tableOf([{ ...passed, success: false }, flaky])).toContain(
    '| **fail** `test`; `flaky` fail, not required |',
  );
  expect(failedText([passed, flaky], { passed: true })).toBe('flaky failed, which is not required');
  // Older versions did not record what is required.
  const older = { name: 'flaky', success: false };
  expect(failedText([passed, older], { passed: true })).toBe('flaky failed, which is not required');
  expect(failedText([passed, older], { passed: false })).toBe('flaky failed');
});

test('work that was refused is where the ref says, or only where it was made', () => {
  const run = story().starts().agent.fails('push_refused');
  const [record] = run.state.attempts;
  const ref = `refs/coxswain/kept/7/${'a'.repeat(40)}`;
  expect(keptText(run.state)).toContain(
    '- Attempt 1: it may still exist on the machine where the agent ran, and nowhere else.',
  );
  const attempts = record === undefined ? [] : [{ ...record, kept_ref: ref }];
  expect(keptText({ attempts })).toContain(`- Attempt 1: \`git fetch origin ${ref}\`, then`);
  // Whoever may push could have put another commit there.
  expect(keptText({ attempts })).toContain(`then \`git cherry-pick ${ref.replace(/^.*\//, '')}\`.`);
  expect(keptText(story().starts().agent.fails('exit').state)).toBe('');
});
