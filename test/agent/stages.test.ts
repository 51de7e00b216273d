import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { WorkOutcome } from '../../src/agent/port/assignment.ts';
import type { Stage } from '../../src/steering/shapes/settings.ts';
import { type AgentFixture, agentFixture, workBy } from './agent-fixture.ts';
import { commitOn } from './commit-on.ts';

const files = { 'src/a.txt': 'a\n' };
const planning: readonly Stage[] = [{ name: 'plan' }, { name: 'implement' }];

describe('the plan of a stage that plans', () => {
  test('is what it wrote to PLAN.md, and nothing of it is in the head', async () => {
    const on = await agentFixture(files);
    const work = workOf(await planBy('echo "1. Add." > PLAN.md; echo Done.', on));
    expect(work).toMatchObject({ head: on.head, changes: { files: [] }, plan: { text: '1. Add.' } });
    expect(work.plan).not.toHaveProperty('dropped');
  });

  test('is its last message where it wrote none, however many lines that has', async () => {
    const lines = Array.from({ length: 400 }, (_, n) => `${n}. Do step ${n}.`).join('\n');
    const on = await agentFixture({ 'plan.txt': lines });
    expect(workOf(await planBy('cat plan.txt', on)).plan).toEqual({ text: lines });
  });

  test('is not a file of that name that was there and that it left alone', async () => {
    const on = await agentFixture({ ...files, 'PLAN.md': 'An old plan.\n' });
    expect(workOf(await planBy('echo 1. Add.', on)).plan).toEqual({ text: '1. Add.' });
    const written = workOf(await planBy('echo 2. Test. >> PLAN.md', on));
    expect(written.plan).toEqual({ text: 'An old plan.\n2. Test.' });
    expect(written.head).toBe(on.head);
  });

  test('comes with what was changed besides, which is dropped', async () => {
    const on = await agentFixture(files);
    const script = 'echo 1. > PLAN.md; echo b > src/a.txt; mkdir -p b; echo b > b/PLAN.md; echo c > "c d"';
    const work = workOf(await planBy(script, on));
    expect(work.plan?.dropped).toEqual(['b/PLAN.md', 'c d', 'src/a.txt']);
    expect(work.head).toBe(on.head);
  });

  test('has no secret in it', async () => {
    const on = await agentFixture(files, { secrets: ['s3cret-value'] });
    const work = workOf(await planBy('echo "Use s3cret-value" > PLAN.md; echo x > s3cret-value', on));
    expect(JSON.stringify(work.plan)).not.toContain('s3cret-value');
    expect(work.plan?.text).toMatch(/^Use /);
  });

  test.each<[string, string, RegExp]>([
    ['nothing', 'true', /there is no plan: neither `PLAN\.md` nor a last message/],
    ['an empty file', 'printf " \\n" > PLAN.md; echo 1.', /there is no plan/],
    ['a link', 'ln -s /etc/passwd PLAN.md; echo 1.', /`PLAN\.md` is no file/],
    ['a folder', 'mkdir PLAN.md; echo 1. > PLAN.md/a; echo 1.', /`PLAN\.md` is no file/],
    ['too much', 'head -c 70000 /dev/zero | tr "\\0" x > PLAN.md', /has 70000 characters: expected at most/],
  ])('is missing where there is %s', async (_, script, words) => {
    const on = await agentFixture(files);
    const outcome = await planBy(script, on);
    expect(failureOf(outcome)).toMatchObject({ kind: 'stage_check', message: expect.stringMatching(words) });
    // What a stage that plans has changed is never gone on from.
    expect(outcome).toMatchObject({ left: null });
    expect(JSON.stringify(outcome)).not.toContain('root:');
  });

  test('is checked before its file is dropped', async () => {
    const on = await agentFixture(files);
    const stages: readonly Stage[] = [{ name: 'plan', checks: [{ file: 'PLAN.md' }] }, { name: 'implement' }];
    expect(workOf(await planBy('echo 1. > PLAN.md', on, stages)).plan?.text).toBe('1.');
    expect(failureOf(await planBy('echo 1.', on, stages)).message).toBe('there is no `PLAN.md`');
  });
});

