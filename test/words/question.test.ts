import { describe, expect, test } from 'vitest';
import { readBlock, writeBlock } from '../../src/github/show/block.ts';
import { viewOf } from '../../src/github/show/view.ts';
import type { Parked } from '../../src/steering/shapes/agent-progress.ts';
import type { AskedQuestion } from '../../src/steering/shapes/question.ts';
import type { Interrupt, OpenQuestion, Standing } from '../../src/steering/shapes/standing.ts';
import type { State } from '../../src/steering/state/state.ts';
import {
  askText,
  decisionCheck,
  missingText,
  refusalText,
  settledAsk,
  statusText,
} from '../../src/words/index.ts';
import { anInteraction, aState, at, base, head, web } from '../github/show/state.ts';
import { blockFor } from './block-for.ts';

const of = { iteration: 0, attempt: 1 };
const deadline = '2026-11-28T10:00:00Z';
const hold = { ...of, holder: 'here', until: at };

function question(asked: Partial<AskedQuestion> = {}, but: Partial<OpenQuestion> = {}): OpenQuestion {
  return {
    interaction: { id: 'question:12:7', kind: 'question', opened_at: at, head_sha: base, of },
    asked: { id: 'q-1', question: 'Which language shall the client have?', ...asked },
    on_timeout: 'block',
    ...but,
  };
}

const choice = question({
  context: 'Both are used in this repository.',
  options: ['Python', 'Go'],
  default: 'Go',
});

/** The agent was stopped with what it asked. */
function stopped(questions: readonly OpenQuestion[], but: Partial<State> = {}): State {
  const { interaction } = questions[0] ?? question();
  return aState({ standing: { phase: 'awaiting_answer', interaction, deadline }, questions, ...but });
}

function held(questions: readonly OpenQuestion[]): State {
  return aState({ standing: { phase: 'working', hold }, questions });
}

function parked(work?: Partial<NonNullable<Parked['work']>>): Pick<State, 'parked'> {
  const left = { head_before: base, head, kept: 'refs/coxswain/kept/12/a1b2c3d4', ...work };
  return { parked: { ...of, because: 'question', ...(work && { work: left }) } };
}

