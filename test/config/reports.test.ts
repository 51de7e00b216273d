import { expect, test } from 'vitest';
import { withOverrides } from '../../src/config/overrides.ts';
import { readConfig } from '../../src/config/read.ts';
import { problemText } from '../../src/config/schema/config-problem.ts';

function read(report: string) {
  const text = `version: 1\nagent: claude\nverifiers:\n  - { name: test, run: t, report: ${report} }\n`;
  return readConfig(text, { path: '.github/coxswain.yml', ref: 'main' });
}

test.each([
  ['build/junit.xml', ['build/junit.xml']],
  ['"**/TEST-*.xml"', ['**/TEST-*.xml']],
  ['[a.xml, "reports/{unit,e2e}/*.xml"]', ['a.xml', 'reports/{unit,e2e}/*.xml']],
  ['a..b/..c.xml', ['a..b/..c.xml']],
])('%s says where a verifier writes its reports', (written, report) => {
  const reading = read(written);
  if (reading.outcome === 'misconfigured') throw new Error(reading.problems.map(problemText).join());
  expect(reading.settings.verifiers).toMatchObject([{ name: 'test', report }]);
  const { settings, problems } = withOverrides(reading.settings, {
    verifiers: [{ name: 'more', run: 'm', report: 'm.xml' }],
  });
  expect(problems).toEqual([]);
  expect(settings.verifiers[1]).toMatchObject({ name: 'more', report: ['m.xml'] });
});

test.each([
  '/tmp/junit.xml',
  '../junit.xml',
  'build/../../junit.xml',
  '"build\\\\junit.xml"',
  'build/..',
  `${'a'.repeat(197)}.xml`,
  '""',
  '[]',
  '7',
  '[a.xml, /b.xml]',
  '[a, b, c, d, e, f]',
  '"a/**/b/**/c/**/d/**/e/**/f/**/g/*"',
])('%s is none of the repository', (written) => {
  const reading = read(written);
  if (reading.outcome === 'configured') throw new Error('was accepted');
  expect(reading.problems).toMatchObject([
    {
      path: expect.stringMatching(/^verifiers\[0\]\.report/),
      expected: expect.stringMatching(/^(?:a glob|at (?:least|most))/),
      line: 4,
    },
  ]);
});

test('a path of the machine is told to be relative to the repository', () => {
  expect(read('/tmp/junit.xml')).toMatchObject({
    problems: [{ expected: expect.stringMatching(/, relative to the repository$/) }],
  });
});
