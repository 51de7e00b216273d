import { taskBlock } from '../../config/tasks/task-documents.ts';
import { openInteraction } from '../../steering/iterations/interactions.ts';
import { possibleIn } from '../../steering/phases/table.ts';
import { closedAndTold } from '../../steering/phrases/phrases.ts';
import type { Blocked, Standing } from '../../steering/shapes/standing.ts';
import type { Dependency } from '../../steering/shapes/task.ts';
import type { ReplyContent } from '../../steering/state/pending-effect.ts';
import type { State } from '../../steering/state/state.ts';
import { costPhrase, counted, usdText } from '../../text/amounts.ts';
import { command } from './common-phrases.ts';
import { code, type Format, markdown, mention, paragraphs, plain, said, under } from './sanitize.ts';

/** What people read of tasks that wait for others, and of failed ones and what becomes of them. */

/** Numbers of this repository, as GitHub links them: `#12, #13`. */
function numbersOf(all: readonly { readonly number: number }[]): string {
  return all.map(({ number }) => `#${number}`).join(', ');
}

export function dependenciesTitle({ on, behind }: Blocked): string {
  return behind === undefined
    ? `Waiting for ${numbersOf(on.filter(({ is }) => is !== 'ready'))}`
    : `Waiting for its turn behind ${firstOf(behind)}`;
}

/** How many are listed; a longer list would tell people no more. */
const maxBehind = 10;

function firstOf(behind: readonly number[]): string {
  const more = behind.length - maxBehind;
  const listed = numbersOf(behind.slice(0, maxBehind).map((number) => ({ number })));
  return more > 0 ? `${listed} and ${more} more` : listed;
}

const states: { readonly [I in Dependency['is']]: string } = {
  open: 'is not merged yet',
  merged: 'is merged, but not into the base of this run',
  closed: 'was closed without a merge',
  ready: 'is merged',
};

/** Says what a run waits for, each in part of a sentence. */
export function dependencyParts({ on, behind }: Blocked): readonly string[] {
  if (behind !== undefined) return [`its turn, behind ${firstOf(behind)}`];
  const left = on.filter(({ is }) => is !== 'ready');
  return left.map(({ number, is }) => `#${number}, which ${states[is]}`);
}

/** People can do this about a blocked run. */
const beginOrEnd = `${command('resume')} by someone with maintain access starts it anyway, and ${command('cancel')} ends it.`;

/** Says how a run begins that waits for others. */
export function beginningText({ behind }: Blocked, { name }: Format): string {
  if (behind !== undefined)
    return `it starts automatically when enough of the runs before it have ended, for ${name('limits.open_runs')} says how many may be open at once; someone with write access can start it right away with ${name('/resume')}`;
  return `it starts automatically once everything it depends on is merged; someone with maintain access can start it anyway with ${name('/resume')}`;
}

/** Says what a run waits for, what is there already, and how it begins. */
export function dependenciesText(standing: Blocked): string {
  const begins = beginningText(standing, markdown);
  const text = `${begins.charAt(0).toUpperCase()}${begins.slice(1)}`;
  if (standing.behind !== undefined) return `${text}.`;
  return under(
    `${text}:`,
    standing.on.map(({ number, is }) => `- #${number} ${states[is]}`),
  );
}

/**
 * Says what a person can do about a failed task, each in a line; the rest is in `/help`, and how it can be
 * approved as it stands is said above.
 */
export function waysText(state: State): string {
  const possible = possibleIn(state);
  const lines = ways.flatMap(([name, usage, what]) =>
    possible.includes(name) ? [`- ${code(usage)} ${what}`] : [],
  );
  return `**What you can do now** (${command('help')} lists every command)\n\n${lines.join('\n')}`;
}

const ways = [
  ['retry', '/retry', 'tries again with a fresh budget of attempts; add the block below to change the task.'],
  [
    'spawn',
    '/spawn',
    'replaces this task with the one in the block below, added under the command, or with several separated by `---`.',
  ],
  ['abandon', '/abandon [why]', `gives up the task: this ${closedAndTold}`],
  ['steer', '/steer <what to do differently>', 'begins the next iteration with your words.'],
  ['cancel', '/cancel', 'stops the run and closes this pull request.'],
] as const;

/** Longer ones would leave no room for anything else in a comment. */
const maxBlock = 20_000;

/**
 * The task as it is now, to be changed and given to `/retry` or `/spawn`; nobody has to, so it is folded where
 * nobody has asked for it.
 */
export function editableTask(state: State, { isAskedFor = false } = {}): string {
  const block = taskBlock(state.task, state.overrides, openInteraction(state)?.id);
  if (block.length > maxBlock)
    return 'The task is too long to be shown here: a block with only the keys that you change is enough.';
  const what = `Put it under ${command('retry')} or ${command('spawn')} in a comment and change it; what you leave out stays as it is.`;
  return `<details${isAskedFor ? ' open' : ''}><summary>The task as a block to copy and edit</summary>\n\n${what}\n\n${block}\n\n</details>`;
}

export function requestedText({ requested_by }: State): string {
  return `Requested by ${mention(requested_by.login)}.`;
}

/** Says who is asked to decide: whom the configuration names, else whoever asked for the run. */
export function askedPeople(state: State): string {
  const { settings, requested_by } = state;
  const { ask = [] } = settings.interrupts ?? {};
  return ask.length === 0
    ? requestedText(state)
    : `${ask.map(mentionOf).join(', ')}: please decide how to continue. Requested by ${plain(requested_by.login)}.`;
}

