import type { State } from '../steering/state/state.ts';
import { missingText } from './missing.ts';
import { originsText } from './origins.ts';
import { breakdown, confidenceLine } from './parts/confidence.ts';
import { failedTestsText } from './parts/evidence.ts';
import { type FlakyBefore, flakiestText } from './parts/flaky.ts';
import { gatesText } from './parts/gates.ts';
import { command, commit, supersededText } from './parts/phrases.ts';
import { policyText } from './parts/policy.ts';
import { paragraphs } from './parts/sanitize.ts';

/**
 * The reply to `/why`: what is missing for the next step, which verifiers are flaky, how the confidence score
 * came about, and where settings come from. `web` is the address of the repository.
 */
export function whyText(state: State, web: string, before?: FlakyBefore): string {
  const { shown } = state;
  const first = missingText(state);
  const flaky = flakiestText(state, before);
  if (shown === null) {
    return paragraphs([
      first,
      `There is no confidence score yet because ${commit(state.head)} has not been verified. ` +
        `${command('status')} shows where the run stands.`,
      flaky,
      originsText(state),
    ]);
  }
  const gates = gatesText(shown, { state, web });
  const tests = failedTestsText(shown);
  const evidence = [
    supersededText(state),
    tests,
    flaky,
    confidenceLine(state),
    breakdown(state, shown),
    gates,
  ];
  return paragraphs([first, ...evidence, policyText(state), originsText(state)]);
}
