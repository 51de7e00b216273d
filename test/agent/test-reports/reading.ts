import { realpathSync } from 'node:fs';
import { expect } from 'vitest';
import { timeIn } from '../../../src/agent/test-reports/find-reports.ts';
import { testsOf } from '../../../src/agent/test-reports/tests-of.ts';
import { put, temporaryFolder } from '../agent-fixture.ts';

/** A workspace in which nothing has run yet. */
export function workspaceWith(files: Readonly<Record<string, string>> = {}): string {
  const folder = realpathSync(temporaryFolder());
  put(folder, files);
  return folder;
}

interface Reading {
  readonly globs?: readonly string[];
  readonly secrets?: readonly string[];
  readonly output?: string;
  readonly success?: boolean;
}

/** What is read of a verifier that does this in a workspace. */
export async function testsAfter(
  workspace: string,
  verifier: () => void | Promise<void>,
  { globs, secrets = [], output = '', success = false }: Reading = {},
) {
  const since = await timeIn(workspace);
  await verifier();
  return testsOf({ workspace, seenAs: '/run/coxswain/workspace', since, globs, secrets, output, success });
}

/** A report in which one test failed, and one passed. */
export const oneFailed =
  '<testsuite name="cart"><testcase name="adds"/><testcase name="counts"><failure message="0 !== 1"/></testcase></testsuite>';

/** Tests of which one fails, how they are run, and what is read of them. */
export const failingTests = {
  files: {
    'cart.test.mjs': `import assert from 'node:assert';
import { test } from 'node:test';
test('counts an empty list', () => {
  assert.strictEqual(0, 1);
});
test('adds prices', () => {});
`,
  },
  run: 'mkdir reports && node --test --test-reporter=junit --test-reporter-destination=reports/junit.xml',
  tests: {
    ...{ from: 'junit', total: 2, failed: 1, skipped: 0 },
    failures: [
      {
        name: 'counts an empty list',
        message: expect.stringMatching(/^Expected values to be strictly equal/),
        ...{ path: 'cart.test.mjs', line: 4 },
      },
    ],
  },
};