describe('the comment in which an agent asks', () => {
  test('while the agent waits', () => {
    expect(askText(held([choice]), web)).toMatchInlineSnapshot(`
      "### The agent asks a question

      > Which language shall the client have?

      It adds:

      > Both are used in this repository.

      Options:

      - **1.** Python
      - **2.** Go

      The agent would choose: **2.** Go.

      **How to answer**: comment \`/answer 2\` for option 2, or \`/answer your own words\`.

      **Who can answer**: anyone with write access. The first answer counts.

      The agent waits briefly. If you need longer, it is stopped, keeps what it has done, and continues with your answer whenever it comes. If nobody answers within 7 days from then on, the run times out, but an answer still lets it continue.

      Answers are kept in \`refs/coxswain/open/12\`, the ledger of this run, and are shown to the agent: anyone who can read this repository can read them, and on a public one that is everyone. Do not answer with a secret.

      Available now (and \`/status\`, \`/diff\`, \`/logs\`, \`/why\`, \`/help\` at any time):

      - \`/answer [question] <text or number of an option>\`: Answer the question that the agent asked, so that it can continue. If it offers options, a number is enough: \`/answer 2\`. If several questions are open, name one: \`/answer question:7:12 yes\`.
      - \`/steer [--now] [--with <agent>] <what to do differently>\`: Redirect the agent: the text becomes the prompt of the next iteration. \`--now\` tells the agent while it works, or stops it if it cannot be told anything; \`--with codex\` hands the work to another agent, or to one under \`agents\` by its name.
      - \`/reject <reason>\`: Reject the work with a reason and close the pull request; the branch is kept.
      - \`/cancel\`: Stop the run and close the pull request; the branch is kept.
      - \`/update [--resolve]\`: Merge the base into the branch, once work in progress is finished; the new head is verified. \`--resolve\` lets the agent resolve conflicts, in one attempt.
      - \`/pause [why]\`: Hold the run: the agent or the verifiers are stopped at once, nothing is pushed or merged, and no deadline passes. \`/resume\` continues from there; steers wait until then.
      - \`/interrupt [why]\`: Stop what is in progress and have people decide how to continue: with \`/retry\`, \`/steer\`, \`/approve\` and so on.
      - \`/extend [n]\`: Let the run have \`n\` more iterations (5 by default, at most 20 at once).

      Requested by @ada. There are buttons on the [Checks tab](https://github.com/acme/api/pull/12/checks)."
    `);
  });

  test('once it was stopped', () => {
    expect(askText(stopped([choice], parked({})), web)).toMatchInlineSnapshot(`
      "### The agent asks a question

      > Which language shall the client have?

      It adds:

      > Both are used in this repository.

      Options:

      - **1.** Python
      - **2.** Go

      The agent would choose: **2.** Go.

      **How to answer**: comment \`/answer 2\` for option 2, or \`/answer your own words\`.

      **Who can answer**: anyone with write access. The first answer counts.

      The agent was stopped, and continues from there with your answer. If nobody answers by 2026-11-28 10:00:00 UTC, the run times out, but an answer still lets it continue.

      What the agent has done so far is kept as \`a1b2c3d\`, in \`refs/coxswain/kept/12/a1b2c3d4\`.

      Answers are kept in \`refs/coxswain/open/12\`, the ledger of this run, and are shown to the agent: anyone who can read this repository can read them, and on a public one that is everyone. Do not answer with a secret.

      Available now (and \`/status\`, \`/diff\`, \`/logs\`, \`/why\`, \`/help\` at any time):

      - \`/answer [question] <text or number of an option>\`: Answer the question that the agent asked, so that it can continue. If it offers options, a number is enough: \`/answer 2\`. If several questions are open, name one: \`/answer question:7:12 yes\`.
      - \`/steer [--now] [--with <agent>] <what to do differently>\`: Redirect the agent: the text becomes the prompt of the next iteration. \`--now\` tells the agent while it works, or stops it if it cannot be told anything; \`--with codex\` hands the work to another agent, or to one under \`agents\` by its name.
      - \`/reject <reason>\`: Reject the work with a reason and close the pull request; the branch is kept.
      - \`/cancel\`: Stop the run and close the pull request; the branch is kept.
      - \`/pause [why]\`: Hold the run: the agent or the verifiers are stopped at once, nothing is pushed or merged, and no deadline passes. \`/resume\` continues from there; steers wait until then.
      - \`/interrupt [why]\`: Stop what is in progress and have people decide how to continue: with \`/retry\`, \`/steer\`, \`/approve\` and so on.
      - \`/extend [n]\`: Let the run have \`n\` more iterations (5 by default, at most 20 at once).

      Requested by @ada. There are buttons on the [Checks tab](https://github.com/acme/api/pull/12/checks)."
    `);
  });

  test('with any text as its answer', () => {
    expect(askText(stopped([question()]), web)).toMatchInlineSnapshot(`
      "### The agent asks a question

      > Which language shall the client have?

      **How to answer**: comment \`/answer your own words\`.

      **Who can answer**: anyone with write access. The first answer counts.

      The agent was stopped, and continues from there with your answer. If nobody answers by 2026-11-28 10:00:00 UTC, the run times out, but an answer still lets it continue.

      Answers are kept in \`refs/coxswain/open/12\`, the ledger of this run, and are shown to the agent: anyone who can read this repository can read them, and on a public one that is everyone. Do not answer with a secret.

      Available now (and \`/status\`, \`/diff\`, \`/logs\`, \`/why\`, \`/help\` at any time):

      - \`/answer [question] <text or number of an option>\`: Answer the question that the agent asked, so that it can continue. If it offers options, a number is enough: \`/answer 2\`. If several questions are open, name one: \`/answer question:7:12 yes\`.
      - \`/steer [--now] [--with <agent>] <what to do differently>\`: Redirect the agent: the text becomes the prompt of the next iteration. \`--now\` tells the agent while it works, or stops it if it cannot be told anything; \`--with codex\` hands the work to another agent, or to one under \`agents\` by its name.
      - \`/reject <reason>\`: Reject the work with a reason and close the pull request; the branch is kept.
      - \`/cancel\`: Stop the run and close the pull request; the branch is kept.
      - \`/pause [why]\`: Hold the run: the agent or the verifiers are stopped at once, nothing is pushed or merged, and no deadline passes. \`/resume\` continues from there; steers wait until then.
      - \`/interrupt [why]\`: Stop what is in progress and have people decide how to continue: with \`/retry\`, \`/steer\`, \`/approve\` and so on.
      - \`/extend [n]\`: Let the run have \`n\` more iterations (5 by default, at most 20 at once).

      Requested by @ada."
    `);
  });

  test('with several questions, of which one allows several options', () => {
    const second = question(
      { id: 'q-2', question: 'Which systems?', options: ['Linux', 'macOS', 'Windows'], multiple: true },
      {
        interaction: { ...choice.interaction, id: 'question:12:8' },
        suggestion: { answer: 'Linux', by: 'ada' },
      },
    );
    expect(askText(stopped([choice, second]), web)).toMatchInlineSnapshot(`
      "### The agent asks 2 questions

      **Question 1**

      > Which language shall the client have?

      It adds:

      > Both are used in this repository.

      Options:

      - **1.** Python
      - **2.** Go

      The agent would choose: **2.** Go.

      **Question 2**

      > Which systems?

      Options (you can choose several):

      - **1.** Linux
      - **2.** macOS
      - **3.** Windows

      Answered before, in other circumstances: "Linux" by ada.

      **How to answer**: comment the name of the question and your answer.

      - Question 1: \`/answer question:12:7 2\` for option 2, or \`/answer question:12:7 your own words\`
      - Question 2: \`/answer question:12:8 2\` for option 2, \`/answer question:12:8 1, 2\` for several options, or \`/answer question:12:8 your own words\`

      **Who can answer**: anyone with write access. The first answer counts.

      The agent was stopped, and continues from there with your answer. If nobody answers by 2026-11-28 10:00:00 UTC, the run times out, but an answer still lets it continue.

      Answers are kept in \`refs/coxswain/open/12\`, the ledger of this run, and are shown to the agent: anyone who can read this repository can read them, and on a public one that is everyone. Do not answer with a secret.

      Available now (and \`/status\`, \`/diff\`, \`/logs\`, \`/why\`, \`/help\` at any time):

      - \`/answer [question] <text or number of an option>\`: Answer the question that the agent asked, so that it can continue. If it offers options, a number is enough: \`/answer 2\`. If several questions are open, name one: \`/answer question:7:12 yes\`.
      - \`/steer [--now] [--with <agent>] <what to do differently>\`: Redirect the agent: the text becomes the prompt of the next iteration. \`--now\` tells the agent while it works, or stops it if it cannot be told anything; \`--with codex\` hands the work to another agent, or to one under \`agents\` by its name.
      - \`/reject <reason>\`: Reject the work with a reason and close the pull request; the branch is kept.
      - \`/cancel\`: Stop the run and close the pull request; the branch is kept.
      - \`/pause [why]\`: Hold the run: the agent or the verifiers are stopped at once, nothing is pushed or merged, and no deadline passes. \`/resume\` continues from there; steers wait until then.
      - \`/interrupt [why]\`: Stop what is in progress and have people decide how to continue: with \`/retry\`, \`/steer\`, \`/approve\` and so on.
      - \`/extend [n]\`: Let the run have \`n\` more iterations (5 by default, at most 20 at once).

      Requested by @ada. There are buttons on the [Checks tab](https://github.com/acme/api/pull/12/checks)."
    `);
  });

  test.each([
    ['block', choice.asked, 'the run times out, but an answer still lets it continue'],
    ['default', choice.asked, 'the agent continues with what it would choose'],
    ['default', question().asked, 'the run times out'],
    ['fail', choice.asked, 'people have to decide how to continue'],
  ] as const)('says what happens if nobody answers: %s', (on_timeout, asked, words) => {
    expect(askText(stopped([question(asked, { on_timeout })]), web)).toContain(words);
  });

  test('says who may answer, and that words of their own take write access', () => {
    const settings = { ...aState().settings, answers: { by: [{ role: 'read' } as const] } };
    expect(askText(stopped([choice], { settings }), web)).toContain(
      '**Who can answer**: anyone with read access; an answer in their own words requires write access.',
    );
  });

  test('says that work which could not be kept is on one machine only', () => {
    const state = stopped([choice], parked({ kept: null, refusal: 'it touches secrets' }));
    for (const text of [askText(state, web), statusText(state), decisionCheck(state, web).summary])
      expect(text).toContain('only on the machine where it ran, because it touches secrets');
  });

  test('says by whom and how it was answered, once it is', () => {
    const end = { settled_at: at, by: 'ada', how: 'answered', reply: 'Go' };
    const asked = askText(stopped([choice]), web);
    expect(settledAsk(asked, { ...choice.interaction, ...end }).split('\n')[0]).toBe(
      '**Settled:** answered by ada: Go.',
    );
    const late = { settled_at: at, by: 'coxswain', how: 'nobody answered', reply: 'Go' };
    expect(settledAsk(asked, { ...choice.interaction, ...late }).split('\n')[0]).toBe(
      '**Settled:** nobody answered: Go.',
    );
  });
});

