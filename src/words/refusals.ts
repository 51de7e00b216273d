import { type CommandName, commandSpecs } from '../steering/commands/index.ts';
import type { Refusal } from '../steering/effects/pending-effect.ts';
import { covers } from '../steering/person.ts';
import { either } from '../steering/phrases/either.ts';
import type { PushByOther } from '../steering/standing.ts';
import { amountText } from './budget.ts';
import { acting, command, commit, compareLink } from './phrases.ts';
import { code, plain, tame, timeText, under } from './sanitize.ts';

/** What a refusal may suggest: the commands available now, and links into the repository. */
export interface Suggestions {
  readonly possible: readonly CommandName[];
  readonly web: string;
}

type Because<W extends Refusal['why']> = Extract<Refusal, { why: W }>;

/** What happened and why, then what to do next, in at most two sentences. */
export function refusalText(refusal: Refusal, suggestions: Suggestions): string {
  const say = refusalTexts[refusal.why];
  // The entry was found by this refusal's own tag; TypeScript cannot follow that through the table.
  return (say as (refusal: Refusal, suggestions: Suggestions) => string)(refusal, suggestions);
}

const refusalTexts: {
  readonly [W in Refusal['why']]: (refusal: Because<W>, suggestions: Suggestions) => string;
} = {
  misspoken: ({ command: name, problem }) => {
    const problems = problem.split('\n');
    return problems.length > 1
      ? problemsText(name, problems)
      : `${command(name)} was not understood: ${tame(problem, 600)}. Usage: ${code(commandSpecs[name].usage)}.`;
  },
  not_permitted: ({ command: name, has, needs }) =>
    `${command(name)} requires ${plain(needs)} on this repository, but your role is ${has}. ` +
    'Ask someone with that permission to run it.',
  bot: () =>
    'Commands from bots are ignored. A person with the required permission can use the same command.',
  own_work: ({ rule, command: name = 'approve' }) =>
    `${ownWork[rule]}, and ${code(`approval.${rule}`)} is false in ${code('.github/coxswain.yml')}. ` +
    `Someone else has to ${command(name)}.`,
  unknown_contributors: ({ rule, command: name = 'approve' }) =>
    `Not everyone who worked on this branch is known, and ${code(`approval.${rule}`)} is false in ` +
    `${code('.github/coxswain.yml')}. Someone with maintain has to ${command(name)}.`,
  said_by_app: ({ app }) =>
    `The App ${code(app)} wrote this on your behalf, so it does not count as your own word. ` +
    `Write it yourself on GitHub, or list the App under ${code('approval.apps')} in ${code('.github/coxswain.yml')}.`,
  not_by_workflow: ({ command: name }) =>
    `${command(name)} counts only where it can be read again, and a workflow that is started by hand leaves no such place. ` +
    'Say it on the pull request itself.',
  not_now: ({ command: name, phase }, suggestions) =>
    `${command(name)} is not available while the run is ${code(phase)}. ${sayNow(suggestions)}`,
  nothing_to_approve: ({ phase }, suggestions) =>
    `There is no commit to approve while the run is ${code(phase)}. ${sayNow(suggestions)}`,
  other_head: otherHead,
  just_landed: ({ head }) =>
    `${commit(head)} landed just before you commented, so you may not have seen it. ` +
    `Once you have reviewed it, use ${code(`/approve ${head.slice(0, 12)}`)}.`,
  just_held: ({ head }) =>
    `${commit(head)} was held just before you commented, so you may not have seen it. ` +
    `Once you have reviewed it, use ${command('allow')} or ${command('deny')} again.`,
  just_asked: (_, { possible }) =>
    'The agent asked for something else just before you commented, so you may not have seen it. ' +
    `Once you have read it, use ${possible.includes('allow') ? `${command('allow')} or ${command('deny')}` : command('answer')} again.`,
  just_shown: () =>
    'What is on show now came just before you commented, so you may not have seen it. ' +
    `Once you have read it, use ${command('approve')} again.`,
  no_question: ({ named }, suggestions) =>
    `${named === undefined ? 'The agent asks nothing now' : `No question of the agent is called ${code(named)}`}. ${sayNow(suggestions)}`,
  already_answered: alreadyAnswered,
  no_such_option: ({ named, options }) => `There is no option ${plain(named, 60)}. ${numbered(options)}`,
  options_only: ({ options }) =>
    options.length === 0
      ? 'An answer in words of your own requires write on this repository. Ask someone with that permission to answer.'
      : `With your role here you can choose one of the options, not answer in words of your own. ${numbered(options)}`,
  agent_unusable: ({ agent, problem }) =>
    `The run cannot be handed to ${code(agent)}: ${plain(problem, 1000)}. Nothing was changed.`,
  task_problems: ({ command: name, problems }) => problemsText(name, problems),
  other_task: ({ named, id }) =>
    `The task of this run is ${code(id)}, not ${code(named)}, so nothing has changed. ` +
    `Leave ${code('task_id')} out, or say it on the run that it belongs to.`,
  other_interrupt: ({ command: name, named }) =>
    `The block in your ${command(name)} was made for ${code(named)}, which was never asked here, so nothing has changed. ` +
    `Leave ${code('interrupt')} out, or say it on the run that it belongs to.`,
  written_before: writtenBefore,
  already_resolved: alreadyResolved,
  no_limit: noLimitText,
  beyond_operator: ({ limit, most }) =>
    `The operator of Coxswain allows at most ${amountText(limit, most)} ` +
    `for ${limit === 'tool_calls' ? 'an attempt' : 'a run'}. Ask them, or raise it by less.`,
  not_enough: ({ limit, spent, raised }) =>
    `The run has already used ${amountText(limit, spent)}, so a limit of ${amountText(limit, raised)} would stop it at once. ` +
    'Raise it by more.',
  pushed_while_shown: ({ head, restored, despite: names = [] }) =>
    `${restored ? 'This run was begun anew after its ledger was lost' : 'Someone pushed to this branch while it was under review'}, ` +
    `so a comment has to name the commit with all ${head.length} characters: ${approveCode(head, names)}. ` +
    'The button or an approving review will do, too.',
  other_base: ({ base, head }) =>
    `The base was changed to ${code(base)} while this was under review, so there may be more to merge than you have seen. ` +
    `Once you have reviewed what is merged into it now, use the button or ${code(`/approve ${head}`)}.`,
  already_approved: ({ by }) =>
    `This commit is already approved by ${plain(by)}. ${command('status')} shows what is still missing.`,
  red_verifiers: redVerifiersText,
  despite_needs_maintain: ({ has }) =>
    `Overriding a failing verifier requires maintain or admin on this repository, but your role is ${has}. ` +
    'Ask someone with either role, or steer the run until the verifier passes.',
  no_such_concern: ({ named, open }) =>
    open.length === 0
      ? `There is no concern ${code(named)}: the second opinion on this commit has none that is open.`
      : `There is no open concern ${code(named)}. Use ${command('dismiss')} with one of these: ${codes(open.slice(0, maxConcerns)).join(', ')}.`,
  not_red: ({ names }) =>
    `No required verifier named ${either(codes(names))} is failing. ` +
    `Use ${command('approve')} without ${code(despite(names))}.`,
  iterations_used_up: ({ max }, suggestions) =>
    `This run has used all of its ${max} iterations; ${command('extend')} gives it more. ${sayNow(suggestions, 'steer')}`,
  extended_enough: ({ max }, suggestions) =>
    `This run already may have ${max} iterations, and no run may have more. ${sayNow(suggestions, 'extend')}`,
  already_paused: ({ by }) =>
    `The run is already paused${by === null ? '' : ` by ${plain(by, 60)}`}. ${command('resume')} lets it go on.`,
  nothing_to_undo: () =>
    'There is no earlier iteration to go back to. ' +
    `Use ${command('steer')} to say what should be different, or ${command('reject')}.`,
  no_earlier_iteration: ({ named, newest }) =>
    `Iteration ${named} is not an earlier one: this is iteration ${newest}. ` +
    `Use ${command('undo')} with a number from 0 to ${newest - 1}.`,
  undoes_others: ({ to, others }) =>
    `Going back to iteration ${to} would also undo what others pushed since: ${commitsOfOthers(others)}. ` +
    `If you want that, name the iteration: ${code(`/undo ${to}`)}.`,
  outdated_button: (_, suggestions) =>
    `That button is out of date: the run has moved on. ${sayNow(suggestions)}`,
  already_running: ({ number }) =>
    `A run for this issue is already in progress in #${number}. Use ${command('steer')} there.`,
  over: overText,
};

