import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { probeSandbox, work } from '../../src/agent/index.ts';
import type { WorkOutcome } from '../../src/agent/port/assignment.ts';
import { usualQuestions } from '../../src/steering/shapes/question.ts';
import {
  type AgentFixture,
  agentFixture,
  default_branch,
  hold,
  places,
  put,
  workBy,
} from './agent-fixture.ts';
import { settingsOf, stateOf } from './states.ts';

const unsandboxed = await probeSandbox('off');
test("the agent's changes are one commit on top of the starting commit", async () => {
  const on = await agentFixture({ 'sum.txt': '2\n' });
  const outcome = await workBy('echo 3 > sum.txt; echo "Fixed the sum"', on);
  const { work: done } = finished(outcome);
  expect(done).toMatchObject({
    head_before: on.head,
    report: { summary: 'Fixed the sum', status: 'done', tool_calls: [] },
    changes: { summary: '1 file changed, +1, -1', files: [{ path: 'sum.txt', status: 'modified' }] },
  });
  expect(on.git('rev-parse', `${done.head}^`)).toBe(on.head);
  expect(on.git('log', '-1', '--format=%B', done.head)).toMatchInlineSnapshot(`
    "Fixed the sum

    Coxswain-Run: acme/sums#7
    Coxswain-Iteration: 0
    Coxswain-Attempt: 1
    Co-authored-by: ada <1+ada@users.noreply.github.com>"
  `);
});

test('the prompt comes on stdin and in a file, and the attempt is named', async () => {
  const on = await agentFixture({});
  const script = [
    'cat > from-stdin.txt',
    'cp "$COXSWAIN_PROMPT_FILE" from-file.txt',
    'echo "$COXSWAIN_RUN $COXSWAIN_ITERATION $COXSWAIN_ATTEMPT"',
  ].join('; ');
  const outcome = finished(await workBy(script, on));
  const prompt = outcome.artefacts.find(({ path }) => path === 'iterations/0/1/implement/prompt.md')?.content;
  expect(outcome.work.report.summary).toBe('acme/sums#7 0 1');
  expect(prompt).toContain('Fix the sum');
  expect(`${on.git('show', `${outcome.work.head}:from-stdin.txt`)}\n`).toBe(prompt);
  expect(`${on.git('show', `${outcome.work.head}:from-file.txt`)}\n`).toBe(prompt);
});

test('without changes the head stays the same', async () => {
  const on = await agentFixture({ 'a.txt': 'a\n' });
  const { work: done } = finished(await workBy('echo nothing to do', on));
  expect(done.head).toBe(on.head);
  expect(done.changes.files).toEqual([]);
});

test('a report is used as written', async () => {
  const on = await agentFixture({});
  const report = {
    summary: 'Half done',
    status: 'uncertain',
    tool_calls: [{ kind: 'execute', title: 'npm test', command: 'npm test', outcome: 'failed' }],
  };
  const { work: done } = finished(await workBy(writeReport(report), on));
  expect(done.report).toEqual(report);
});

// By its name alone, as the whole path may be longer than that of a socket can be.
const socketOfReport =
  'process.chdir(path.dirname(process.argv[1])); net.createServer().listen(path.basename(process.argv[1]), () => process.exit())';
const listening = `node -e '${socketOfReport}' "$COXSWAIN_REPORT_FILE"`;

test.each([
  ['is not JSON', 'printf "{" > "$COXSWAIN_REPORT_FILE"', /not JSON/],
  ['lacks a status', writeReport({ summary: 'x' }), /status/],
  ['is a pipe', 'mkfifo "$COXSWAIN_REPORT_FILE"', /not JSON/],
  ['is a socket', listening, /not JSON/],
  ['is a folder', 'mkdir "$COXSWAIN_REPORT_FILE"', /not JSON/],
  ['is endless', 'head -c 2000000 /dev/zero > "$COXSWAIN_REPORT_FILE"', /longer than/],
])('a report that %s is rejected as incoherent', async (_, script, message) => {
  const outcome = await workBy(script, await agentFixture({}));
  expect(failed(outcome)).toMatchObject({
    kind: 'incoherent_report',
    message: expect.stringMatching(message),
  });
});

