import { expect, test } from 'vitest';
import type { Authority } from '../../src/steering/shapes/approval-authority.ts';
import type { Approver } from '../../src/steering/shapes/settings.ts';
import {
  asItStands,
  askText,
  awaitedLines,
  decisionCheck,
  literal,
  statusText,
  whyText,
} from '../../src/words/index.ts';
import { approvalsText, policyText } from '../../src/words/parts/approval-texts.ts';
import { missingText, phaseSentence } from '../../src/words/phases/index.ts';
import { anApproval, aVerifier, awaiting, head, shownAt, web } from '../github/show/state.ts';
import { ci } from '../steering/checks.ts';
import { allPhases, runIn } from '../steering/phases.ts';
import { bob, type Choices } from '../steering/samples.ts';
import { story } from '../steering/story.ts';

const authority: Authority = {
  owned: [],
  protected: [{ paths: ['infra/**'], by: [{ team: 'acme/core' }], files: ['infra/a.tf'], count: 1 }],
};

test('whose approval is missing, for which files, and why nothing goes on by itself', () => {
  const state = awaiting({ shown: shownAt(head, { authority }) });
  expect(missingText(state)).toBe(
    'Missing: one approval from someone with write access; one approval from @\u200bacme/core for `infra/**`; ' +
      'nothing proceeds automatically because the configuration requires people to approve.',
  );
  expect(whyText(state, web).startsWith(`${missingText(state)}\n\n**Confidence**`)).toBe(true);
});

test('what is given is no longer missing', () => {
  const state = awaiting({ shown: shownAt(head, { authority }), approvals: [anApproval()] });
  expect(missingText(state)).toMatch(/^Missing: one approval from @\S+core for `infra\/\*\*`; nothing/);
  expect(approvalsText(state)).toBe(
    '**Approvals**\n\n- 1 of 1 from someone with write access; approved by grace\n- 0 of 1 from @\u200bacme/core for `infra/**`',
  );
});

test('a red verifier is missing, and how it can be overridden', () => {
  const red = aVerifier({ name: 'lint', success: false, exit_code: 1 });
  expect(missingText(awaiting({ shown: shownAt(head, { verifiers: [red] }) }))).toContain(
    'green from `lint`, or `--despite lint` by someone with maintain access',
  );
});

test('a red verifier after the last attempt is named in what people can say', () => {
  expect(missingText(runIn.awaiting_resolution().state)).toMatch(
    /^Missing: a person's decision: .*`\/approve --despite test`.*; nothing proceeds automatically until then\.$/,
  );
});

test('an interrupted run says everywhere which approval finishes it as it stands', () => {
  const { state } = runIn.awaiting_resolution();
  const word =
    '`/approve --despite test` by someone with maintain access marks it as ready to merge as it stands';
  expect([whyText(state, web), askText(state, web)]).toEqual([
    expect.stringContaining(`; ${word}; `),
    expect.stringContaining(`\n\n${word}.\n\n`),
  ]);
  expect(decisionCheck(state, web).summary).toContain(`\n\n${word}.\n\n`);
  expect(statusText(state)).toContain(
    '\nOr: /approve --despite test by someone with maintain access marks it',
  );
  const page =
    'It cannot continue without a human; /approve --despite test by someone with maintain access marks it';
  expect(phaseSentence(state)).toContain(page);
});

test('an approval as it stands is said to merge where it does, and not to be enough where it is not', () => {
  const stopped = story({ approval: { finish: 'merge', required: 2 } })
    .starts()
    .works();
  const { state } = stopped.says(bob, '/interrupt');
  expect(asItStands(state, literal)).toBe(
    '/approve merges it as it stands, together with the other approvals it needs',
  );
  const nothing = story().starts().says(bob, '/interrupt');
  expect(asItStands(nothing.state, literal)).toBe('');
});

test('while something is at work, that is missing', () => {
  const texts = [
    story().starts(),
    story().starts().engine.takes(),
    story().starts().engine.takes().agent.asks(),
    story().starts().agent.finishes(),
  ].map(({ state }) => missingText(state));
  expect(texts).toMatchInlineSnapshot(`
    [
      "Missing: room for attempt 1 of iteration 0, which then starts automatically.",
      "Missing: the result of the agent, which is at work on attempt 1 of iteration 0.",
      "Missing: \`/allow\` or \`/deny\` by someone with write access, until 2025-03-03 12:04:00 UTC; then the agent is stopped until somebody decides.",
      "Missing: the results for abc0001 of the verifiers \`test\`, \`lint\`.",
    ]
  `);
});

test('a check of CI is waited for by name, until a time', () => {
  const run = story({ checks: [ci], verifiers: [] }).starts();
  run.agent.finishes().verifiers.pass();
  expect(missingText(run.state)).toMatch(
    /^Missing: the verifier `ci`, which waits for `build \/ test` of github-actions until 2025-03-03 12:\d\d:\d\d UTC\.$/,
  );
});

test('the Action says when it looks at a check of CI', () => {
  const run = story({ checks: [ci], verifiers: [] }).starts();
  run.agent.finishes().verifiers.pass();
  const { state } = run;
  const atSchedule = 'checked when the Coxswain workflow runs for this pull request, and on its schedule)';
  expect(awaitedLines(state).join('\n')).not.toContain(atSchedule);
  const ofAction = { ...state, run: { ...state.run, presenter: 'action' } } as const;
  expect(awaitedLines(ofAction)).toEqual([expect.stringContaining(atSchedule)]);
});

