import { describe, expect, test } from 'vitest';
import { commandSpecs } from '../../src/steering/commands/index.ts';
import type { ActionCommand, PhaseEvent } from '../../src/steering/row.ts';
import type { Phase } from '../../src/steering/standing.ts';
import { queryCommands, table } from '../../src/steering/table.ts';
import { allPhases, runIn } from './phases.ts';
import { bob, changes, failureOf, mia, verifierOutputs } from './samples.ts';
import type { Story } from './story.ts';

/** Two pages that are written from the code; run vitest with `-u` to write them anew. */

describe('the pages written from the code', () => {
  test('phases.md says what each phase makes of every command and every fact', async () => {
    await expect(phasesPage()).toMatchFileSnapshot('../../docs/phases.md');
  });

  test('commands.md lists every command with its usage and who may say it', async () => {
    await expect(commandsPage()).toMatchFileSnapshot('../../docs/commands.md');
  });
});

const says: { readonly [N in ActionCommand]: (run: Story) => Story } = {
  run: (run) => run.says(mia, '/run more'),
  steer: (run) => run.says(mia, '/steer more'),
  approve: (run) =>
    run.says(mia, run.phase === 'awaiting_resolution' ? '/approve --despite test' : '/approve'),
  reject: (run) => run.says(mia, '/reject no'),
  cancel: (run) => run.says(mia, '/cancel'),
  retry: (run) => run.says(mia, '/retry'),
  verify: (run) => run.says(mia, '/verify'),
  resume: (run) => run.says(mia, '/resume'),
};

const late = { iteration: 0, attempt: 1, holder: 'late' };

const hears: { readonly [F in PhaseEvent]: readonly [string, (run: Story) => Story] } = {
  attempt_started: ['an engine takes the work', (run) => run.engine.takes()],
  work_finished: ['the agent finishes', (run) => run.agent.finishes({}, isAtWork(run) ? run.hold : late)],
  work_failed: ['the agent fails, budget left', failing],
  verified: ['the verifiers are green', verifying],
  hold_lost: ['whoever held the work is gone', (run) => run.engine.isLost(isAtWork(run) ? run.hold : late)],
  finish_checked: ['GitHub confirms the approval', (run) => run.confirms()],
  pushed: ['somebody pushes', (run) => run.pushes(bob)],
  branch_deleted: ['the branch is deleted', (run) => run.deletesBranch(bob)],
  closed: ['the pull request is closed', (run) => run.closes(bob)],
  reopened: ['the pull request is reopened', (run) => run.reopens(bob)],
  timer_due: ['the review timer fires', (run) => run.waits(24)],
  review_dismissed: ['the approving review is dismissed', (run) => run.dismisses(bob)],
  comment_changed: ['the comment of a queued steer is edited', (run) => run.edits(1, 'otherwise')],
  run_failed: ['something of ours breaks', (run) => run.engine.breaks()],
};

function failing(run: Story): Story {
  const failure = failureOf('exit');
  return run.hear({
    type: 'work_failed',
    hold: isAtWork(run) ? run.hold : late,
    failure,
    kept: null,
    duration_s: 1,
  });
}

function verifying(run: Story): Story {
  if (run.phase === 'verifying') return run.verifiers.pass();
  const { head, settings } = run.state;
  const verifiers = verifierOutputs(settings);
  return run.hear({ type: 'verified', hold: late, head, verifiers, changes, gates: [], duration_s: 1 });
}

function isAtWork({ phase }: Story): boolean {
  return phase === 'working' || phase === 'verifying';
}

function phasesPage(): string {
  // Object.entries forgets the names of the keys; the records above are complete by their types.
  const commands = (Object.keys(says) as ActionCommand[]).filter((name) => name !== 'run');
  const facts = Object.keys(hears) as PhaseEvent[];
  return [
    '# Phases',
    '',
    'Written from the code by `test/steering/docs.test.ts`, which tells a story for every cell.',
    'A cell names the phase that follows; `stays` means recorded without leaving the phase.',
    'An empty cell under a command is a refusal that says what can be said now;',
    'an empty cell under a fact changes nothing.',
    'A result that comes too late is kept in the ledger: `stays`.',
    '',
    '## What people say',
    '',
    `${wordsOf(queryCommands)} are answered in every phase.`,
    '',
    ...grid(commands.map((name) => ({ head: `/${name}`, cell: (phase) => afterSaying(phase, name) }))),
    '',
    '## What happens',
    '',
    ...grid(facts.map((fact) => ({ head: hears[fact][0], cell: (phase) => afterHearing(phase, fact) }))),
    '',
  ].join('\n');
}

function commandsPage(): string {
  const specs = Object.values(commandSpecs);
  return [
    '# Commands',
    '',
    'Written from the code by `test/steering/docs.test.ts`.',
    'A command begins a paragraph of a comment; `/coxswain steer` says the same as `/steer`.',
    'Approving follows `approval.by` of the configuration instead of a role.',
    '',
    '| command | what it does | requires | available while the run is |',
    '| --- | --- | --- | --- |',
    ...specs.map(({ name, usage, summary, needs }) => {
      const takes = name === 'approve' ? '`approval.by`' : needs;
      return `| \`${usage.replaceAll('|', '\\|')}\` | ${summary} | ${takes} | ${phasesOf(name)} |`;
    }),
    '',
  ].join('\n');
}

function phasesOf(name: keyof typeof commandSpecs): string {
  if (queryCommands.some((known) => known === name)) return 'in any phase';
  const answering = allPhases.filter((phase) => name in table[phase].says);
  return answering.length === 0 ? 'not yet begun' : answering.map(inWords).join(', ');
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

function afterSaying(phase: Phase, name: ActionCommand): string {
  const run = runIn[phase]();
  says[name](run);
  return run.refusal === undefined ? outcome(run, phase) : '';
}

function afterHearing(phase: Phase, fact: PhaseEvent): string {
  const run = prepared(phase, fact);
  const { seq } = run.state;
  hears[fact][1](run);
  return run.state.seq === seq ? '' : outcome(run, phase);
}

/** A run in which the fact has something to be about. */
function prepared(phase: Phase, fact: PhaseEvent): Story {
  if (fact === 'review_dismissed' && phase === 'approved')
    return runIn.awaiting_approval().reviews(bob, 'approves');
  const run = runIn[phase]();
  const steerable = ['queued', 'working', 'verifying'].includes(phase);
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
