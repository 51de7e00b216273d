import { expect, test } from 'vitest';
import { setupBody } from '../../src/words/setup-texts.ts';

/** What the pull request that proposes a configuration says about verifiers. */
const setup = {
  ...{ text: '', path: '.github/coxswain.yml', branch: 'main', agent: 'Claude Code' },
  ...{ found: [], setup: [], notes: [], isGated: false },
};
const asked = { login: 'ada', number: 1 };
const verifier = { name: 'test', run: 'npm test', from: 'script "test" in package.json' };

test('where there are some, each should pass already', () => {
  const body = setupBody({ ...setup, verifiers: [verifier] }, asked);
  expect(body).toContain('Each verifier should already pass on `main`');
  expect(body).not.toContain('0.79');
});

test('where there are none, it does not speak of them as if there were', () => {
  const body = setupBody({ ...setup, verifiers: [] }, asked);
  expect(body).not.toContain('Each verifier');
  expect(body).toContain('Its confidence stays at 0.79 or below until you add a verifier.');
});