const maxConcerns = 20;

const ownWork = {
  steerer_may_approve: 'You steered this run, or contributed to its branch or its issue',
  requester_may_approve: 'You requested this run',
};

/** What somebody decides about is over, or was not asked yet when they wrote. */
function writtenBefore(
  { command: name, names, happened }: Because<'written_before'>,
  { web }: Suggestions,
): string {
  const over = happened === undefined ? '' : ` (${endText(happened, web)})`;
  if (names)
    return (
      `The block in your ${command(name)} was made for what is over by now${over}, so nothing has changed. ` +
      `Read what stands there now, then say ${command(name)} again, with the block as it is now.`
    );
  return (
    `Your ${command(name)} was written before the run stopped for what it asks now` +
    `${happened === undefined ? ', while it was at work' : `: what stood there then is over${over}`}. ` +
    `Read why it stopped, then say ${command(name)} again.`
  );
}

function alreadyResolved(end: Because<'already_resolved'>, { web }: Suggestions): string {
  const { by, how, phase } = end;
  if (phase === 'awaiting_resolution')
    return `${plain(by, 60)} is replacing this task just now, so nobody else decides about it. ${command('status')} shows where it stands.`;
  if (how === 'pushed' || how === 'retargeted')
    return (
      `Nothing was done, because what people were asked about is over: ${endText(end, web)}. ` +
      `The head is verified as it is now, and people are asked again if it fails.`
    );
  return `This was already ${plain(how)} by ${plain(by, 60)}, so the run is ${code(phase)}. ${command('status')} shows where it stands.`;
}

