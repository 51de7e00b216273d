import { describe, expect, test } from 'vitest';
import { followsApproval } from '../../src/steering/approval/authorization.ts';
import {
  type CommandName,
  commandNames,
  commandSpecs,
  isQuery,
  queryCommands,
} from '../../src/steering/commands/index.ts';
import type { PhaseEvent } from '../../src/steering/iterations/step.ts';
import { table } from '../../src/steering/phases/table.ts';
import type { LeaseId, Phase } from '../../src/steering/shapes/standing.ts';
import { ci, failChecks } from './checks.ts';
import { allPhases, runIn } from './phases.ts';
import { hearsOf, isRelinked, isSpawned } from './resolving-story.ts';
import { automation, bob, changes, failureOf, mia, sha, verifierOutputs } from './samples.ts';
import type { Story } from './story.ts';

/** Two pages generated from the code; run vitest with `-u` to update them. */

describe('the generated pages', () => {
  test('phases.md shows how each phase handles every command and every fact', async () => {
    await expect(phasesPage()).toMatchFileSnapshot('../../docs/phases.md');
  });

  test('commands.md lists every command with its usage and who may use it', async () => {
    await expect(commandsPage()).toMatchFileSnapshot('../../docs/commands.md');
  });
});

const late = { iteration: 0, attempt: 1, holder: 'late' };

const eventsIn: { readonly [F in PhaseEvent]: readonly [string, (run: Story) => Story] } = {
  attempt_started: ['an engine takes the work', (run) => run.engine.takes()],
  work_finished: ['the agent finishes', (run) => run.agent.finishes({}, isAtWork(run) ? run.hold : late)],
  work_held: ['the work is held', (run) => run.agent.isHeld([automation], isAtWork(run) ? run.hold : late)],
  undone: ['going back is done', (run) => run.engine.undoes(isAtWork(run) ? run.hold : late)],
  ci_started: ['CI is started', (run) => run.engine.startsCi(isAtWork(run) ? run.hold : late)],
  work_failed: ['the agent fails, budget left', failing],
  work_parked: [
    'the agent is stopped with a question',
    (run) =>
      (run.phase === 'working' ? run.agent.wonders('Which?') : run).agent.parks('question', {}, heldBy(run)),
  ],
  question_asked: [
    'the agent asks a question',
    (run) =>
      run.apply({ type: 'question_asked', hold: heldBy(run), asked: { id: 'ask-1', question: 'Which?' } }),
  ],
  question_withdrawn: [
    'the agent withdraws its question',
    (run) =>
      (run.phase === 'working' ? run.agent.wonders('Which?', undefined, { id: 'ask-1' }) : run).apply({
        type: 'question_withdrawn',
        hold: heldBy(run),
        question: 'ask-1',
      }),
  ],
  permission_requested: [
    'the agent asks to do something',
    (run) => run.agent.asks({}, isAtWork(run) ? run.hold : late),
  ],
  permission_lapsed: ['nobody answers the agent in time', (run) => lapsing(run)],
  steer_told: [
    'the agent is told a steer',
    (run) => run.agent.isTold('injected', isAtWork(run) ? run.hold : late),
  ],
  verified: ['the verifiers pass', verifying],
  checks_reported: ['a required check of CI fails', (run) => failChecks(run)],
  base_moved: ['the base moves', (run) => movesBase(run)],
  hold_lost: [
    'the process doing the work is lost',
    (run) => run.engine.isLost(isAtWork(run) ? run.hold : late),
  ],
  finish_checked: ['GitHub confirms the approval', (run) => run.confirms()],
  pushed: ['someone pushes', (run) => run.pushes(bob)],
  retargeted: ['the base is changed', (run) => run.retargets(bob, 'release')],
  branch_deleted: ['the branch is deleted', (run) => run.deletesBranch(bob)],
  closed: ['the pull request is closed', (run) => run.closes(bob)],
  reopened: ['the pull request is reopened', (run) => run.reopens(bob)],
  timer_due: ['the review timer fires', (run) => run.waits(24 * 7)],
  enqueued: ['GitHub queues it', (run) => run.apply({ type: 'enqueued', by: 'coxswain[bot]' })],
  dequeued: [
    'a check of its merge group fails',
    (run) => run.apply({ type: 'dequeued', by: 'somebody', because: 'checks' }),
  ],
  review_dismissed: ['the approving review is dismissed', (run) => run.dismisses(bob)],
  comment_changed: ['the comment of a queued steer is edited', (run) => run.edits(1, 'otherwise')],
  dependencies_read: ['what it depends on is merged', (run) => hearsOf(run, { 3: 'ready' })],
  relinked: ['what it depends on is replaced', (run) => isRelinked(run, [3], [8])],
  base_merged: ['the base is merged into the branch', mergingBase],
  spawned: ['the runs that replace it are there', (run) => isSpawned(run, { less: 8 })],
  run_failed: ['Coxswain has an internal error', (run) => run.engine.breaks()],
};

