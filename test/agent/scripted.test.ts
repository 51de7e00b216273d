import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { work } from '../../src/agent/index.ts';
import type { State } from '../../src/steering/state/state.ts';
import { type AgentFixture, agentFixture, default_branch, hold } from './agent-fixture.ts';
import { stateOf } from './states.ts';

test('a script can say, write, append, delete and run', async () => {
  const on = await played(`
    turns:
      - steps:
          - say: Looking at the sum
          - write: src/new/sum.js
            content: "1 + 2\\n"
          - append: list.txt
            content: "three\\n"
          - delete: old.txt
          - run: cat list.txt | wc -l > count.txt
          - run: exit 4
          - say: Fixed the sum`);
  const outcome = await on.play();
  if (outcome.kind !== 'finished') throw new Error(JSON.stringify(outcome));
  expect(outcome.work.report).toMatchObject({ summary: 'Fixed the sum', status: 'done' });
  expect(outcome.work.report.tool_calls.map(({ kind, outcome: how }) => `${kind} ${how}`)).toEqual([
    'edit ok',
    'edit ok',
    'delete ok',
    'execute ok',
    'execute failed',
  ]);
  expect(outcome.work.changes.files.map(({ path, status }) => `${status} ${path}`)).toEqual([
    'added count.txt',
    'modified list.txt',
    'deleted old.txt',
    'added src/new/sum.js',
  ]);
  expect(on.git('show', `${outcome.work.head}:count.txt`).trim()).toBe('3');
});

test('the first turn that matches the attempt is played', async () => {
  const on = await played(`
    turns:
      - on: { iteration: 1 }
        steps: [{ say: steered }]
      - on: { attempt: 2 }
        steps: [{ say: again }]
      - steps: [{ say: otherwise }]`);
  const summaries = [];
  for (const attempt of [1, 2]) {
    const outcome = await on.play({ attempt });
    summaries.push(outcome.kind === 'finished' ? outcome.work.report.summary : outcome);
  }
  expect(summaries).toEqual(['otherwise', 'again']);
});

test('a turn can be for prompts with certain words, which it can quote', async () => {
  const on = await played(`
    turns:
      - on: { prompt: multiply }
        steps: [{ say: multiplied }]
      - on: { prompt: [fix the sum, multiply] }
        steps: [{ say: both }]
      - on: { prompt: [FIX THE SUM, gives 3], iteration: 0 }
        steps: [{ say: 'I was asked for this:', quote: Acceptance Criteria }]
      - steps: [{ say: otherwise }]`);
  expect(await on.play()).toMatchObject({
    work: { report: { summary: 'I was asked for this:\n\n> - sum(1, 2) gives 3' } },
  });
  const doubtful = await played('turns: [{ steps: [{ say: Look, quote: Weather }] }]');
  expect(await doubtful.play()).toMatchObject({
    failure: { message: 'the prompt has no section "Weather"' },
  });
});

test('a report step overrides what was said before', async () => {
  const on = await played(`
    turns:
      - steps:
          - write: a.txt
            content: a
          - report: { summary: I wonder, status: uncertain }`);
  expect(await on.play()).toMatchObject({
    kind: 'finished',
    work: {
      report: {
        summary: 'I wonder',
        status: 'uncertain',
        tool_calls: [{ kind: 'edit', title: 'Edit a.txt', outcome: 'ok' }],
      },
    },
  });
});

test('a script can fail, and can take too long', async () => {
  const failing = await played('turns: [{ steps: [{ fail: the model is down }] }]');
  expect(await failing.play()).toMatchObject({ failure: { kind: 'exit', message: 'the model is down' } });

  const slow = await played('turns: [{ steps: [{ wait: 1m }] }]');
  const failure = { kind: 'timeout', message: 'the script did not finish within 0.05 s' };
  expect(await slow.play({ timeout_s: 0.05 })).toMatchObject({ failure });
});

test('a script that waits can be cancelled', async () => {
  const on = await played('turns: [{ steps: [{ wait: 1m }] }]');
  const { kind } = await on.play({ signal: AbortSignal.timeout(300) });
  // On a slow machine it has not begun by then.
  expect(['parked', 'cancelled']).toContain(kind);
});

