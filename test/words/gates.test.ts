import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { GateHit } from '../../src/steering/shapes/attempt-result.ts';
import { decisionCheck } from '../../src/words/check-texts.ts';
import { askText, whyText } from '../../src/words/index.ts';
import { gateHitLine, gateName, gatesText } from '../../src/words/parts/risk.ts';
import { awaiting, head, shownAt, web } from '../github/show/state.ts';

const state = awaiting();

function textOf(gates: readonly GateHit[], off: readonly { rule: string; reason: string }[] = []): string {
  const gates_off = off.length === 0 ? {} : { gates_off: off };
  return gatesText(shownAt(head, { gates, ...gates_off }), { state, web });
}

const login = createHash('sha256').update('src/login.ts').digest('hex');

test('gates are grouped by severity, worst first, each with its place and what approving it means', () => {
  const gates: readonly GateHit[] = [
    { rule: 'weakens-tests', severity: 'low', evidence: 'a test is skipped', path: 'src/login.ts', line: 3 },
    { rule: 'deletes-files', severity: 'high', evidence: 'rm -rf build ran' },
    {
      ...{
        rule: 'touches-secrets',
        severity: 'critical',
        evidence: 'a token',
        path: 'docs/a (b).md',
        line: 7,
      },
      allows: 'everybody who can read the branch knows it',
    },
  ];
  expect(textOf(gates)).toBe(
    [
      '**Risk** critical, from these gates, regardless of the confidence:',
      '',
      '- critical',
      `  - \`touches-secrets\` in [\`docs/a (b).md:7\`](${web}/blob/${head}/docs/a%20%28b%29.md#L7): a token. ` +
        'Approving it means: everybody who can read the branch knows it.',
      '- high',
      '  - `deletes-files`: rm -rf build ran',
      '- low',
      `  - \`weakens-tests\` in [\`src/login.ts:3\`](${web}/pull/12/files#diff-${login}R3): a test is skipped`,
    ].join('\n'),
  );
});

test('the risk is low where no gate was triggered, whatever the score', () => {
  expect(textOf([])).toBe('**Risk** low: no gate was triggered.');
});

test('a rule that is switched off is shown with its reason', () => {
  const reason = 'our migrations are reviewed <b>elsewhere</b>';
  expect(textOf([], [{ rule: 'drops-data', reason }])).toBe(
    '**Risk** low: no gate was triggered.\n\nSwitched off by the configuration:\n\n' +
      '- `drops-data`: our migrations are reviewed &lt;b&gt;elsewhere&lt;/b&gt;',
  );
});

test('a path cannot end the link or the line that it is in', () => {
  const path = 'a](https://evil.example)\n- `approved`.md';
  const text = textOf([{ rule: 'changes-automation', severity: 'high', evidence: 'x', path }]);
  expect(text.split('\n').filter((line) => line.startsWith('- '))).toEqual(['- high']);
  const [, address = ''] = /\]\((https:\/\/github\.com[^)]*)\)/.exec(text) ?? [];
  expect(address).toBe(
    `${web}/blob/${head}/a%5D%28https%3A/%2Fevil.example%29%0A-%20%60approved%60.md`.replace('/%2F', '//'),
  );
});

test('many gates are counted, not all listed', () => {
  const many = Array.from({ length: 70 }, (_, n) => ({
    ...{ rule: 'deletes-files', severity: 'high', evidence: `f${n}` },
  })) as readonly GateHit[];
  expect(textOf(many)).toContain('- and 20 more');
  const asked = askText(awaiting({ shown: shownAt(head, { gates: many }) }), web);
  expect(asked).toContain('- and 55 more');
  expect(asked).toContain('`/approve [sha]');
});

test('what is held names the place, too, and what allowing it means', () => {
  const hit: GateHit = {
    ...({ rule: 'changes-automation', severity: 'high', evidence: 'ci.yml is changed' } as const),
    ...{ path: '.github/workflows/ci.yml', line: 4, allows: 'CI runs it with its secrets' },
  };
  expect(gateHitLine(hit)).toBe(
    '- `changes-automation` (high) in `.github/workflows/ci.yml:4`: ci.yml is changed. ' +
      'Allowing it means: CI runs it with its secrets.',
  );
});

test('the reply to /why shows the gates', () => {
  const gates = [{ rule: 'deletes-files', severity: 'high', evidence: 'a.ts is deleted' }] as const;
  expect(whyText(awaiting({ shown: shownAt(head, { gates }) }), web)).toContain('**Risk** high');
});

test.each<readonly [string, Omit<GateHit, 'rule' | 'severity'>, string]>([
  [
    'a line',
    { evidence: 'db/1.sql:2: drop table users', path: 'db/1.sql', line: 2 },
    ': [`db/1.sql:2`](…): drop table users',
  ],
  [
    'a removed line',
    { evidence: 'a_test.go (line 3 before the change): Fatal', path: 'a_test.go' },
    ': [`a_test.go`](…) (line 3 before the change): Fatal',
  ],
  ['a file', { evidence: 'src/old.ts is deleted', path: 'src/old.ts' }, ': [`src/old.ts`](…) is deleted'],
  [
    'another file',
    { evidence: 'src/a.tsx is deleted', path: 'src/a.ts' },
    ' in [`src/a.ts`](…): src/a.tsx is deleted',
  ],
])('the place of %s is said once', (_, found, expected) => {
  const text = textOf([{ rule: 'drops-data', severity: 'low', ...found }]);
  expect(
    text
      .split('\n')
      .at(-1)
      ?.replace(/\]\([^)]*\)/, '](…)'),
  ).toBe(`  - \`drops-data\`${expected}`);
});

test.each<[Partial<GateHit>, string]>([
  [{ path: 'test/sum.test.js', line: 8 }, 'deletes test/sum.test.js:8'],
  [{ path: 'src/old.ts' }, 'deletes src/old.ts'],
  [{}, 'deletes files'],
  [{ rule: 'weakens-tests', path: 'test/a.test.ts' }, 'weakens tests in test/a.test.ts'],
  [{ rule: 'critical-task' }, 'critical task'],
])('a gate with %j is named in a few words', (but, name) => {
  expect(gateName({ rule: 'deletes-files', severity: 'high', evidence: '', ...but })).toBe(name);
});

test('the title of the check says the worst gate before the confidence, however long its place is', () => {
  const worst = { rule: 'drops-data', severity: 'critical', evidence: '', path: 'a/'.repeat(300) } as const;
  const gates: readonly GateHit[] = [{ rule: 'deletes-files', severity: 'high', evidence: '' }, worst];
  const { title } = decisionCheck(awaiting({ shown: shownAt(head, { gates }) }), web);
  expect(title).toMatch(
    /^Waiting for approval at critical risk: drops data in a\/.*, and 1 more; confidence 1\.00/,
  );
  expect(title.length).toBeLessThanOrEqual(200);
});
