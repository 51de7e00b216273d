import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { put } from '../agent-fixture.ts';
import { testsAfter, workspaceWith } from './reading.ts';

const jvm = 'com.acme.CartTest › countsAnEmptyList';
const go = 'cart/cart_test.go:7 example.com/shop/cart › TestCountsAnEmptyList: cart_test.go:7: got 0, want 1';

/** Each report, where its runner writes it, and how the test that failed in it is told of. */
test.each([
  [
    'bats.xml',
    'report.xml',
    'test-bats/cart.bats:3 counts an empty list: (in test file test-bats/cart.bats, line 3)',
  ],
  [
    'cargo-nextest.xml',
    'target/nextest/ci/junit.xml',
    "src/lib.rs:3 shop › counts_an_empty_list: thread 'counts_an_empty_list' panicked at src/lib.rs:3:5",
  ],
  ['ctest.xml', 'build/junit.xml', 'cart.c:12 cart_counts_an_empty_list: cart.c:12: expected 1, got 0'],
  [
    'deno.xml',
    'junit.xml',
    'deno-test/cart.test.js:3 counts an empty list: Uncaught Error: expected 1, got 0',
  ],
  [
    'dotnet.xml',
    'tests/TestResults/TestResults.xml',
    'tests/CartTests.cs:9 Shop.Tests.CartTests › CountsAnEmptyList: Assert.Equal() Failure: Values differ',
  ],
  ['go-junit-report.xml', 'report.xml', go],
  ['gotestsum.xml', 'junit-1.xml', go],
  [
    'gradle.xml',
    'app/build/test-results/test/TEST-com.acme.CartTest.xml',
    `app/src/test/java/com/acme/CartTest.java:13 ${jvm}(): org.opentest4j.AssertionFailedError: expected: <1> but was: <0>`,
  ],
  [
    'jasmine-reporters.xml',
    'junitresults-cart.xml',
    'spec/cart.spec.js:5 cart › counts an empty list: Expected 0 to be 1.',
  ],
  [
    'jest-junit.xml',
    'junit.xml',
    'test-jest/cart.test.js:5 cart counts an empty list: Error: expect(received).toBe(expected) // Object.is equality',
  ],
  [
    'mocha-junit-reporter.xml',
    'test-results.xml',
    'test-mocha/cart.test.js:6 cart counts an empty list: Expected values to be strictly equal:',
  ],
  [
    'mocha-xunit.xml',
    'reports/test/xunit.xml',
    'test-mocha/cart.test.js:6 cart › counts an empty list: Expected values to be strictly equal:',
  ],
  [
    'node-test.xml',
    'reports/junit.xml',
    'test-node/cart.test.js:7 cart › counts an empty list: Expected values to be strictly equal:0 !== 1',
  ],
  [
    'phpunit.xml',
    'build/logs/junit.xml',
    'tests/CartTest.php:12 Tests.CartTest › testCountsAnEmptyList: Failed asserting that 0 is identical to 1.',
  ],
  [
    'playwright.xml',
    'test-results/results.xml',
    'tests-pw/cart.spec.js:6 cart › counts an empty list: expect(received).toBe(expected) // Object.is equality',
  ],
  [
    'pytest.xml',
    'report.xml',
    'tests/test_cart.py:8 tests.test_cart.TestCart › test_counts_an_empty_list: assert 0 == 1',
  ],
  [
    'pytest-xunit1.xml',
    'pytest.xml',
    'tests/test_cart.py:8 tests.test_cart.TestCart › test_counts_an_empty_list: assert 0 == 1',
  ],
  [
    'surefire.xml',
    'target/surefire-reports/TEST-com.acme.CartTest.xml',
    `src/test/java/com/acme/CartTest.java:13 ${jvm}: expected: <1> but was: <0>`,
  ],
  [
    'vitest.xml',
    'test-results/vitest.xml',
    'vt/cart.test.js:6 cart > counts an empty list: expected +0 to be 1 // Object.is equality',
  ],
])('%s is read in %s', async (name, path, failure) => {
  const [source = ''] = failure.split(':', 1);
  const workspace = workspaceWith({ [source]: '' });
  const recorded = readFileSync(new URL(`recorded/${name}`, import.meta.url), 'utf8');
  const report = await testsAfter(workspace, () => put(workspace, { [path]: recorded }));
  expect(report).toMatchObject({ from: 'junit', ...(counts[name] ?? usual) });
  const told = report?.failures.map((each) => `${each.path}:${each.line} ${each.name}: ${each.message}`);
  expect(told?.[0]?.split('\n', 1)[0]).toBe(failure);
  expect(told).toHaveLength(report?.failed ?? 0);
});

const usual = { total: 3, failed: 1, skipped: 1 };

/** Some also have a test without its fixture, or one that fails only once; some say nothing of skipped ones. */
const counts: Readonly<Record<string, typeof usual>> = {
  'cargo-nextest.xml': { total: 2, failed: 1, skipped: 0 },
  'mocha-junit-reporter.xml': { total: 2, failed: 1, skipped: 0 },
  'pytest.xml': { total: 4, failed: 2, skipped: 1 },
  'pytest-xunit1.xml': { total: 4, failed: 2, skipped: 1 },
  'surefire.xml': { total: 4, failed: 1, skipped: 1 },
};
