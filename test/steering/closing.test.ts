import { expect, test } from 'vitest';
import { ada } from './samples.ts';
import { story } from './story.ts';

test.each(['/reject no', '/cancel'])(
  '%s closes at the time of the run, though it was said before',
  (words) => {
    const run = story().starts().works();
    const { updated_at } = run.state;
    run.now = Date.parse(updated_at) - 3_600_000;
    run.says(ada, words);
    // Whoever reopened it before this was recorded would otherwise have done so after it was to be closed.
    expect(run.effects.filter((effect) => effect.do === 'close')).toMatchObject([{ at: updated_at }]);
  },
);