function failing(run: Story): Story {
  const failure = failureOf('exit');
  return run.apply({
    type: 'work_failed',
    hold: isAtWork(run) ? run.hold : late,
    failure,
    kept: null,
    duration_s: 1,
  });
}

function movesBase(run: Story): Story {
  const { head } = run.state;
  return run.apply({ type: 'base_moved', head, base_sha: sha(0), commits: 1 });
}

function mergingBase(run: Story): Story {
  const head_before = run.state.head;
  const head = run.newCommit();
  const { base } = run.state.run;
  return run.apply({ type: 'base_merged', hold: heldBy(run), head_before, head, base, base_sha: sha(7) });
}

function lapsing(run: Story): Story {
  const asking = run.phase === 'working' ? run.agent.asks() : run;
  return asking.agent.lapses(isAtWork(run) ? run.hold : late);
}

function verifying(run: Story): Story {
  if (run.phase === 'verifying') return run.verifiers.pass();
  const { head, settings } = run.state;
  const verifiers = verifierOutputs(settings);
  return run.apply({ type: 'verified', hold: late, head, verifiers, changes, gates: [], duration_s: 1 });
}

function heldBy(run: Story): LeaseId {
  return isAtWork(run) ? run.hold : late;
}

function isAtWork({ phase }: Story): boolean {
  return phase === 'working' || phase === 'verifying';
}

function phasesPage(): string {
  const commands = commandNames.filter((name) => name !== 'run' && !isQuery(name));
  // Object.keys loses the types of the keys; the record above is complete by its type.
  const facts = Object.keys(eventsIn) as PhaseEvent[];
  return [
    '# Phases',
    '',
    'Generated by `test/steering/docs.test.ts`, which plays every cell through the state machine.',
    'A cell names the next phase; `stays` means that the event is recorded and the phase stays the same.',
    'An empty cell means that the command is refused or that the event is ignored.',
    'Late results of an agent or of the verifiers are only recorded.',
    'While an agent at work waits before a tool call, the phase is shown as `awaiting_permission`, and `/allow` and `/deny` answer it.',
    'While an agent at work waits for an answer, the phase is shown as `awaiting_answer`; `/answer` is refused where nothing is asked.',
    '`/budget` queues a run that has stopped because of that limit; where there is no such limit it is refused.',
    'The runs on this page have only one iteration, so `/undo` is refused: with an earlier one it leads to `queued` wherever it is available.',
    'A run that timed out before anybody had decided about a failed task takes `/retry`, `/spawn` and `/abandon`; the one on this page had asked for approval.',
    'The runs on this page do not change what they depend on with `/retry`, and `/spawn` ends a run as soon as the new ones are there.',
    'A run that was paused by `/pause` goes on with `/resume` where it stood; the one on this page has lost its branch.',
    'A click on Reject asks for the reason and changes nothing; `/reject` with the reason ends the run.',
    '',
    '## Commands',
    '',
    `${wordsOf(queryCommands)} work in every phase.`,
    '',
    ...grid(commands.map((name) => ({ head: `/${name}`, cell: (phase) => afterSaying(phase, name) }))),
    '',
    '## Events',
    '',
    ...grid(facts.map((fact) => ({ head: eventsIn[fact][0], cell: (phase) => afterHearing(phase, fact) }))),
    '',
  ].join('\n');
}

