import type { CommandName } from '../../steering/command.ts';
import { commandSpecs } from '../../steering/commands/index.ts';
import type { Refusal } from '../../steering/pending-effect.ts';
import { commit, compareLink } from './links.ts';
import { acting, command, either } from './phrases.ts';
import { code, plain, tame } from './sanitize.ts';

/** What a refusal may point at: the commands that can be said now, and the repository's address. */
export interface Way {
  readonly possible: readonly CommandName[];
  readonly web: string;
}

type Because<W extends Refusal['why']> = Extract<Refusal, { why: W }>;

/** What happened and why, then what to say next: at most two sentences. */
export function refusalText(refusal: Refusal, way: Way): string {
  const say = sayings[refusal.why];
  // The entry was found by this refusal's own tag; TypeScript cannot follow that through the table.
  return (say as (refusal: Refusal, way: Way) => string)(refusal, way);
}

const sayings: { readonly [W in Refusal['why']]: (refusal: Because<W>, way: Way) => string } = {
  misspoken: ({ command: name, problem }) =>
    `${command(name)} could not be read: ${tame(problem)}. It is said as ${code(commandSpecs[name].usage)}.`,
  not_permitted: ({ command: name, has, needs }) =>
    `${command(name)} takes ${plain(needs)} on this repository, and you have ${has}. ` +
    'Someone with that right can say it.',
  bot: () => 'Bots are not obeyed here. A person with the right can say the same.',
  own_work: ({ rule }) =>
    `${ownWork[rule]}, and ${code(`approval.${rule}`)} is false in ${code('.github/coxswain.yml')}. ` +
    `Somebody else can say ${command('approve')}.`,
  not_now: ({ command: name, phase }, way) =>
    `${command(name)} does nothing while the run is ${code(phase)}. ${sayNow(way)}`,
  nothing_to_approve: ({ phase }, way) =>
    `Nothing is on show to approve while the run is ${code(phase)}. ${sayNow(way)}`,
  other_head: otherHead,
  just_landed: ({ head }) =>
    `${commit(head)} landed just as you wrote, so it cannot be what you had seen. ` +
    `When you have read it, say ${code(`/approve ${head.slice(0, 12)}`)}.`,
  already_approved: ({ by }) =>
    `This is already approved by ${plain(by)}. ${command('status')} tells what is still missing.`,
  red_verifiers: ({ names }) =>
    `Required verifiers are red: ${names.map((name) => code(name)).join(', ')}. ` +
    `Steer the run to mend them, or say ${code(despite(names))} with maintain or admin, which is recorded.`,
  despite_needs_maintain: ({ has }) =>
    `Going past a red verifier takes maintain or admin on this repository, and you have ${has}. ` +
    'Someone with either can say it, or the run can be steered until the verifier is green.',
  not_red: ({ names }) =>
    `${names.map((name) => code(name)).join(', ')}: no required verifier of that name is red. ` +
    `Say ${command('approve')} without it.`,
  iterations_used_up: ({ max }, way) =>
    `All ${max} iterations of this run are used up. ${sayNow(way, 'steer')}`,
  outdated_button: (_, way) => `That button belongs to something that is no longer on show. ${sayNow(way)}`,
  already_running: ({ number }) =>
    `A run for this issue is already under way in #${number}. Steer it there with ${command('steer')}.`,
  over: overText,
};

const ownWork = {
  steerer_may_approve: 'You steered this run, or pushed to its branch',
  requester_may_approve: 'You asked for this run',
};

function otherHead({ approved, head }: Because<'other_head'>, { web }: Way): string {
  const changed = `[what has changed since](${compareLink(web, approved, head)})`;
  return (
    `You approved ${commit(approved)}, but ${commit(head)} is on show. ` +
    `Read ${changed}, then say ${code(`/approve ${head.slice(0, 12)}`)}.`
  );
}

function overText({ phase }: Because<'over'>): string {
  const again = `start another with ${code(commandSpecs.run.usage)} on an issue`;
  return phase === 'done'
    ? `This run is over: it is ${code(phase)}. You can ${again}.`
    : `This run is over: it was ${code(phase)}. Reopen the pull request to take it up again, or ${again}.`;
}

function sayNow({ possible }: Way, but?: CommandName): string {
  const names = acting(possible).filter((name) => name !== but);
  return names.length === 0
    ? `${command('status')} tells where it stands.`
    : `You can say ${either(names.map(command))} now.`;
}

function despite(names: readonly string[]): string {
  return ['/approve', ...names.map((name) => `--despite ${name}`)].join(' ');
}
