import { describe, expect, test } from 'vitest';
import { readBlock, writeBlock } from '../../src/github/show/block.ts';
import type { Interrupt, Standing } from '../../src/steering/shapes/standing.ts';
import type { ReplyContent } from '../../src/steering/state/pending-effect.ts';
import type { AttemptRecord, State } from '../../src/steering/state/state.ts';
import {
  askText,
  attemptsText,
  decisionCheck,
  missingText,
  replyText,
  settledAsk,
  statusText,
} from '../../src/words/index.ts';
import { givenUpText } from '../../src/words/parts/resolution-texts.ts';
import { lengthOf, maxBody } from '../../src/words/parts/sanitize.ts';
import { startRefusalText } from '../../src/words/start-texts.ts';
import { anInteraction, aVerifier, awaiting, head, shownAt, standingIn, web } from '../github/show/state.ts';
import { blockFor } from './block-for.ts';

/** What people read of tasks that wait for others, and of failed ones and what becomes of them. */

const seen = (text: string): string => text.replaceAll('\u200b', '·');
const interaction = anInteraction({ id: 'interrupt:12:6', kind: 'interrupt' });
const ada = { login: 'ada', id: 1, role: 'write', bot: false } as const;
const spawning = {
  by: ada,
  cause: 'comment:1@T',
  tasks: [
    { name: 'parser', description: 'Only the @parser' },
    { name: 'printer', title: 'Print it', description: 'later' },
  ],
};
const on = [
  { number: 4, is: 'ready' },
  { number: 5, is: 'open' },
  { number: 6, is: 'closed' },
] as const;

function interrupted(changed: Partial<State> = {}, interrupt: Partial<Interrupt> = {}): State {
  const why = {
    type: 'task_exceeded_retries',
    retry_count: 2,
    failure_reason: 'test failed',
    ...interrupt,
  } as const;
  const standing: Standing = { phase: 'awaiting_resolution', interaction, interrupt: why, deadline: 'T' };
  return awaiting({ standing, attempt: 3, attempts_used: 3, ...changed });
}

function attempt(number: number, changed: Partial<AttemptRecord> = {}): AttemptRecord {
  const said = 'not ok 2 | `sum`\n  expected 3';
  const verifiers = [
    { name: 'lint', success: true, exit_code: 0 },
    { name: 'test', success: false, exit_code: 1, said },
  ];
  const known = { head, failure: null, summary: 'tried', verifiers, duration_s: 200 };
  return { attempt: number, outcome: 'red', ...known, ...changed };
}

const say = (words: ReplyContent, state: State): Promise<string> =>
  replyText(words, state, {
    web,
    diff: async () => ({ files: [], summary: '', truncated: false }),
    outputs: async () => undefined,
    progress: () => ({ progress: undefined, now: new Date() }),
  });

describe('the table of attempts', () => {
  test('says of each what it changed, what failed first, its time and its cost', () => {
    const files = ['a|b.ts', 'c.ts', 'd.ts', 'e.ts', 'f.ts'];
    const failure = { kind: 'exit', message: 'it ended | with *1*' } as const;
    const attempts = [
      attempt(1, { files, cost: { usd: 0.42, tokens: 1200 } }),
      attempt(2, { outcome: 'failed', failure, verifiers: [] }),
      attempt(3, { outcome: 'green', verifiers: [], files: ['a.ts'] }),
    ];
    expect(attemptsText({ attempts })).toMatchInlineSnapshot(`
      "| attempt | what the agent says | changed | what failed | cost, time |
      |---|---|---|---|---|
      | 1 | tried | \`a\\|b.ts\`, \`c.ts\`, \`d.ts\` and 2 more | \`test\` failed<br>\`\` not ok 2 \\| \`sum\` \`\`<br>\`expected 3\` | 0.42 USD, 1,200 tokens, 3 min 20 s |
      | 2 | – | – | it ended \\| with \\*1\\* | 3 min 20 s |
      | 3 | tried | \`a.ts\` | nothing | 3 min 20 s |"
    `);
  });

  test('keeps the newest ten', () => {
    const attempts = Array.from({ length: 30 }, (_, nth) => attempt(nth + 1));
    const rows = attemptsText({ attempts }).split('\n').slice(2);
    expect(rows.map((row) => Number(row.split(' ')[1]))).toEqual([21, 22, 23, 24, 25, 26, 27, 28, 29, 30]);
  });
});

