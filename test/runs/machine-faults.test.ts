import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GitError } from '../../src/git/git.ts';
import { machineFaultIn } from '../../src/runs/run/machine-faults.ts';
import { number } from './approved-run.ts';
import { runForApproval } from './run-for-approval.ts';

const run = runForApproval();

const comments = () => run.fixture.appComments(number);

/** As a full or read-only disk would refuse it, also to root. */
async function refusingWrites(): Promise<() => Promise<void>> {
  const folder = join(run.fixture.run(number).services.data, 'ledgers');
  await rm(folder, { recursive: true, force: true });
  await writeFile(folder, '');
  return () => rm(folder);
}

test.each(['/steer add more', '/pause', '/approve', '/status'])(
  'where this machine cannot write, people who say %s are told once, and nothing is lost',
  async (words) => {
    await run.fixture.sweep();
    const before = await comments();
    const mended = await refusingWrites();
    await expect(run.fixture.says('mia', number, words)).rejects.toThrow();
    await expect(run.fixture.says('mia', number, words)).rejects.toThrow();
    const told = (await comments()).slice(before.length);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^@mia: Coxswain cannot write to its disk right now: it may not write/);
    expect(told[0]).toContain('Nothing is lost');

    await mended();
    await run.fixture.sweep();
    const after = (await comments()).slice(before.length + 1).join('\n');
    if (words === '/pause') expect((await run.state()).standing.phase).toBe('paused');
    else if (words === '/approve') expect((await run.state()).standing.phase).toBe('approved');
    else if (words === '/status') expect(after).toContain('awaiting');
    else expect((await run.state()).iteration).toBeGreaterThan(0);
  },
);

test('another App that knows nothing of the run tells it as well, but not people without a say', async () => {
  const before = await comments();
  await run.fixture.restart();
  await refusingWrites();
  await expect(run.fixture.says('rea', number, '/approve')).rejects.toThrow();
  expect(await comments()).toHaveLength(before.length);
  await expect(run.fixture.says('ada', number, '/steer more')).rejects.toThrow();
  expect(await comments()).toHaveLength(before.length + 1);
});

const git = (stderr: string, stdout = '') =>
  new GitError('exit code 128', { args: ['fetch'], exitCode: 128, stdout, stderr });
const of = (code: string, more = {}) => Object.assign(new Error('failed'), { code, ...more });

test.each([
  [of('ENOSPC'), 'no space is left on its disk'],
  [new Error('could not record', { cause: of('EROFS') }), 'its disk is read-only'],
  [git('fatal: write error: No space left on device'), 'no space is left on its disk'],
  [git('error: unable to write file x: Disk quota exceeded'), 'its disk quota is used up'],
  [git('fatal: Unable to create x.lock: Permission denied'), 'it may not write to its folder'],
  [of('EIO'), 'its disk fails'],
  [of('EACCES', { address: '192.0.2.1' }), undefined],
  [git('fatal: unable to access x: Permission denied'), undefined],
  [of('ECONNREFUSED'), undefined],
  [new Error('disk quota'), undefined],
  ['ENOSPC', undefined],
])('a fault of the machine is told from others: %s', (fault, why) => {
  expect(machineFaultIn(fault)).toBe(why);
});