describe('a check of a stage', () => {
  test.each<[string, Stage['checks'], string | undefined]>([
    ['a file that is there', [{ file: 'src/b.txt' }], undefined],
    ['a folder that is there', [{ file: 'src' }], undefined],
    ['a file that is not', [{ file: 'src/c.txt' }], 'there is no `src/c.txt`'],
    ['a link in the place of a file', [{ file: 'link' }], 'there is no `link`'],
    ['a file that Git ignores', [{ file: 'ignored' }], 'there is no `ignored`'],
    ['a command that passes', [{ run: 'grep -q b src/b.txt', expect: 'pass' }], undefined],
    ['a command that fails', [{ run: 'echo bad; exit 3', expect: 'pass' }], 'exit code 3\nbad'],
    ['a command that is to fail', [{ run: 'exit 3', expect: 'fail' }], undefined],
    ['one that passes instead', [{ run: 'echo ok', expect: 'fail' }], 'was expected to fail\nok'],
    ['no program', [{ run: 'no-such-program', expect: 'fail' }], 'could not be run'],
    ['no program at all', [{ run: './src/b.txt', expect: 'fail' }], 'could not be run'],
    ['a program that is killed', [{ run: 'kill -9 $$', expect: 'fail' }], 'did not end by itself'],
    ['one that ends with 255', [{ run: 'exit 255', expect: 'fail' }], undefined],
  ])('%s', async (_, checks = [], problem) => {
    const on = await agentFixture({ ...files, '.gitignore': 'ignored\n' });
    const outcome = await checkedBy('echo b > src/b.txt; ln -s src link; echo > ignored', on, checks);
    if (problem === undefined) return expect(workOf(outcome).head).not.toBe(on.head);
    const [check] = checks.map((each) => ('file' in each ? each.file : each.run));
    expect(failureOf(outcome)).toMatchObject({
      ...{ kind: 'stage_check', check, message: expect.stringContaining(problem) },
    });
    // The next attempt goes on from it.
    expect(outcome).toMatchObject({ left: { head: expect.stringMatching(/^[0-9a-f]{40}$/) } });
  });

  test('that fails is the last', async () => {
    const on = await agentFixture(files);
    const outcome = await checkedBy('echo b > src/b.txt', on, [
      { run: 'echo one', expect: 'pass' },
      { file: 'none' },
      { run: 'touch /tmp/never; exit 1', expect: 'pass' },
    ]);
    expect(failureOf(outcome).check).toBe('none');
  });

  test('that does not end is ended with the attempt', async () => {
    const on = await agentFixture(files);
    const stages: readonly Stage[] = [{ name: 'implement', checks: [{ run: 'sleep 600', expect: 'fail' }] }];
    const settings = { stages, limits: { minutes: 0.1 } };
    const outcome = await workBy('echo b > src/b.txt', on, { settings, state: { stage: 'implement' } });
    expect(failureOf(outcome).message).toContain('did not end in the time that the attempt has');
  });

  test('may do to the tree what it likes: the work is what the agent left', async () => {
    const on = await agentFixture(files);
    const outcome = await checkedBy('echo b > src/b.txt', on, [
      { run: 'rm -rf src .git; echo evil > evil.txt; ln -s /etc evil; (sleep 600 &)', expect: 'pass' },
    ]);
    const { head } = workOf(outcome);
    expect(on.git('diff', '--name-only', on.head, head)).toBe('src/b.txt');
  });

  test('that says a secret does not say it to people', async () => {
    const on = await agentFixture(files, { secrets: ['s3cret-value'] });
    const outcome = await checkedBy('true', on, [{ run: 'echo s3cret-value; exit 1', expect: 'pass' }]);
    expect(JSON.stringify(outcome)).not.toContain('s3cret-value; exit 1\\n');
    expect(failureOf(outcome).message).not.toContain('s3cret-value');
  });

  test('is cancelled with the attempt', async () => {
    const on = await agentFixture(files);
    const stop = new AbortController();
    const checks: Stage['checks'] = [{ run: 'while ! test -e go; do :; done; sleep 600', expect: 'pass' }];
    const outcome = workBy('echo b > src/b.txt; touch go', on, {
      ...{ settings: { stages: [{ name: 'implement', checks }] }, state: { stage: 'implement' } },
      signal: stop.signal,
    });
    stop.abort();
    expect(['cancelled', 'parked']).toContain((await outcome).kind);
  });
});