test('a report that is a symbolic link is ignored', async () => {
  const on = await agentFixture({});
  const secret = join(on.root, 'key.json');
  put(on.root, { 'key.json': JSON.stringify({ summary: 'the key', status: 'done', tool_calls: [] }) });
  const { work: done } = finished(await workBy(`ln -s ${secret} "$COXSWAIN_REPORT_FILE"; echo hello`, on));
  expect(done.report.summary).toBe('hello');
});

test('what an agent would have to know to do it is told with why it cannot, where it may not ask', async () => {
  const on = await agentFixture({});
  const report = { summary: 'There are two sums', status: 'cannot', question: 'Which one?', tool_calls: [] };
  const settings = { questions: { ...usualQuestions, enabled: false } };
  const outcome = await workBy(writeReport(report), on, { settings });
  expect(failed(outcome).message).toBe('There are two sums\n\nIt asks: Which one?');
});

test('when an agent reports that it cannot do the task, its changes are kept', async () => {
  const on = await agentFixture({});
  const report = writeReport({ summary: 'There is no sum here', status: 'cannot', tool_calls: [] });
  const outcome = await workBy(`echo half > half.txt; ${report}`, on);
  expect(failed(outcome)).toEqual({ kind: 'cannot', message: 'There is no sum here' });
  expect(on.git('show', `${outcome.kind === 'failed' ? outcome.left?.head : ''}:half.txt`)).toBe('half');
});

for (const { kind, sandbox, tags } of places)
  test(`the failure of an agent (${kind}) contains its exit code and last output`, { tags }, async () => {
    const on = await agentFixture({}, { sandbox });
    const failure = failed(await workBy('echo "no model" >&2; exit 3', on));
    expect(failure.kind).toBe('exit');
    expect(failure.message).toMatch(/ended with exit code 3; its last output was:\nno model$/);
  });

for (const { kind, sandbox, tags } of places)
  test(`an agent killed by a signal (${kind}) has crashed`, { tags }, async () => {
    const on = await agentFixture({}, { sandbox });
    const failure = failed(await workBy('kill -SEGV $$', on));
    expect(failure).toMatchObject({ kind: 'crash', message: expect.stringContaining('SIGSEGV') });
  });

for (const { kind, sandbox, tags } of places)
  test(`a command that is not there (${kind}) is named with the place that names it`, { tags }, async () => {
    const on = await agentFixture({}, { sandbox });
    const agent = { use: 'command', command: ['no-such-agent', '--fast'], timeout_s: 5 } as const;
    const state = stateOf({ head: on.head, settings: settingsOf({ agent }) });
    const assignment = { state, hold, commit: on.head, default_branch };
    const outcome = await work(assignment, on.resources, { signal: new AbortController().signal });
    expect(failed(outcome)).toMatchObject({
      kind: 'not_found',
      message: expect.stringMatching(/`no-such-agent` was not found.*agent\.command/),
    });
  });

for (const { kind, sandbox, tags } of places)
  test(`an agent (${kind}) that hangs, ignores SIGTERM and has children is ended on time`, {
    tags,
  }, async () => {
    const on = await agentFixture({}, { sandbox });
    const seconds = unusual();
    const agent = {
      use: 'command',
      command: ['sh', '-c', `trap '' TERM; (trap '' TERM; sleep ${seconds}) & sleep ${seconds}`],
      timeout_s: 0.3,
    } as const;
    const outcome = await workBy('', on, { settings: { agent } });
    expect(failed(outcome)).toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('within 0.3 s'),
    });
    expect(await gone(seconds)).toBe(true);
  });

for (const { kind, sandbox, tags } of places)
  test(`a grandchild does not outlive its agent (${kind})`, { tags }, async () => {
    const on = await agentFixture({}, { sandbox });
    const seconds = unusual();
    finished(await workBy(`(sleep ${seconds} &) ; echo done`, on));
    expect(await gone(seconds)).toBe(true);
  });