/** Who ended something, how and when, and what the head is since. */
function endText(
  { by: login, how, at, moved }: Omit<Because<'already_resolved'>, 'why' | 'phase'>,
  web: string,
) {
  const by = plain(login, 60);
  const when = at === undefined ? '' : ` at ${timeText(at)}`;
  const link = moved && `[${commit(moved.to)}](${compareLink(web, moved.from, moved.to)})`;
  if (how === 'pushed') return `${by} pushed ${link ?? 'a commit'}${when}`;
  const head = link === undefined ? '' : `, and the head is ${link} since`;
  return how === 'retargeted'
    ? `${by} changed the base${when}${head}`
    : `${plain(how)} by ${by}${when}${head}`;
}

/** What was answered, and by whom: the first answer counts. */
function alreadyAnswered({ by, how, reply }: Because<'already_answered'>, suggestions: Suggestions): string {
  const who = by === 'coxswain' ? '' : ` by ${plain(by, 60)}`;
  const what = reply === undefined ? '' : ` (${plain(reply, 500)})`;
  return `This question is settled already: ${plain(how)}${who}${what}. ${sayNow(suggestions)}`;
}

function numbered(options: readonly string[]): string {
  const lines = options.map((option, nth) => `- **${nth + 1}.** ${plain(option, 250)}`);
  return under(`Use ${command('answer')} with the number of one of these:`, lines);
}

function otherHead({ approved, head, in_full }: Because<'other_head'>, { web }: Suggestions): string {
  const changed = `[what has changed since](${compareLink(web, approved, head)})`;
  return (
    `You approved ${commit(approved)}, but ${commit(head)} is the commit under review. ` +
    `Review ${changed}, then use ${code(`/approve ${in_full ? head : head.slice(0, 12)}`)}.`
  );
}

