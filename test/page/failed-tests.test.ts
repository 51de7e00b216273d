import { expect, test } from 'vitest';
import { endedWork } from '../../src/page/load/ended-work.ts';
import { evidence } from '../../src/page/views/evidence-view.ts';
import { attemptPage } from '../../src/page/views/iterations-view.ts';
import type { TestFailure, VerifierOutput } from '../../src/steering/shapes/attempt-result.ts';
import { aVerifier, head } from '../github/show/state.ts';
import { story } from '../steering/story.ts';
import { harmful } from '../words/harmful.ts';
import { hostile, route, runModel } from './samples.ts';

const web = 'https://github.com/acme/service';

const counting = {
  ...{ name: 'cart > counts an empty list', message: 'expected 1 to be 0' },
  ...{ path: 'test/cart [old].test.ts', line: 12 },
};
const paying = { name: 'pay > refuses', message: '' };

function red(failures: readonly TestFailure[], changed: Partial<VerifierOutput> = {}): VerifierOutput {
  const tests = { from: 'junit', total: 214, failed: 3, skipped: 0, failures } as const;
  return aVerifier({ success: false, exit_code: 1, stdout: 'not ok\n', tests, ...changed });
}

const pageOf = (output: VerifierOutput) =>
  evidence(runModel(story().starts().works(), { outputs: { value: { head, verifiers: [output] } } }), web)
    .text;

test('the tests that failed are listed above the output, with links to their lines at the commit', () => {
  const page = pageOf(red([counting, paying]));
  expect(page).toContain('<span class="muted">exit code 1 · 3 of 214 tests failed · 3.3 s</span>');
  const address = `${web}/blob/${head}/test/cart%20%5Bold%5D.test.ts#L12`;
  expect(page).toMatch(/<code>cart &gt; counts an empty list<\/code> at <a [^>]*href="[^"]*"/);
  expect(page).toContain(`href="${address}"`);
  expect(page.indexOf('and 1 more')).toBeGreaterThan(page.indexOf('pay &gt; refuses'));
  expect(page.indexOf('<pre')).toBeGreaterThan(page.indexOf('and 1 more'));
});

test('all hundred that are known are listed', () => {
  const many = Array.from({ length: 100 }, (_, at) => ({
    ...counting,
    name: `t${at}`,
    message: 'x'.repeat(1000),
  }));
  expect(pageOf(red(many)).match(/<code>t\d+<\/code>/g)).toHaveLength(100);
});

test('a contradiction is said, and the exit code stays the verdict', () => {
  const page = pageOf(red([counting], { success: true, exit_code: 0 }));
  expect(page).toContain('tone-success">pass</b>');
  expect(page).toContain('although its report names 3 failed tests of 214');
  expect(page).toContain('the exit code counts.');
});

test('what is not understood is shown as it was', () => {
  expect(pageOf(aVerifier())).toContain('<span class="muted">exit code 0 · 3.3 s</span>');
});

test('an attempt of its own page has them, too', () => {
  const run = story().starts();
  run.agent.finishes();
  run.verifiers.fail('test');
  const [work] = endedWork(run.events);
  const page = attemptPage(
    route,
    { ...(work ?? expect.fail()), head, verifiers: [red([counting])] },
    web,
  ).text;
  expect(page).toContain('3 of 214 tests failed');
  expect(page).toContain(`href="${web}/blob/${head}/test/cart%20%5Bold%5D.test.ts#L12"`);
});

const texts = [hostile, '[x](javascript:alert(1))', ...harmful.map(([, text]) => text)];

test.each(texts)('a name or a message such as the harmful text %# does no harm', (text) => {
  expect(pageOf(red([{ name: text, message: text, path: text, line: 1 }]))).not.toMatch(
    /<script|<img[^>]*onerror|(?:href|src)="javascript|href="https:\/\/evil|[\u202a-\u202e\u2066-\u2069]/u,
  );
});
