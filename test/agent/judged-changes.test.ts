import { expect, test } from 'vitest';
import { judgedBy, judgedChanges } from '../../src/agent/attempt/judged-changes.ts';
import { workCopy } from '../git/work-copy.ts';
import { settingsOf } from '../steering/samples.ts';

test('the evidence of a gate is cut between characters', async () => {
  const work = await workCopy();
  try {
    const folders = Array.from({ length: 6 }, () => 'x'.repeat(200)).join('/');
    // Where the evidence is cut depends on the words around the path.
    for (const start of ['', 'y']) {
      const path = `${start}${folders.slice(0, 900)}/${'😀'.repeat(40)}/${'😀'.repeat(40)}.txt`;
      const base = await work.commit({ [path]: 'a\n' });
      await work.git('rm', '--quiet', path);
      const head = await work.commit({ 'other.txt': `${start}\n` });
      const { gates } = await judgedChanges({ dir: work.gitDir }, { base, head });
      const evidence = gates.find(({ rule }) => rule === 'deletes-files')?.evidence ?? '';
      expect(evidence).toMatch(/😀…$/u);
      expect(evidence).not.toMatch(/\p{Surrogate}/u);
    }
  } finally {
    await work.remove();
  }
});

test('what verifiers and a reviewer run decides, as the configuration does', () => {
  const agent = { use: 'command', command: ['node', 'tools/review.mjs'], timeout_s: 60 } as const;
  const verifiers = [{ name: 'test', run: 'sh tools/check.sh', timeout_s: 60, required: true }];
  const { deciding } = judgedBy(settingsOf({ verifiers, review: { agent } }));
  expect(deciding).toEqual(['tools/check.sh', 'tools/review.mjs']);
});

test('a change is too large by the lines that people write, as GitHub takes files for generated', async () => {
  const work = await workCopy();
  const lines = (count: number) => 'line\n'.repeat(count);
  try {
    const attributes = '*.gen.ts linguist-generated\ndist/** -linguist-generated\n';
    const base = await work.commit({ '.gitattributes': attributes, 'old.ts': 'gone\n'.repeat(400) });
    await work.git('rm', '--quiet', 'old.ts');
    const head = await work.commit({
      'src/new.ts': lines(700),
      'dist/by-hand.ts': lines(140),
      'src/api.gen.ts': lines(5000),
      'package-lock.json': lines(9000),
      // What the change itself says of it does not count.
      '.gitattributes': `${attributes}src/** linguist-generated\n`,
    });
    const judge = async (diff_lines: number) => {
      const judging = { base, head, ...judgedBy(settingsOf({ diff_lines })) };
      return (await judgedChanges({ dir: work.gitDir }, judging)).gates.filter(
        ({ rule }) => rule === 'large-change',
      );
    };
    expect(await judge(1241)).toEqual([]);
    expect(await judge(1240)).toEqual([
      {
        rule: 'large-change',
        severity: 'medium',
        evidence:
          '1,241 lines in 4 files, without 2 generated files: more than the 1,240 of `limits.diff_lines`',
        allows: 'a change takes effect that is larger than people here want to review at once',
      },
    ]);
  } finally {
    await work.remove();
  }
});