function approveCode(head: string, names: readonly string[]): string {
  return code(
    ['/approve', head, names.length > 0 ? despite(names) : ''].filter((word) => word !== '').join(' '),
  );
}

/** Whoever may not override them is told who may. */
function redVerifiersText(
  { names, has, head = '' }: Because<'red_verifiers'>,
  { possible }: Suggestions,
): string {
  const failed = `Required verifiers failed: ${codes(names).join(', ')}.`;
  const override = approveCode(head, names);
  const fix = possible.includes('steer') ? 'Steer the run to fix them, or ' : '';
  return has === undefined || covers(has, 'maintain')
    ? `${failed} ${inSentence(fix, `override them with ${override}, which requires maintain or admin and is recorded.`)}`
    : `${failed} ${inSentence(fix, `ask someone with maintain or admin to override them with ${override}; your role is ${has}.`)}`;
}

function inSentence(beginning: string, rest: string): string {
  return beginning === '' ? `${rest.charAt(0).toUpperCase()}${rest.slice(1)}` : `${beginning}${rest}`;
}

function noLimitText({ limit, daily }: Because<'no_limit'>): string {
  if (daily)
    return (
      'What is used up is the budget of the day, which is for all runs together and which only the operator sets. ' +
      `It begins anew at 0:00 UTC: then use ${command('retry')}.`
    );
  const what = limit === null ? 'limit of tokens or money' : code(`limits.${limit}`);
  return `This run has no ${what}, so there is nothing to raise.`;
}

/** What is said of a run that has ended, to whoever wants more of it. */
export function overText({ phase }: Because<'over'>): string {
  const again = `start another with ${code(commandSpecs.run.usage)} on an issue`;
  return phase === 'done'
    ? `This run has ended (${code(phase)}). You can ${again}.`
    : `This run has ended (${code(phase)}). Reopen the pull request to continue it, or ${again}.`;
}

function sayNow({ possible }: Suggestions, but?: CommandName): string {
  const names = acting(possible).filter((name) => name !== but);
  return names.length === 0
    ? `${command('status')} shows where it stands.`
    : `You can use ${either(names.map(command))} now.`;
}

function despite(names: readonly string[]): string {
  return names.map((name) => `--despite ${name}`).join(' ');
}

function codes(names: readonly string[]): readonly string[] {
  return names.map((name) => code(name));
}

/** What is said to people who go back to an earlier iteration. */

const maxNamed = 5;

/** `abc1234 (bob) and def5678 (rea)` */
function commitsOfOthers(others: readonly PushByOther[]): string {
  const named = others.slice(0, maxNamed).map(({ head, by }) => `${commit(head)} (${plain(by, 60)})`);
  const more = others.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

export function undoingText({
  to,
  others,
}: {
  readonly to: number;
  readonly others: readonly PushByOther[];
}): string {
  const what = `Going back to iteration ${to}: a new commit will have the files as they were then, and is verified.`;
  return others.length === 0
    ? what
    : `${what} This also undoes what others pushed since: ${commitsOfOthers(others)}.`;
}

export function notUndoneText({ to, why }: { readonly to: number; readonly why: string }): string {
  return (
    `Not gone back to iteration ${to}: ${plain(why, 500)}. The head is verified as it is; ` +
    `if you still want to go back, use ${code(`/undo ${to}`)} again.`
  );
}

export function droppedText(by: string): string {
  return (
    `Your steer was not used, because ${plain(by, 60)} interrupted the run before it could begin. ` +
    `Say it again with ${command('steer')} if it still holds.`
  );
}

/** Everything that is wrong with a task that a command describes. */
function problemsText(name: CommandName, problems: readonly string[]): string {
  const list = problems.map((each) => `- ${tame(each, 600)}`).join('\n');
  return `${command(name)} was not taken, and nothing has changed:\n\n${list}\n\nPut that right in a new comment.`;
}