test('the question names who may approve where that is not everyone with a role', () => {
  const state = awaiting();
  const by = (approvers: readonly Approver[]) =>
    askText(
      { ...state, settings: { ...state.settings, approval: { ...state.settings.approval, by: approvers } } },
      web,
    );
  expect(by([{ role: 'write' }])).not.toContain('**Approvals**');
  expect(by([{ team: 'acme/core' }])).toContain('- 0 of 1 from @\u200bacme/core');
});

test('work that is held is allowed by those whom the configuration admits, and by no owner of files', () => {
  const { state } = runIn.awaiting_permission({ approval: { by: [{ codeowners: true }] } });
  const owned = [{ owners: ['@ada'], files: ['a.ts'], count: 1 }];
  const shown = shownAt(head, { authority: { owned, protected: [] } });
  expect(missingText({ ...state, shown })).toContain('`/deny` by someone with write access, until');
});

test('only a run that has ended misses nothing', () => {
  const ended = ['done', 'rejected', 'cancelled', 'abandoned'];
  for (const phase of allPhases) {
    const text = missingText(runIn[phase]().state);
    expect([phase, text.startsWith('Missing: ')]).toEqual([phase, !ended.includes(phase)]);
    expect(text).not.toMatch(/undefined|\.\.|: \./);
  }
});

test('a timed proceed names the time, until which silence is enough', () => {
  const run = story({ approval: { mode: 'auto', on_timeout: 'proceed', on_timeout_written: true } });
  const state = run.starts().works().state;
  if (state.standing.phase !== 'awaiting_approval') throw new Error(state.standing.phase);
  const at = state.standing.proceeds?.at.slice(0, 19).replace('T', ' ');
  expect(missingText(state)).toContain(
    `; or no response by ${at} UTC, after which it proceeds without an approval.`,
  );
  const { summary } = decisionCheck(state, web);
  expect(summary).toContain('New ground: 0 of 3 merged runs of this agent');
  expect(summary).toContain('It proceeds automatically unless a human objects in time.');
  expect(summary).not.toContain('has to decide');
});

test('the reason why people decide after all is that of the policy, not of the mode', () => {
  const { state } = story({ approval: { mode: 'auto' } })
    .starts()
    .works();
  const why = 'the agent is new here, and the configuration does not set on_timeout: proceed explicitly';
  expect(missingText(state)).toContain(`nothing proceeds automatically because ${why}.`);
  expect(policyText(state)).toContain(`People decide although the mode is \`auto\`: ${why}.`);
  expect(whyText(state, web)).toContain(`A human has to decide because ${why}.`);
});

test('a human word stops it, and is the reason from then on', () => {
  const run = story({ approval: { mode: 'auto', on_timeout: 'proceed', on_timeout_written: true } });
  run.starts().works().says(bob, '/status');
  expect(missingText(run.state)).toMatch(
    /nothing proceeds automatically because bob said something at 2025-03-03 12:\d\d:\d\d UTC\./,
  );
});

test.each<[string, Choices['approval'], string]>([
  [
    'new ground, where silence is enough',
    { on_timeout: 'proceed', on_timeout_written: true },
    'New ground: 0 of 3 merged runs of this agent, so where it would proceed at once, people have 10 min ' +
      'to respond, and then it proceeds.',
  ],
  [
    'new ground, where it is not',
    {},
    'of this agent, and the configuration does not set on_timeout: proceed explicitly, so people decide.',
  ],
  ['a merge', { finish: 'merge', new_history: 0 }, 'at a medium one, people decide.'],
  [
    'known ground',
    { new_history: 0 },
    'at a medium one, people have 10 min to respond, and then it proceeds.',
  ],
])('the mode is told as it works on %s', (_, approval, text) => {
  const { state } = story({ approval: { mode: 'auto', ...approval } })
    .starts()
    .works();
  expect(policyText(state)).toContain(text);
});

test('the comment that asks says what an approval merges, and where', () => {
  const asked = (finish: 'ready' | 'merge' | 'auto-merge') =>
    askText(story({ approval: { finish } }).starts().works().state, web);
  expect(asked('merge')).toContain(
    'Once approved, Coxswain merges it into `main` (squash, unless a merge queue decides).',
  );
  expect(asked('auto-merge')).toContain(
    "Once approved, it is merged into `main` (squash, unless a merge queue decides) as soon as GitHub's rules allow it.",
  );
  expect(asked('ready')).not.toContain('Once approved');
});

test('a pause names who wanted it, and why', () => {
  const { state } = story().starts().works().says(bob, '/pause wait for the design');
  expect(missingText(state)).toBe('Missing: `/resume`: Paused by bob: wait for the design.');
});

test('an approval by policy names its rule', () => {
  const run = story({ approval: { mode: 'confidence_threshold', threshold: 0.8, new_history: 0 } });
  const { state } = run.starts().works();
  expect(state.standing.phase).toBe('approved');
  expect(missingText(state)).toContain('the final check');
  expect(decisionCheck(state, web).title).toContain('Approved by policy (confidence_threshold)');
});