describe('instructions of a stage in a file', () => {
  const stages: readonly Stage[] = [
    { name: 'tests', instructions: { file: 'docs/tests.md' } },
    { name: 'implement' },
  ];

  test('are those of the default branch, whatever the branch of the run says', async () => {
    const on = await agentFixture({ ...files, 'docs/tests.md': 'Only tests.\n' });
    const head = commitOn(on, { 'docs/tests.md': 'Push to main.\n' });
    const outcome = await workBy(
      'true',
      { ...on, head },
      { settings: { stages }, state: { stage: 'tests' } },
    );
    expect(promptOf(outcome)).toContain('### Your Stage\nThe work is done in stages: tests, implement.');
    expect(promptOf(outcome)).toContain('\n\nOnly tests.\n');
    expect(promptOf(outcome)).not.toContain('Push to main');
  });

  test('are for that stage only', async () => {
    const on = await agentFixture({ ...files, 'docs/tests.md': 'Only tests.\n' });
    const outcome = await workBy('true', on, { settings: { stages }, state: { stage: 'implement' } });
    expect(promptOf(outcome)).toContain('Yours is `implement`');
    expect(promptOf(outcome)).not.toContain('Only tests.');
  });

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['missing', {}, 'there is no such file'],
    ['empty', { 'docs/tests.md': ' \n' }, 'it is empty'],
    ['a folder', { 'docs/tests.md/a': 'a' }, 'there is no such file'],
    ['too long', { 'docs/tests.md': 'x'.repeat(40_001) }, 'it has more than 40000 characters'],
  ])('that are %s stop the attempt before its agent begins', async (_, more, why) => {
    const on = await agentFixture({ ...files, ...more });
    const outcome = await workBy('touch began', on, { settings: { stages }, state: { stage: 'tests' } });
    expect(failureOf(outcome)).toMatchObject({
      kind: 'agent_unusable',
      message: expect.stringContaining(`to be in \`docs/tests.md\` on the default branch, but ${why}`),
    });
    expect(outcome).toMatchObject({ left: null });
  });

  test('are not read through a link', async () => {
    const on = await agentFixture(files);
    const main = commitOn(on, { 'docs/x': 'x' }, (dir) =>
      symlinkSync('/etc/passwd', join(dir, 'docs/tests.md')),
    );
    on.git('update-ref', 'refs/heads/main', main);
    const outcome = await workBy('true', on, { settings: { stages }, state: { stage: 'tests' } });
    expect(failureOf(outcome).message).toContain('there is no such file');
  });
});

function planBy(script: string, on: AgentFixture, stages = planning): Promise<WorkOutcome> {
  return workBy(script, on, { settings: { stages }, state: { stage: 'plan' } });
}

function checkedBy(
  script: string,
  on: AgentFixture,
  checks: NonNullable<Stage['checks']>,
): Promise<WorkOutcome> {
  return workBy(script, on, {
    settings: { stages: [{ name: 'implement', checks }] },
    state: { stage: 'implement' },
  });
}

function workOf(outcome: WorkOutcome) {
  if (outcome.kind !== 'finished') throw new Error(JSON.stringify(outcome));
  return outcome.work;
}

function failureOf(outcome: WorkOutcome) {
  if (outcome.kind !== 'failed') throw new Error(JSON.stringify(outcome));
  return outcome.failure;
}

function promptOf(outcome: WorkOutcome): string {
  const artefacts = 'artefacts' in outcome ? outcome.artefacts : [];
  return artefacts.find(({ path }) => path.endsWith('/prompt.md'))?.content ?? '';
}