/** It mentions a person or a team, whom the settings name `ada` or `acme/core`. */
function mentionOf(name: string): string {
  return /^[a-z\d][a-z\d_-]{0,60}(?:\/[\w.-]{1,100})?$/i.test(name) ? `@${name}` : plain(name);
}

type Spawning = NonNullable<Extract<Standing, { phase: 'awaiting_resolution' }>['spawning']>;

/** While the new runs are made, nobody decides anything else. */
export function spawningText({ by, tasks }: Spawning, { settings }: Pick<State, 'settings'>): string {
  const names = tasks.map(
    ({ name, title, description }) => `- ${code(name, 100)}: ${plain(title ?? description, 200)}`,
  );
  return paragraphs([
    `${plain(by.login, 60)} is replacing this task with ${counted(tasks.length, 'new task')}, which ${tasks.length === 1 ? 'is' : 'are'} being started. This run ends as soon as that is done; until then nothing else can be decided.${ownBudget(settings)}`,
    names.join('\n'),
  ]);
}

/** Says what people may not expect: a budget is of one run. */
function ownBudget({ limits: { cost_usd } }: State['settings']): string {
  return cost_usd === undefined ? '' : ` Each new run may spend up to ${usdText(cost_usd)} of its own.`;
}

export const spawningTitle = 'New tasks are being started';

/** It links to the runs that have taken its place, if others have. */
export function abandonedTitle({ by, replaced_by }: Abandoned): string {
  return replaced_by === undefined ? `Abandoned by ${by}` : `Replaced by ${numbersOf(replaced_by.made)}`;
}

type Abandoned = Extract<Standing, { phase: 'abandoned' }>;

/**
 * In whose place a run is, what is in its own, and what it waits for, where GitHub then shows that it does;
 * empty if nothing is.
 */
export function relatedText(state: Pick<State, 'replaces' | 'replaced_by' | 'standing'>): string {
  const { standing } = state;
  const waits = standing.phase === 'blocked' && `Waits for ${dependencyParts(standing).join('; ')}.`;
  return said([linksText(state), waits]).join(' ');
}

/** In whose place a run is, and what is in its own; empty if nothing is. */
export function linksText({ replaces, replaced_by }: Pick<State, 'replaces' | 'replaced_by'>): string {
  const cost = costPhrase(replaces?.spent ?? {});
  const spent = cost === '' ? '' : `, which had cost ${cost}`;
  const before = replaces === undefined ? '' : `Replaces #${replaces.number}${spent}.`;
  const after = replaced_by?.made.length ? `Replaced by ${numbersOf(replaced_by.made)}.` : '';
  return `${before} ${after}`.trim();
}

export function askTasksText(state: State): string {
  return paragraphs([
    `What should be done instead of ${plain(state.task.title, 200)}? Nothing has changed yet: comment ${code('/spawn <what to do>')}, or ${command('spawn')} with an edited version of this block; several tasks go into one block, separated by ${code('---')}.`,
    editableTask(state, { isAskedFor: true }),
  ]);
}

function unmerged(on: string): string {
  return `without a merge, and this run depends on ${on}, so it stays blocked`;
}

export function dependencyClosedText(numbers: readonly number[]): string {
  const all = numbers.map((number) => `#${number}`).join(', ');
  const [were, them] = numbers.length === 1 ? ['was', 'it'] : ['were', 'them'];
  return `${all} ${were} closed ${unmerged(them)}. ${beginOrEnd}`;
}

/** It is said on a run that depends on the issue of another one. */
export function endedUnmergedText({
  number,
  issue,
}: {
  readonly number: number;
  readonly issue: number;
}): string {
  return `The run of #${issue} in #${number} has ended ${unmerged(`#${issue}`)} until another one is merged. ${beginOrEnd}`;
}

/** Says why not all of the runs are started that were to take the place of one. */
export function notSpawnedText(
  words: Extract<ReplyContent, { say: 'spawn_failed' | 'spawn_overtaken' }>,
): string {
  if (words.say === 'spawn_overtaken')
    return `This was merged by ${plain(words.by, 60)} before all of the new tasks were started, so no more of them will be. What has already started continues; close its pull request if it is no longer needed.`;
  const { made, name, problem } = words;
  const there =
    made.length === 0 ? 'None of the new tasks was started' : `Started so far: ${numbersOf(made)}`;
  return `The task ${code(name)} cannot be started: ${plain(problem, 1000)}. ${there}; this run stays as it was. ${command('spawn')} again starts the rest.`;
}

/**
 * Says what people who watch only the issue read of its run that was given up, or whose place others have
 * taken.
 */
export function givenUpText(number: number, { by, reason, replaced_by }: Abandoned): string {
  if (replaced_by !== undefined)
    return `The run in #${number} was replaced by ${numbersOf(replaced_by.made)}, for ${plain(by, 60)}. The last of them to be merged closes this issue.`;
  const why = reason === '' ? '' : `: ${plain(reason.trim().replace(/\.$/, ''), 1000)}`;
  return `The run in #${number} was abandoned by ${plain(by, 60)}${why}. No run is working on this anymore; ${command('run')} starts a new one.`;
}

/** Says why an issue is closed that nobody has closed. */
export function issueDoneText(replaced: number, merged: readonly number[]): string {
  const all = merged.map((number) => `#${number}`).join(', ');
  return `Everything that replaced #${replaced} is merged: ${all}. Nothing else is working on this issue, so it is closed.`;
}