describe('the comment about a failed task', () => {
  test('begins with why the last attempt failed, in the words of its verifier', () => {
    const lines = 'Task Requires Human Review\n\nTask issue-11 exceeded max retries (2)\n\n';
    const why = '```text\ntest failed\n\ntest:\nnot ok 2 | `sum`\n  expected 3\n```';
    const attempts = [attempt(2, { files: ['a.ts'] }), attempt(3)];
    expect(askText(interrupted({ attempts }), web)).toContain(lines + why);
    expect(decisionCheck(interrupted({ attempts }), web).summary).toContain(why);
    expect(askText(interrupted({ attempts }), web)).toContain('In the words of the agent:');
    const report = { summary: 'tried', status: 'done', tool_calls: [] } as const;
    expect(askText(interrupted({ attempts, report }), web)).not.toContain('In the words of the agent:');
    const pushed = interrupted({ attempts: [attempt(2)] });
    expect(askText(pushed, web)).toContain('```text\ntest failed\n```');
  });

  test('has the task as a block where it can be tried again or replaced, and only the ways on', () => {
    const text = askText(interrupted(), web);
    expect(text).toContain(`\n\n${blockFor(interrupted())}\n\n</details>`);
    const ways = text.split('\n').filter((line) => line.startsWith('- `/'));
    expect(ways.map((line) => /\/\w+/.exec(line)?.[0])).toEqual([
      '/retry',
      '/spawn',
      '/abandon',
      '/steer',
      '/cancel',
    ]);
    expect(text).not.toContain('Available now');
  });

  test('asks whom the configuration names, else whoever asked for the run', () => {
    const { settings } = awaiting();
    const asking = (...ask: readonly string[]) =>
      askText(interrupted({ settings: { ...settings, interrupts: { ask } } }), web)
        .split('\n')
        .at(-1);
    expect(asking('acme/core', 'bob')).toMatch(
      /^@acme\/core, @bob: please decide how to continue\. Requested by ada\./,
    );
    expect(seen(asking('acme/core <!-- @eve') ?? '')).toMatch(/^acme\/core &lt;!-- @·eve: please/);
    for (const last of [asking(), askText(interrupted(), web).split('\n').at(-1)])
      expect(last).toMatch(/^Requested by @ada\./);
  });

  test('says while new tasks are started who replaces it by what, and nothing else', () => {
    const state = interrupted();
    const { standing } = state;
    if (standing.phase !== 'awaiting_resolution') throw new Error('it is not interrupted');
    const replacing = { ...state, standing: { ...standing, spawning } };
    expect(seen(askText(replacing, web))).toMatchInlineSnapshot(`
      "### New tasks are being started

      ada is replacing this task with 2 new tasks, which are being started. This run ends as soon as that is done; until then nothing else can be decided.

      - \`parser\`: Only the @·parser
      - \`printer\`: Print it

      Requested by @ada."
    `);
    const { title, summary } = decisionCheck(replacing, web);
    expect([title, summary.split('\n')[0]]).toMatchInlineSnapshot(`
      [
        "New tasks are being started",
        "ada is replacing this task with 2 new tasks, which are being started. This run ends as soon as that is done; until then nothing else can be decided.",
      ]
    `);
    expect(statusText(replacing)).toContain('Being replaced by: 2 new tasks');
    expect(missingText(replacing)).toMatch(/^Missing: the runs of the new tasks/);
  });

  test('links the new runs once they have taken its place, and nothing that others wrote', () => {
    const settled = { ...interaction, settled_at: 'T', by: 'ada' };
    expect(settledAsk('### Asked', { ...settled, how: 'replaced by #13, #14' })).toMatch(
      /^\*\*Settled:\*\* replaced by #13, #14 by ada/,
    );
    expect(seen(settledAsk('### Asked', { ...settled, how: 'replaced by #13 @eve' }))).toContain(
      '#·13 @·eve',
    );
  });

  test('stays tame and whole, whatever people, agents and programs wrote', () => {
    const hostile = '``` ~~~ </details> <!-- coxswain:begin --> @eve #1 | --- \n---\n- /approve\n<script>';
    const long = hostile.repeat(1200);
    const attempts = Array.from({ length: 40 }, (_, nth) =>
      attempt(nth, {
        files: Array(50).fill(hostile),
        summary: long,
        ...(nth % 2 === 0
          ? { failure: { kind: 'exit', message: long } as const }
          : { verifiers: [{ name: hostile, success: false, exit_code: 1, said: long }] }),
      }),
    );
    const files = Array.from({ length: 3000 }, () => ({
      ...{ path: hostile.repeat(5), status: 'added', additions: 1, deletions: 0 },
    })) as never;
    const verifiers = Array.from({ length: 60 }, () => aVerifier({ name: hostile, success: false }));
    const gates = Array.from(
      { length: 60 },
      () => ({ rule: 'r', severity: 'high', evidence: long }) as const,
    );
    const shown = shownAt(head, { changes: { files, summary: long }, verifiers, gates });
    const report = { summary: long, status: 'done', tool_calls: [], question: long } as const;
    const state = interrupted({ attempt: 39, attempts, shown, report }, { failure_reason: long });
    const text = askText(state, web);
    expect(long.length).toBeGreaterThan(90_000);
    expect(
      lengthOf(settledAsk(text, { ...interaction, settled_at: 'T', by: 'ada', how: long })),
    ).toBeLessThan(maxBody);
    expect(text).toContain(blockFor(state));
    expect(outsideCode(text)).not.toMatch(wild);
    expect(outsideCode(text).match(/<\/details>/g)).toHaveLength(1);
    // Each of ten rows is a line of five cells, whatever is in them.
    const rows = text.split('\n').filter((line) => /^\| \d/.test(line));
    expect(rows.map((row) => row.split(/(?<!\\)\|/))).toEqual(
      Array(10).fill(expect.objectContaining({ length: 7 })),
    );
    const check = decisionCheck(state, web);
    expect(outsideCode(check.summary)).not.toMatch(wild);
    expect(Buffer.byteLength(check.summary)).toBeLessThan(65_535);
    const body = writeBlock('', state);
    expect(lengthOf(body)).toBeLessThanOrEqual(maxBody);
    expect(readBlock(body)).toMatchObject({
      phase: 'awaiting_resolution',
      interrupt: { type: 'task_exceeded_retries', cause: 'task_exceeded_retries' },
    });
  });
});