test('a cancelled attempt ends the agent and leaves nothing behind', async () => {
  const on = await agentFixture({});
  const stop = new AbortController();
  const seconds = unusual();
  const working = workBy(`sleep ${seconds}`, on, { signal: stop.signal });
  await vi.waitFor(
    () => expect(readdirSync(join(on.resources.workRoot, 'children'))).toHaveLength(1),
    60_000,
  );
  stop.abort();
  expect(await working).toMatchObject({ kind: 'parked', because: 'stopped', left: null });
  expect(await gone(seconds)).toBe(true);
  expect(leftBehind(on)).toEqual([]);
});

test('a cancelled attempt also ends processes that left its group and session', async () => {
  const on = await agentFixture({}, { sandbox: unsandboxed });
  const stop = new AbortController();
  const seconds = unusual();
  const working = workBy(`setsid sleep ${seconds} & sleep 60`, on, { signal: stop.signal });
  await vi.waitFor(() => expect(running(seconds)).toContain(`sleep ${seconds}`), 60_000);
  stop.abort();
  expect(await working).toMatchObject({ kind: 'parked', because: 'stopped' });
  expect(await gone(seconds)).toBe(true);
});

test('an attempt cancelled before it begins starts nothing', async () => {
  const on = await agentFixture({});
  expect(await workBy('touch x', on, { signal: AbortSignal.abort() })).toEqual({ kind: 'cancelled' });
  expect(leftBehind(on)).toEqual([]);
});

test('of a flood of output only the end is kept', async () => {
  const on = await agentFixture({});
  const outcome = finished(await workBy('yes flood | head -c 30000000; echo; echo the end', on));
  const log = outcome.artefacts.find(({ path }) => path.endsWith('/reasoning.md'))?.content ?? '';
  expect(log.length).toBeLessThan(1_100_000);
  expect(outcome.work.report.summary).toMatch(/the end$/);
});

test('secrets that an agent prints are in no result', async () => {
  const known = 'the-operator-s-own-key';
  const on = await agentFixture({}, { secrets: [known] });
  const shaped = `ghp_${'a1B2'.repeat(9)}`;
  const outcome = await workBy(`echo "using ${known}"; echo "and ${shaped}" > f; cat f`, on);
  expect(JSON.stringify(outcome)).not.toContain(known);
  expect(JSON.stringify(outcome)).not.toContain(shaped);
  const subject = on.git('log', '-1', '--format=%B', finished(outcome).work.head);
  expect(subject).toContain('using [REDACTED]');
});

test('an attempt leaves nothing behind', async () => {
  const on = await agentFixture({ 'a.txt': 'a\n' });
  await workBy(
    'mkdir -p "$HOME/go/pkg"; touch "$HOME/go/pkg/x"; chmod -R a-w "$HOME/go"; echo b > a.txt',
    on,
  );
  expect(leftBehind(on)).toEqual([]);
  expect(on.git('worktree', 'list').split('\n')).toHaveLength(1);
});

function writeReport(report: unknown): string {
  return `printf '%s' '${JSON.stringify(report)}' > "$COXSWAIN_REPORT_FILE"`;
}

function leftBehind({ resources }: AgentFixture): readonly string[] {
  return ['attempts', 'children'].flatMap((name) => {
    const folder = join(resources.workRoot, name);
    return existsSync(folder) ? readdirSync(folder) : [];
  });
}

/** A duration for `sleep` that no other process on this machine uses. */
function unusual(): string {
  return String(100_000_000 + randomInt(800_000_000));
}

/** Whether no process on this machine has the text in its command line any more. */
async function gone(word: string): Promise<boolean> {
  await vi.waitFor(() => expect(running(word)).toEqual([]), 60_000);
  return true;
}

/** Command lines that contain the text. */
function running(word: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        return [readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()];
      } catch {
        return []; // it ended while we looked
      }
    })
    .filter((line) => line.includes(word));
}

function finished(outcome: WorkOutcome) {
  if (outcome.kind !== 'finished') throw new Error(`not finished: ${JSON.stringify(outcome, null, 2)}`);
  return outcome;
}

function failed(outcome: WorkOutcome) {
  if (outcome.kind !== 'failed') throw new Error(`not failed: ${JSON.stringify(outcome, null, 2)}`);
  return outcome.failure;
}