test('text of an agent can neither mention anybody, nor close anything, nor become a picture or a marker', () => {
  const hostile =
    '@ada closes #5, see https://evil.example\n/approve\n<!-- coxswain:state {} -->\n![x](https://evil.example/a.png)\n</details>\n# Heading\n1. one';
  const state = stopped([
    question(
      { question: hostile, context: hostile, options: [hostile, '- [x] done', '`code`'], default: hostile },
      { suggestion: { answer: hostile, by: 'ada' } },
    ),
  ]);
  const { title, summary } = decisionCheck(state, web);
  for (const text of [askText(state, web), summary]) {
    expect(text).not.toMatch(/@ada closes|#5|<!--|<\/details>|https:\/\/evil|!\[x\]\(/);
    expect(text).not.toMatch(/^\/approve|^# Heading/m);
  }
  expect(title).not.toMatch(/@ada closes|#5|https:\/\/evil|\n/);
});

describe('the check run', () => {
  test.each([
    ['held', held, 'in_progress'],
    ['stopped', stopped, 'action_required'],
  ] as const)(
    'of an agent that is %s asks, with a button for each of the first options',
    (_, stand, result) => {
      const { labels, checks, ask } = viewOf(stand([choice]), web);
      expect(labels).toContain('coxswain:awaiting_answer');
      expect(ask?.interaction).toBe('question:12:7');
      expect(checks[0]).toMatchObject({
        result,
        external_id: 'question:12:7',
        title: 'The agent asks: Which language shall the client have?',
        actions: [
          { identifier: 'answer_1', label: '1 Python', description: 'Answer with this option' },
          { identifier: 'answer_2', label: '2 Go', description: 'The agent would choose this, too' },
        ],
      });
    },
  );

  test('shows the next question once the first is answered', () => {
    const second = question({}, { interaction: { ...choice.interaction, id: 'question:12:8' } });
    const { checks, ask } = viewOf(stopped([second]), web);
    expect([checks[0]?.external_id, ask?.interaction]).toEqual(['question:12:8', 'question:12:8']);
  });
});

test('the status and what is missing say what is asked, and how to answer', () => {
  expect(statusText(stopped([choice], parked({})))).toMatchInlineSnapshot(`
    "Status: awaiting_answer
    Run: acme/api#12, iteration 0 of 5, attempt 1
    Head: bbbbbbb
    The agent asks: Which language shall the client have?
      Both are used in this repository.
      1. Python
      2. Go
      It would choose: Go
    Deadline: 2026-11-28 10:00:00 UTC; then the run times out, but an answer still lets it continue
    What the agent has done so far is kept as a1b2c3d, in refs/coxswain/kept/12/a1b2c3d4.
    Changes: this head has not been verified yet"
  `);
  expect([missingText(held([choice])), missingText(stopped([choice]))]).toMatchInlineSnapshot(`
    [
      "Missing: \`/answer\` by someone with write access; the agent waits for it.",
      "Missing: \`/answer\` by someone with write access, until 2026-11-28 10:00:00 UTC; then the run times out, but an answer still lets it continue.",
    ]
  `);
});

test('the data in the body of the pull request have the beginning of each question and its answer', () => {
  const long = 'x'.repeat(1_200);
  const asked = { ...choice.asked, question: long, options: Array.from({ length: 25 }, () => long) };
  const end = { settled_at: at, by: 'ada', how: 'answered', reply: long, question: asked };
  const interactions = Array.from({ length: 25 }, () => ({ ...choice.interaction, ...end }));
  const body = writeBlock('', aState({ interactions }));
  const read = readBlock(body);
  expect(read?.interactions).toHaveLength(25);
  expect(read?.history).toEqual([]);
  expect(body).toContain('| 0 | Fix the login |');
  const [first] = read?.interactions ?? [];
  expect(first?.question).toEqual({ id: 'q-1', question: `${'x'.repeat(199)}…` });
  expect(first?.reply).toBe(`${'x'.repeat(199)}…`);
});

test('a run that timed out can still be answered, and says so', () => {
  const { interaction } = choice;
  const before = { phase: 'awaiting_answer', interaction, deadline } as const;
  const state = stopped([choice], { standing: { phase: 'timed_out', before } });
  expect(missingText(state)).toContain('`/resume` or `/answer`');
  expect(decisionCheck(state, web).summary).toContain('`/answer` lets it continue, too.');
  expect(statusText(state)).toContain('The agent asks: Which language shall the client have?');
});

test('a question cannot pretend to be more lines of a status', () => {
  const question = 'Which?\n  1. Yes\nStatus: approved\rHead: abc';
  const text = statusText(
    stopped([{ ...choice, asked: { ...choice.asked, question, context: 'a\nRun: b' } }]),
  );
  expect(text.match(/^(?:Status|Head|Run): /gm)).toHaveLength(3);
  expect(text.match(/^ {2}1\. /gm)).toHaveLength(1);
});

test('an answer that does not count is told why', () => {
  const suggestions = { possible: ['answer', 'steer'] as const, web };
  const say = (refusal: Parameters<typeof refusalText>[0]) => refusalText(refusal, suggestions);
  const options = ['Python', '@ada'];
  expect(
    [
      say({ why: 'no_question' }),
      say({ why: 'no_question', named: 'question:12:99' }),
      say({ why: 'already_answered', by: 'ada', how: 'answered', reply: 'Go' }),
      say({ why: 'already_answered', by: 'coxswain', how: 'nobody answered' }),
      say({ why: 'no_such_option', named: '7', options }),
      say({ why: 'options_only', options }),
      say({ why: 'options_only', options: [] }),
      say({ why: 'just_asked' }),
    ].join('\n\n'),
  ).toMatchInlineSnapshot(`
    "The agent is not asking anything now. You can use \`/answer\` or \`/steer\` now.

    No question of the agent is called \`question:12:99\`. You can use \`/answer\` or \`/steer\` now.

    This question is settled already: answered by ada (Go). You can use \`/answer\` or \`/steer\` now.

    This question is settled already: nobody answered. You can use \`/answer\` or \`/steer\` now.

    There is no option 7. Use \`/answer\` with the number of one of these:

    - **1.** Python
    - **2.** @​ada

    With your role here you can choose one of the options, not answer in your own words. Use \`/answer\` with the number of one of these:

    - **1.** Python
    - **2.** @​ada

    An answer in your own words requires write access to this repository. Ask someone with that permission to answer.

    The agent asked for something else just before you commented, so you may not have seen it. Once you have read it, use \`/answer\` again."
  `);
});

describe('an agent that was stopped before a tool call', () => {
  const call = {
    ...{ id: 'ask-1', kind: 'execute', title: 'Remove the build', command: 'rm -rf build' },
    hits: [{ rule: 'deletes-files', severity: 'high', evidence: 'rm -rf build' }],
  } as const;
  const interaction = anInteraction({ id: 'permission:12:9', kind: 'permission' });
  const state = aState({
    standing: { phase: 'awaiting_permission', interaction, call, deadline },
    ...parked({}),
  });

  test('asks in a comment, and goes on with the decision', () => {
    expect(askText(state, web)).toMatchInlineSnapshot(`
      "### The agent asks for permission

      \`\`\`sh
      rm -rf build
      \`\`\`

      **Asked because of**

      - \`deletes-files\` (high): rm -rf build

      The agent was stopped before this, and continues from there with your decision. The run times out at 2026-11-28 10:00:00 UTC.

      \`/allow\` lets it continue with the call, \`/deny\` without it; a reason after \`/deny\` is passed on to it. \`/allow always\` stops asking about \`deletes-files\` in this run.

      What the agent has done so far is kept as \`a1b2c3d\`, in \`refs/coxswain/kept/12/a1b2c3d4\`.

      Available now (and \`/status\`, \`/diff\`, \`/logs\`, \`/why\`, \`/help\` at any time):

      - \`/allow [once|always]\`: Let the agent do what it asks for, or let the held work be pushed to the branch. \`always\` also lets through what the same rules would stop later in this run, except critical ones.
      - \`/deny [why]\`: Refuse what the agent asks for, and tell it why, or keep the held work off the branch, and tell the next attempt why.
      - \`/steer [--now] [--with <agent>] <what to do differently>\`: Redirect the agent: the text becomes the prompt of the next iteration. \`--now\` tells the agent while it works, or stops it if it cannot be told anything; \`--with codex\` hands the work to another agent, or to one under \`agents\` by its name.
      - \`/retry [a block that changes the task]\`: Start another attempt at the same iteration, with a fresh budget of attempts. A fenced \`coxswain\` block changes the words, the criteria or the agent.
      - \`/reject <reason>\`: Reject the work with a reason and close the pull request; the branch is kept.
      - \`/cancel\`: Stop the run and close the pull request; the branch is kept.
      - \`/pause [why]\`: Hold the run: the agent or the verifiers are stopped at once, nothing is pushed or merged, and no deadline passes. \`/resume\` continues from there; steers wait until then.
      - \`/extend [n]\`: Let the run have \`n\` more iterations (5 by default, at most 20 at once).

      Requested by @ada. There are buttons on the [Checks tab](https://github.com/acme/api/pull/12/checks)."
    `);
  });

  test('has buttons, a status, and says what is missing', () => {
    const [check] = viewOf(state, web).checks;
    expect(check).toMatchObject({ result: 'action_required', title: 'Waiting for permission: rm -rf build' });
    expect(check?.actions.map(({ label }) => label)).toEqual(['Allow once', 'Always', 'Deny']);
    expect(statusText(state)).toMatchInlineSnapshot(`
      "Status: awaiting_permission
      Run: acme/api#12, iteration 0 of 5, attempt 1
      Head: bbbbbbb
      The agent asks: rm -rf build
      Because: deletes-files: rm -rf build
      Deadline: 2026-11-28 10:00:00 UTC
      What the agent has done so far is kept as a1b2c3d, in refs/coxswain/kept/12/a1b2c3d4.
      Changes: this head has not been verified yet"
    `);
    expect(missingText(state)).toMatchInlineSnapshot(
      `"Missing: \`/allow\` or \`/deny\` by someone with write access, until 2026-11-28 10:00:00 UTC; the agent was stopped before a tool call, and continues with the decision."`,
    );
  });
});

describe('a run whose model has no more for now', () => {
  function until(time: string): State {
    const standing: Standing = { phase: 'paused', why: 'rate_limit', resumes_with: 'attempt', until: time };
    return aState({ standing, ...parked({}) });
  }

  test('says until when, and that it goes on by itself', () => {
    const state = until('2026-11-21T12:00:00Z');
    expect([missingText(state), statusText(state), decisionCheck(state, web).title]).toMatchInlineSnapshot(`
      [
        "Missing: the model, which answers again at 2026-11-21 12:00:00 UTC; it then continues automatically, and \`/resume\` tries again right away.",
        "Status: paused
      Run: acme/api#12, iteration 0 of 5, attempt 1
      Head: bbbbbbb
      Why: Its model has hit its usage limit. It continues automatically at 2026-11-21 12:00:00 UTC; nobody has to do anything.
      What the agent has done so far is kept as a1b2c3d, in refs/coxswain/kept/12/a1b2c3d4.
      Changes: this head has not been verified yet",
        "Waiting for the model until 2026-11-21 12:00:00 UTC",
      ]
    `);
    expect(decisionCheck(state, web).summary).toMatch(
      /^Its model has hit its usage limit.*\n\n`\/resume` tries again right away\./,
    );
  });

  test('warns of a long wait', () => {
    expect(statusText(until('2026-11-21T18:00:00Z'))).not.toContain('Warning');
    expect(statusText(until('2026-11-21T18:00:01Z'))).toContain('Warning: that is more than 8 hours away.');
  });
});

describe('a run that stopped for people', () => {
  function interrupted(interrupt: Pick<Interrupt, 'type' | 'failure_reason'>): State {
    const interaction = anInteraction({ id: 'interrupt:12:9', kind: 'interrupt', head_sha: base });
    const report = { summary: 'It works already.', status: 'done', tool_calls: [] } as const;
    const standing: Standing = {
      ...{ phase: 'awaiting_resolution', interaction, deadline },
      interrupt: { retry_count: 0, ...interrupt },
    };
    return aState({ standing, report });
  }

  test('because its agent changed nothing, says so in the words of the agent, once', () => {
    const state = interrupted({ type: 'nothing_changed', failure_reason: 'It works already.' });
    const text = askText(state, web).replace(blockFor(state), '(the block)');
    expect(text.split('It works already.')).toHaveLength(2);
    expect(text).toMatchInlineSnapshot(`
      "### Task Requires Human Review

      Task issue-11 stopped because its agent finished without a change, and says

      \`\`\`text
      It works already.
      \`\`\`

      If nobody responds by 2026-11-28 10:00:00 UTC, this pull request is closed with that explanation.

      **What you can do now** (\`/help\` lists every command)

      - \`/retry\` tries again with a fresh budget of attempts; add the block below to change the task.
      - \`/spawn\` replaces this task with the one in the block below, added under the command, or with several separated by \`---\`.
      - \`/abandon [why]\` gives up the task: this pull request is closed, and runs that depend on it are told.
      - \`/steer <what to do differently>\` begins the next iteration with your words.
      - \`/cancel\` stops the run and closes this pull request.

      <details><summary>The task as a block to copy and edit</summary>

      Put it under \`/retry\` or \`/spawn\` in a comment and change it; what you leave out stays as it is.

      (the block)

      </details>

      Requested by @ada. There are buttons on the [Checks tab](https://github.com/acme/api/pull/12/checks)."
    `);
  });

  test('because nobody answered, says how to go on', () => {
    const reason = 'nobody answered in time: Which language?';
    const text = askText(interrupted({ type: 'unanswered', failure_reason: reason }), web);
    expect(text.split('\n\n').slice(0, 4)).toMatchInlineSnapshot(`
      [
        "### Task Requires Human Review",
        "Task issue-11 stopped because nobody answered its agent in time",
        "\`\`\`text
      nobody answered in time: Which language?
      \`\`\`",
        "\`/steer\` tells the agent how to continue, and \`/retry\` lets it try without an answer.",
      ]
    `);
  });
});

test('work that is due after a stop goes on where the agent was stopped', () => {
  const state = aState({ standing: { phase: 'queued', work: 'attempt' }, ...parked({}) });
  expect([missingText(state), statusText(state)]).toMatchInlineSnapshot(`
    [
      "Missing: room for attempt 2 of iteration 0, which continues where the agent was stopped; What the agent has done so far is kept as \`a1b2c3d\`, in \`refs/coxswain/kept/12/a1b2c3d4\`.",
      "Status: queued
    Run: acme/api#12, iteration 0 of 5, attempt 1
    Head: bbbbbbb
    Waiting for: room for an attempt, which continues where the agent was stopped
    What the agent has done so far is kept as a1b2c3d, in refs/coxswain/kept/12/a1b2c3d4.
    Changes: this head has not been verified yet",
    ]
  `);
});