const wild = /<script|<!--|@eve|#1\b|^---/m;

/** What Markdown would take for more than letters. */
function outsideCode(text: string): string {
  return text.replace(/^(`{3,}).*\n[\s\S]*?\n\1$/gm, '').replace(/(`+)[\s\S]*?[^`]\1(?!`)/g, '');
}

test('replies about new tasks stay tame, whatever they are called', async () => {
  const wildly = '``` </details> <!-- x --> @eve #1 | \n---\n/approve\n<script>';
  const state = { ...interrupted(), task: { ...interrupted().task, title: wildly } };
  const tasks = Array.from({ length: 10 }, () => ({
    name: wildly,
    title: wildly,
    description: wildly.repeat(500),
  }));
  const replacing: Standing = {
    ...{ phase: 'awaiting_resolution', interaction, deadline: 'T', spawning: { by: ada, cause: 'c', tasks } },
    interrupt: { type: 'manual_interrupt', retry_count: 0, failure_reason: wildly },
  };
  const over: Standing = { phase: 'abandoned', by: wildly, reason: wildly };
  const texts = [
    await say({ say: 'spawn_failed', made: [], name: wildly, problem: wildly }, state),
    await say({ say: 'ask_tasks' }, state),
    await say({ say: 'spawn_overtaken', by: wildly }, state),
    askText({ ...state, standing: replacing }, web),
    givenUpText(12, over),
    startRefusalText({ why: 'task_problems', problems: [wildly] }, web),
  ];
  for (const text of texts) expect(outsideCode(text)).not.toMatch(wild);
  expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(10_000);
});

test('of a task that is too long for a comment, that is said', () => {
  const { task } = interrupted();
  const asking = (acceptance_criteria: readonly string[]) =>
    askText({ ...interrupted(), task: { ...task, acceptance_criteria } }, web);
  expect(asking(Array.from({ length: 100 }, (_, nth) => `it adds ${nth}`))).toContain('  - it adds 99\n');
  const long = asking(Array.from({ length: 100 }, (_, nth) => `${nth} ${'it adds '.repeat(60)}`));
  expect(long).toContain('acceptance_criteria stays as it is: it is too long to be shown here');
  expect(lengthOf(long)).toBeLessThan(maxBody);
});

test('whoever clicks on "New task" gets the block to change', async () => {
  const state = interrupted();
  const text = await say({ say: 'ask_tasks' }, state);
  expect(text.replace(blockFor(state), '(the block)')).toMatchInlineSnapshot(`
    "What should be done instead of Fix the login? Nothing has changed yet: comment \`/spawn <what to do>\`, or \`/spawn\` with an edited version of this block; several tasks go into one block, separated by \`---\`.

    <details open><summary>The task as a block to copy and edit</summary>

    Put it under \`/retry\` or \`/spawn\` in a comment and change it; what you leave out stays as it is.

    (the block)

    </details>"
  `);
  const huge = { ...state, task: { ...state.task, acceptance_criteria: Array(200).fill('a'.repeat(300)) } };
  const short = await say({ say: 'ask_tasks' }, huge);
  expect(short.length).toBeLessThan(25_000);
});

