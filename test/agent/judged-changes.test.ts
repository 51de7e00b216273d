import { expect, test } from 'vitest';
import { judgedBy, judgedChanges } from '../../src/agent/judged-changes.ts';
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