function commandsPage(): string {
  return [
    '# Commands',
    '',
    'Generated by `test/steering/docs.test.ts`.',
    'A command starts a line of plain text in a comment; `/coxswain steer` is the same as `/steer`.',
    'It is not heard in a quote, a list, a table, a footnote, code or math, nor inside HTML such as an open `<details>`.',
    `${wordsOf(commandNames.filter(followsApproval)).replace(/,(?=[^,]*$)/, ' and')} require what \`approval.by\` in the configuration says, instead of a role.`,
    '',
    '| command | what it does | requires | available while the run is |',
    '| --- | --- | --- | --- |',
    ...commandNames.map((name) => {
      const { usage, summary, needs } = commandSpecs[name];
      const takes = followsApproval(name) ? '`approval.by`' : needs;
      return `| \`${usage.replaceAll('|', '\\|')}\` | ${summary} | ${takes} | ${phasesOf(name)} |`;
    }),
    '',
  ].join('\n');
}

function phasesOf(name: CommandName): string {
  if (isQuery(name)) return 'in any phase';
  const answering = allPhases.filter((phase) => name in table[phase].commands);
  return answering.length === 0 ? 'not started yet' : answering.map(inWords).join(', ');
}

interface Line {
  readonly head: string;
  readonly cell: (phase: Phase) => string;
}

function grid(lines: readonly Line[]): readonly string[] {
  return [
    `| | ${allPhases.map(inWords).join(' | ')} |`,
    `| --- |${' --- |'.repeat(allPhases.length)}`,
    ...lines.map(({ head, cell }) => `| ${head} | ${allPhases.map(cell).join(' | ')} |`),
  ];
}

function afterSaying(phase: Phase, name: CommandName): string {
  const run = runIn[phase](name === 'budget' ? { limits: { minutes: 60, cost_usd: 5 } } : {});
  const isRed = name === 'approve' && phase === 'awaiting_resolution';
  run.says(mia, `/${name} ${isRed ? '--despite test' : commandSpecs[name].example}`);
  return run.refusal === undefined ? outcome(run, phase) : '';
}

function afterHearing(phase: Phase, fact: PhaseEvent): string {
  const run = prepared(phase, fact);
  const { seq } = run.state;
  eventsIn[fact][1](run);
  return run.state.seq === seq ? '' : outcome(run, phase);
}

/** A run to which the fact can apply. */
function prepared(phase: Phase, fact: PhaseEvent): Story {
  if (fact === 'review_dismissed' && phase === 'approved')
    return runIn.awaiting_approval().reviews(bob, 'approves');
  if (fact === 'steer_told' && phase === 'working')
    return runIn.working({ agent: { use: 'claude', timeout_s: 1800 } }).says(mia, '/steer --now more');
  if (fact === 'spawned' && phase === 'awaiting_resolution')
    return runIn[phase]().says(mia, '/spawn do less');
  if (fact === 'checks_reported') {
    const run = runIn[phase]({ verifiers: [], checks: [ci] });
    return phase === 'verifying' ? run.verifiers.pass() : run;
  }
  const run = runIn[phase]();
  const steerable = ['blocked', 'queued', 'working', 'verifying'].includes(phase);
  return fact === 'comment_changed' && steerable ? run.says(mia, '/steer more', { comment: 1 }) : run;
}

function outcome(run: Story, before: Phase): string {
  return run.phase === before ? 'stays' : inWords(run.phase);
}

function inWords(phase: Phase): string {
  return `\`${phase}\``;
}

function wordsOf(names: readonly string[]): string {
  return names.map((name) => `\`/${name}\``).join(', ');
}