test.each([
  ['is not YAML', 'turns: [', /is not YAML: .*example: turns/s],
  [
    'has an unknown step',
    'turns: [{ steps: [{ sing: a song }] }]',
    /turns\[0\]\.steps\[0\]: expected one of say, write/,
  ],
  [
    'has a step without its content',
    'turns: [{ steps: [{ write: a.txt }] }]',
    /turns\[0\]\.steps\[0\]\.content/,
  ],
  ['has a bad duration', 'turns: [{ steps: [{ wait: soon }] }]', /a duration such as 500ms, 2s or 1m/],
  ['has no turns', 'turn: []', /turns/],
  ['has no turn for the attempt', 'turns: [{ on: { attempt: 9 }, steps: [] }]', /iteration 0, attempt 1/],
])('the error for a script that %s says what is wrong', async (_, script, message) => {
  const on = await played(script);
  expect(await on.play()).toMatchObject({
    kind: 'failed',
    failure: { kind: 'incoherent_report', message: expect.stringMatching(message) },
  });
});

test('a script is read from the default branch, whatever the base of the run has', async () => {
  const on = await agentFixture({ 'script.yml': 'turns: [{ steps: [{ say: of the default branch }] }]' });
  const mine = execFileSync('git', ['hash-object', '-w', '--stdin'], {
    cwd: on.mirror.dir,
    input: 'turns: [{ steps: [{ say: of an easy branch }] }]',
    encoding: 'utf8',
  }).trim();
  const tree = execFileSync('git', ['mktree'], {
    cwd: on.mirror.dir,
    input: `100644 blob ${mine}\tscript.yml\n`,
    encoding: 'utf8',
  }).trim();
  const as = ['-c', 'user.name=Bob', '-c', 'user.email=bob@example.org'];
  on.git('update-ref', 'refs/heads/easy', on.git(...as, 'commit-tree', tree, '-m', 'Easy', '-p', on.head));
  const state = stateOf({ head: on.head });
  expect(await play(on, { state: { ...state, run: { ...state.run, base: 'easy' } } })).toMatchObject({
    work: { report: { summary: 'of the default branch' } },
  });
});

test('a script that is not on the default branch is named', async () => {
  const on = await agentFixture({});
  expect(await play(on, {})).toMatchObject({
    failure: { message: expect.stringContaining('script.yml is not on the default branch') },
  });
});

test.each([
  ['by dots', '', '../outside.txt'],
  ['by an absolute path', '', '/outside.txt'],
  ['through a linked folder', 'ln -s "$PWD/.." up', 'up/outside.txt'],
  ['through a linked file', 'ln -s ../outside.txt link.txt', 'link.txt'],
  ['into Git’s own files', '', '.git/config'],
  ['into Git’s own files in other letters', '', 'a/.GIT/config'],
])('a script cannot write %s', async (_, before, path) => {
  const steps = [...(before ? [{ run: before }] : []), { write: path, content: 'x' }];
  const on = await played(JSON.stringify({ turns: [{ steps }] }));
  const outcome = await on.play();
  expect(outcome).toMatchObject({ kind: 'failed', failure: { message: expect.stringContaining(path) } });
  expect(existsSync('/outside.txt') || existsSync(join(on.root, 'work/attempts/outside.txt'))).toBe(false);
});

interface Playing {
  readonly attempt?: number;
  readonly timeout_s?: number;
  readonly signal?: AbortSignal;
  readonly state?: State;
}

async function played(script: string) {
  const on = await agentFixture({ 'script.yml': script, 'list.txt': 'one\ntwo\n', 'old.txt': 'old\n' });
  return { ...on, play: (playing: Playing = {}) => play(on, playing) };
}

function play(
  on: AgentFixture,
  {
    attempt = 1,
    timeout_s = 20,
    signal = new AbortController().signal,
    state = stateOf({ head: on.head }),
  }: Playing,
) {
  const agent = { use: 'scripted', script: 'script.yml', timeout_s } as const;
  const timed = { ...state, settings: { ...state.settings, agent } };
  const assignment = { state: timed, hold: { ...hold, attempt }, commit: on.head, default_branch };
  return work(assignment, on.resources, { signal });
}
