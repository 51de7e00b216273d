import { expect, test } from 'vitest';
import { withOverrides } from '../../src/config/overrides.ts';
import { readConfig } from '../../src/config/read.ts';
import { settingsFor } from '../../src/config/settings-by-base.ts';
import type { State } from '../../src/steering/state/state.ts';
import { statusText, whyText } from '../../src/words/index.ts';
import { awaiting, web } from '../github/show/state.ts';

/** A run with this configuration, whose task asks for these things. */
function runWith(
  yaml: string,
  written: Record<string, unknown> = {},
  task: Partial<State['task']> = {},
): State {
  const reading = readConfig(`version: 1\nagent: claude\n${yaml}`, { path: 'x', ref: 'main' });
  if (reading.outcome === 'misconfigured') throw new Error(JSON.stringify(reading.problems));
  const { worker_profile = '' } = task;
  const own = settingsFor(reading, { base: 'main', default_branch: 'main', worker_profile });
  const { settings, overrides, problems } = withOverrides(own, written);
  const ignored = problems.map(({ path }) => path);
  const state = awaiting({ settings: { ...settings, ...(ignored.length > 0 && { ignored }) }, overrides });
  return { ...state, task: { ...state.task, worker_profile, ...task } };
}

function originsIn(state: State): string {
  return /\*\*Settings\*\*[\s\S]*/.exec(whyText(state, web))?.[0] ?? '';
}

test('/why is silent about settings that are the defaults', () => {
  expect(originsIn(runWith(''))).toBe('');
});

test('/why says which settings are the task’s and which the repository’s', () => {
  const written = {
    critical: true,
    approval: { threshold: 0.9, by: ['maintain'] },
    verifiers: [{ name: 'docs', run: 'npm run docs' }],
    limits: { minutes: 10 },
  };
  expect(
    originsIn(runWith('approval: { required: 2 }\nsteering: { max_iterations: 8 }', written)),
  ).toMatchInlineSnapshot(`
    "**Settings** that differ from the defaults:

    - from the task: \`verifiers: docs\`, \`critical\`, \`approval.threshold: 0.9\`, \`approval.by: maintain\`, \`limits.minutes: 10\`
    - from the configuration: \`approval.required: 2\`, \`max_steering_iterations: 8\`"
  `);
});

test('/why names the profile that brought the agent, unless the task has one of its own', () => {
  const agents = 'agents: { careful: { use: codex } }';
  const chosen = { worker_profile: 'careful' };
  expect(originsIn(runWith(agents, {}, chosen))).toContain(
    '- from the worker profile `careful`: `agent: codex`',
  );
  const both = originsIn(runWith(agents, { agent: 'gemini' }, chosen));
  expect(both).toContain('- from the task: `agent: gemini`');
  expect(both).not.toContain('worker profile');
});

test('what no longer fits the configuration does not count as the task’s', () => {
  const text = originsIn(runWith('approval: { required: 3 }', { approval: { required: 2 } }));
  expect(text).toContain('- from the configuration: `approval.required: 3`');
  expect(text).not.toContain('from the task');
});

test('/status shows the kind and the component of a task that has them', () => {
  expect(statusText(runWith('', {}, { kind: 'test', component: 'billing' }))).toContain(
    '\nTask: test, component billing\n',
  );
  expect(statusText(runWith(''))).not.toContain('Task:');
});
