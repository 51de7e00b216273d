import { expect, test } from 'vitest';
import { probeSandbox } from '../../../src/agent/index.ts';
import type { VerifyOutcome } from '../../../src/agent/port/assignment.ts';
import type { VerifierOutput } from '../../../src/steering/shapes/attempt-result.ts';
import { agentFixture, verifyBy } from '../agent-fixture.ts';
import { commitOn } from '../commit-on.ts';
import { failingTests, oneFailed } from './reading.ts';

test('the report of a real runner is read', async () => {
  const on = await agentFixture(failingTests.files, { sandbox: await probeSandbox('off') });
  const outcome = await verifyBy({ test: failingTests.run }, on);
  const { tests } = failingTests;
  expect(outcome).toMatchObject({ verifiers: [{ success: false, tests }] });
  expect(fullOf(outcome)).toMatchObject([{ tests }]);
});

test('a report that was committed, made by set-up or by an earlier verifier is not that of a later one', async () => {
  const on = await agentFixture({ 'junit.xml': oneFailed });
  const write = `printf '%s' '${oneFailed}' >`;
  const verifiers = [
    { name: 'before', run: 'ls out/junit.xml junit.xml' },
    { name: 'own', run: `${write} report.xml` },
    { name: 'later', run: 'ls report.xml && echo "4 passed in 1s"', after: 'own' },
  ].map((each) => ({ ...each, timeout_s: 20, required: true }));
  const settings = { verifiers, setup: [`mkdir out; ${write} out/junit.xml`] };
  const outcome = await verifyBy({}, on, { settings });
  const told = outcome.kind === 'verified' ? outcome.verifiers : [];
  expect(told.map(({ success, tests }) => [success, tests?.from, tests?.total])).toEqual([
    [true, undefined, undefined],
    [true, 'junit', 2],
    [true, 'closing_lines', 4],
  ]);
});

test('the state keeps the messages of a hundred failures in short, the ledger in full', async () => {
  const on = await agentFixture({
    'junit.xml.txt': `<testsuite>${`<testcase name="a"><error message="${'m'.repeat(2000)}"/></testcase>`.repeat(150)}</testsuite>`,
  });
  const outcome = await verifyBy({ test: 'cp junit.xml.txt junit.xml' }, on);
  const [shown] = outcome.kind === 'verified' ? outcome.verifiers : [];
  const [kept] = fullOf(outcome);
  expect(shown?.tests).toMatchObject({ total: 150, failed: 150 });
  expect(shown?.tests?.failures.map(({ message }) => message.length)).toEqual([
    ...Array.from({ length: 20 }, () => 300),
    ...Array.from({ length: 80 }, () => 80),
  ]);
  expect(kept?.tests?.failures.map(({ message }) => message.length)).toEqual(
    Array.from({ length: 100 }, () => 1000),
  );
});

test('a verifier says where its reports are', async () => {
  const on = await agentFixture({ 'a.txt': oneFailed });
  const verifier = { name: 'test', run: 'mkdir out; cp a.txt out/mine.xml', timeout_s: 20, required: true };
  const outcome = await verifyBy({}, on, {
    settings: { verifiers: [{ ...verifier, report: ['out/*.xml'] }] },
  });
  expect(outcome).toMatchObject({ verifiers: [{ success: true, tests: { total: 2, failed: 1 } }] });
});

test('fewer tests than with the files of the base are counted in reports', async () => {
  const of = (count: number) => `<testsuite>${'<testcase name="a"/>'.repeat(count)}</testsuite>`;
  const on = await agentFixture({ 'test/a.test.sh': of(3), 'src/a.sh': 'a' });
  const head = commitOn(on, { 'test/a.test.sh': of(2), 'src/a.sh': 'b' });
  const outcome = await verifyBy({ test: 'cp test/a.test.sh junit.xml; echo 1 passed in 1s' }, on, {
    commit: head,
    settings: { proof: 'on' },
  });
  expect(outcome).toMatchObject({ remarks: ['test ran 2 tests, and 3 with the test files of the base'] });
});

/** The results of verifiers as the ledger keeps them. */
function fullOf(outcome: VerifyOutcome): readonly VerifierOutput[] {
  if (outcome.kind !== 'verified') throw new Error(`it ended ${outcome.kind}`);
  return outcome.artefacts.map(({ content }) => JSON.parse(content));
}
