import { type CommandName, commandSpecs, type OwnRefusal, ownRefusals } from '../steering/commands/index.ts';
import type { Wording } from '../steering/commands/spec.ts';
import { either, justCame } from '../steering/phrases/phrases.ts';
import type { Refusal } from '../steering/state/pending-effect.ts';
import { amountText } from './parts/attempt-texts.ts';
import { acting, command, commit, compareLink } from './parts/common-phrases.ts';
import { code, plain, tame, timeText } from './parts/sanitize.ts';

/** What a refusal may suggest: the commands available now, and links into the repository. */
interface Suggestions {
  readonly possible: readonly CommandName[];
  readonly web: string;
}

type Because<W extends Refusal['why']> = Extract<Refusal, { why: W }>;

/** Says what happened and why, then what to do next, in at most two sentences. */
export function refusalText(refusal: Refusal, suggestions: Suggestions): string {
  const say = { ...ownRefusals, ...refusalTexts }[refusal.why];
  // The entry was found by this refusal's own tag; TypeScript cannot follow that through the table.
  return (say as (refusal: Refusal, wording: Wording) => string)(refusal, wordingOf(suggestions));
}

export function wordingOf({ possible, web }: Suggestions): Wording {
  const now = (but?: string) => {
    const names = acting(possible).filter((name) => name !== but);
    return names.length === 0
      ? `${command('status')} shows where it stands.`
      : `You can use ${either(names.map(command))} now.`;
  };
  const compare = (from: string, to: string) => compareLink(web, from, to);
  const checks = (number: number) => `${web}/pull/${number}/checks`;
  return { code, plain, amount: amountText, compare, checks, now, possible };
}

const refusalTexts: {
  readonly [W in Exclude<Refusal, OwnRefusal>['why']]: (refusal: Because<W>, wording: Wording) => string;
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
    `${code('.github/coxswain.yml')}. Someone with maintain access has to ${command(name)}.`,
  said_by_app: ({ app }) => saidByAppText(app, ` in ${code('.github/coxswain.yml')}`),
  not_by_workflow: ({ command: name }) =>
    `${command(name)} counts only where it can be checked again later, which a manually started workflow does not allow. ` +
    'Use it on the pull request itself.',
  not_now: ({ command: name, phase }, { now }) =>
    `${command(name)} is not available while the run is ${code(phase)}. ${now()}`,
  just_held: ({ head }) =>
    justCame(`${commit(head)} was held`, `reviewed it, use ${command('allow')} or ${command('deny')} again.`),
  just_asked: (_, { possible }) =>
    justCame(
      'The agent asked for something else',
      `read it, use ${possible.includes('allow') ? `${command('allow')} or ${command('deny')}` : command('answer')} again.`,
    ),
  task_problems: ({ command: name, problems }) => problemsText(name, problems),
  other_task: ({ named, id }) =>
    `The task of this run is ${code(id)}, not ${code(named)}, so nothing has changed. ` +
    withoutKey('task_id'),
  other_interrupt: ({ command: name, named }) =>
    `The block in your ${command(name)} was made for ${code(named)}, which was never asked here, so nothing has changed. ` +
    withoutKey('interrupt'),
  written_before: writtenBefore,
  already_resolved: alreadyResolved,
  outdated_button: (_, { now }) => `That button is out of date: the run has moved on. ${now()}`,
  over: overText,
};

/** Refuses what another App wrote for somebody; `where` says of which file `approval.apps` is a key. */
export function saidByAppText(app: string, where = ''): string {
  return (
    `The App ${code(app)} wrote this on your behalf, so it does not count as your own word. ` +
    `Write it yourself on GitHub, or list the App under ${code('approval.apps')}${where}.`
  );
}

function withoutKey(key: string): string {
  return `Leave ${code(key)} out, or use the command on the run it belongs to.`;
}

const ownWork = {
  steerer_may_approve: 'You steered this run, or contributed to its branch or its issue',
  requester_may_approve: 'You requested this run',
};

/** What somebody decides about is over, or was not asked yet when they wrote. */
function writtenBefore(
  { command: name, names, happened }: Because<'written_before'>,
  wording: Wording,
): string {
  const over = happened === undefined ? '' : ` (${endText(happened, wording)})`;
  if (names)
    return (
      `The block in your ${command(name)} was made for something that is already over${over}, so nothing has changed. ` +
      `Read what is there now, then use ${command(name)} again with the current block.`
    );
  return (
    `Your ${command(name)} was written before the run stopped for what it asks now` +
    `${happened === undefined ? ', while it was at work' : `: what it asked then is over${over}`}. ` +
    `Read why it stopped, then use ${command(name)} again.`
  );
}

function alreadyResolved(end: Because<'already_resolved'>, wording: Wording): string {
  const { by, how, phase } = end;
  if (phase === 'awaiting_resolution')
    return `${plain(by, 60)} is already replacing this task, so nobody else can decide about it. ${command('status')} shows where it stands.`;
  if (how === 'pushed' || how === 'retargeted')
    return (
      `Nothing was done, because the question put to people no longer applies: ${endText(end, wording)}. ` +
      `The current head is being verified, and people are asked again if it fails.`
    );
  return `This was already ${plain(how)} by ${plain(by, 60)}, so the run is ${code(phase)}. ${command('status')} shows where it stands.`;
}

/** Says who ended something, how and when, and what the head is since. */
function endText(
  { by: login, how, at, moved }: Omit<Because<'already_resolved'>, 'why' | 'phase'>,
  { compare }: Wording,
) {
  const by = plain(login, 60);
  const when = at === undefined ? '' : ` at ${timeText(at)}`;
  const link = moved && `[${commit(moved.to)}](${compare(moved.from, moved.to)})`;
  if (how === 'pushed') return `${by} pushed ${link ?? 'a commit'}${when}`;
  const head = link === undefined ? '' : `, and the head is now ${link}`;
  return how === 'retargeted'
    ? `${by} changed the base${when}${head}`
    : `${plain(how)} by ${by}${when}${head}`;
}

/** Answers whoever wants more of a run that has ended. */
export function overText({ phase }: Because<'over'>): string {
  const again = `start another with ${code(commandSpecs.run.usage)} on an issue`;
  return phase === 'done'
    ? `This run has ended (${code(phase)}). You can ${again}.`
    : `This run has ended (${code(phase)}). Reopen the pull request to continue it, or ${again}.`;
}

/** Everything that is wrong with a task that a command describes. */
function problemsText(name: CommandName, problems: readonly string[]): string {
  const list = problems.map((each) => `- ${tame(each, 600)}`).join('\n');
  return `${command(name)} was not accepted, and nothing has changed:\n\n${list}\n\nFix this in a new comment.`;
}
