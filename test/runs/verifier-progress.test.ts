import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ProgressBoard } from '../../src/repository/progress-board.ts';
import { sourcesOf } from '../../src/runs/run/reply-context.ts';
import { statusText } from '../../src/words/index.ts';
import { attemptOn } from './attempt-on.ts';
import { startGivenRun } from './given-run.ts';

test('what is known of the verifiers of an attempt goes with each of them, and ends with it', async () => {
  const given = await startGivenRun();
  const home = await mkdtemp(join(tmpdir(), 'coxswain-verifying-'));
  try {
    const progress = new ProgressBoard();
    const seen: string[] = [];
    progress.watchAll((_, now) => {
      const each = now?.verifiers?.map(({ name, since, result }) => [name, since ? 'runs' : result?.success]);
      const said = now === undefined ? 'over' : `${now.stage} ${each?.flat().join(' ') ?? ''}`.trim();
      if (said !== seen.at(-1)) seen.push(said);
    });
    const answers: string[] = [];
    await attemptOn(given, home, {
      progress,
      recorded: async (run, event) => {
        const at = sourcesOf(run).progress();
        if (event.type === 'work_finished' && run.newest) answers.push(statusText(run.newest, at));
      },
    });
    expect(seen.slice(seen.indexOf('verifiers'))).toEqual([
      'verifiers',
      'verifiers test',
      'verifiers test runs',
      'verifiers test true',
      'over',
    ]);
    expect(answers).toEqual([expect.stringMatching(/Stage: the agent, \d+\.\d s since the work began/)]);
  } finally {
    await given.end();
    await rm(home, { recursive: true, force: true });
  }
});