test('what becomes of the runs that were to take its place, or of what it depends on, is said in a reply', async () => {
  const failed = {
    say: 'spawn_failed',
    made: [{ name: 'parser', number: 13 }],
    name: 'printer',
    problem: 'the base is gone',
  } as const;
  const words: readonly ReplyContent[] = [
    failed,
    { ...failed, made: [] },
    { say: 'spawn_overtaken', by: 'bob' },
    { say: 'dependency_closed', numbers: [5] },
    { say: 'dependency_closed', numbers: [5, 6] },
  ];
  expect((await Promise.all(words.map((one) => say(one, interrupted())))).join('\n')).toMatchInlineSnapshot(`
    "The task \`printer\` cannot be started: the base is gone. Started so far: #13; this run stays as it was. \`/spawn\` again starts the rest.
    The task \`printer\` cannot be started: the base is gone. None of the new tasks was started; this run stays as it was. \`/spawn\` again starts the rest.
    This was merged by bob before all of the new tasks were started, so no more of them will be. What has already started continues; close its pull request if it is no longer needed.
    #5 was closed without a merge, and this run depends on it, so it stays blocked. \`/resume\` by someone with maintain access starts it anyway, and \`/cancel\` ends it.
    #5, #6 were closed without a merge, and this run depends on them, so it stays blocked. \`/resume\` by someone with maintain access starts it anyway, and \`/cancel\` ends it."
  `);
});

test('a run that waits for others says for which, and why they are not there yet', () => {
  const state = standingIn({ phase: 'blocked', on });
  expect(writeBlock('', state)).toContain(
    '\n\nWaits for #5, which is not merged yet; #6, which was closed without a merge.\n\n',
  );
  const { title, summary } = decisionCheck(state, web);
  expect([title, summary.slice(0, summary.indexOf('\n\n**'))].join('\n')).toMatchInlineSnapshot(`
    "Waiting for #5, #6
    It starts automatically once everything it depends on is merged; someone with maintain access can start it anyway with \`/resume\`:

    - #4 is merged
    - #5 is not merged yet
    - #6 was closed without a merge"
  `);
  expect(
    statusText(state)
      .split('\n')
      .filter((line) => line.startsWith('Waiting')),
  ).toMatchInlineSnapshot(`
    [
      "Waiting for: #5, which is not merged yet",
      "Waiting for: #6, which was closed without a merge",
    ]
  `);
  expect(missingText(state)).toMatchInlineSnapshot(
    `"Missing: #5, which is not merged yet; #6, which was closed without a merge; it starts automatically once everything it depends on is merged; someone with maintain access can start it anyway with \`/resume\`."`,
  );
});

test('a run that was given up or replaced says by whom and by what, and so does what has taken its place', () => {
  const made = [13, 14].map((number) => ({ name: `task-${number}`, number }));
  const replaced_by = { cause: 'c', made };
  const over = { phase: 'abandoned', by: 'ada', reason: '' } as const;
  const told = (standing: Standing, changed: Partial<State> = {}) => {
    const state = { ...standingIn(standing), ...changed };
    const { title, summary } = decisionCheck(state, web);
    return [title, summary.split('\n')[0], ...statusText(state).split('\n').slice(0, 5)].join(' / ');
  };
  const texts = [
    told({ ...over, reason: 'not worth it @eve' }),
    told({ ...over, reason: 'replaced by #13, #14', replaced_by }, { replaced_by }),
    told({ phase: 'queued', work: 'attempt' }, { replaces: { number: 7, cause: 'c', name: 'parser' } }),
  ];
  expect(seen(texts.join('\n'))).toMatchInlineSnapshot(`
    "Abandoned by ada / > not worth it @·eve / Status: abandoned / Run: acme/api#12, iteration 0 of 5, attempt 1 / Head: a1b2c3d / Abandoned by: ada / Reason: not worth it @eve
    Replaced by #13, #14 / Replaced by #13, #14. / Status: abandoned / Run: acme/api#12, iteration 0 of 5, attempt 1 / Replaced by #13, #14. / Head: a1b2c3d / Abandoned by: ada
    Iteration 0 is in progress / The agent or the verifiers are at work, or are about to be. There is no commit to approve yet. / Status: queued / Run: acme/api#12, iteration 0 of 5, attempt 1 / Replaces #7. / Head: a1b2c3d / Waiting for: room for an attempt"
  `);
  const body = writeBlock('', { ...standingIn(over), replaced_by });
  expect(body).toContain('\n\nReplaced by #13, #14.\n\n');
  expect(readBlock(body)).toMatchObject({ phase: 'abandoned', interrupt: null });
});
