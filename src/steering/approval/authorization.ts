import { waitedForAfter } from '../branch/retried-task.ts';
import { areReady, waitedFor } from '../branch/task-dependencies.ts';
import { type Command, type CommandName, commandSpecs, isQuery, nameOf, specOf } from '../commands/index.ts';
import { askedCall, heldWork } from '../iterations/interactions.ts';
import type { CommandEvent, CommandEventOf } from '../iterations/step.ts';
import type { GateHit } from '../shapes/attempt-result.ts';
import { isCritical } from '../shapes/gate-rules.ts';
import { covers, isSame, type Person, type Source } from '../shapes/people.ts';
import { type ApprovalSettings, type ApprovalWay, approvalWays } from '../shapes/settings.ts';
import type { OwnWorkRule, Refusal } from '../state/pending-effect.ts';
import type { State } from '../state/state.ts';
import {
  admits,
  approvalRules,
  eitherOf,
  everyoneIn,
  generallyAdmitted,
  isAdmitted,
  type Rules,
} from './approval-needs.ts';

/**
 * Who may say a command: the reason to refuse this one to this person, or undefined. What depends on more is
 * decided with the command: what somebody without write access may answer is in `attempts/questions.ts`, and
 * whether the answer ends a pause in `handlers/pausing.ts`.
 */
export function objectionTo(state: State, spoken: CommandEvent): Refusal | undefined {
  const { command, by, via_app, source } = spoken;
  const name = nameOf(command);
  if (source.from === 'dispatch' && mustBeReadAgain(state, name))
    return { why: 'not_by_workflow', command: name };
  const objection =
    objectionToPerson(state, name, by) ??
    objectionToUse(command, by) ??
    (command.type === 'retry' ? objectionToLoosening(state, { ...spoken, command }) : undefined);
  if (objection !== undefined || via_app === undefined || isQuery(name)) return objection;
  return maySpeak(state.settings.approval, via_app) ? undefined : { why: 'said_by_app', app: via_app };
}

/** What lets work through is read again where it was said, and a workflow that was started leaves nothing. */
function mustBeReadAgain(state: State, name: CommandName): boolean {
  if (name === 'deny') return askedAbout(state).some(isCritical);
  return name === 'approve' || name === 'allow';
}

/** The reason to refuse this person a command, whatever its arguments. */
export function objectionToPerson(state: State, name: CommandName, person: Person): Refusal | undefined {
  const { needs } = commandSpecs[name];
  if (name === 'answer') return objectionToAnswer(state, person);
  if (followsApproval(name)) return objectionToApproval(state, name, person);
  // Whether a run can begin without what it depends on is for those who maintain the repository.
  const { standing } = state;
  const isBlocked = name === 'resume' && standing.phase === 'blocked' && !areReady(standing.on);
  if (isBlocked && !covers(person.role, 'maintain'))
    return lacking(name, person, 'maintain, while it is blocked');
  return covers(person.role, needs) ? undefined : lacking(name, person, needs);
}

/** Who leaves out what a run still waits for lets it begin without that, as `/resume` does. */
function objectionToLoosening(state: State, event: CommandEventOf<'retry'>): Refusal | undefined {
  const { by, task_facts } = event;
  // What is wrong is told first, for then nothing is known of what it depends on.
  if (covers(by.role, 'maintain') || (task_facts?.problems ?? []).length > 0) return undefined;
  const kept = waitedForAfter(state, event).map(({ number }) => number);
  const left = (waitedFor(state) ?? []).filter(({ number, is }) => is !== 'ready' && !kept.includes(number));
  if (left.length === 0) return undefined;
  const numbers = left.map(({ number }) => `#${number}`).join(', ');
  const isOne = left.length === 1 ? 'is' : 'are';
  return lacking('retry', by, `maintain (because it leaves out ${numbers}, which ${isOne} not merged yet)`);
}

/** Below `write`, people choose among what the agent offers, if the configuration says that they may. */
function objectionToAnswer({ settings: { answers } }: State, person: Person): Refusal | undefined {
  const { needs } = commandSpecs.answer;
  const admitted = [{ role: needs } as const, ...(answers?.by ?? [])];
  if (!person.bot && admitted.some((approver) => admits(approver, person))) return undefined;
  return lacking('answer', person, eitherOf(admitted));
}

/** Some uses of a command require more than the command itself. */
function objectionToUse(command: Command, person: Person): Refusal | undefined {
  if (command.type === 'misspoken') return undefined;
  const more = specOf(command.type).needsMore?.(command);
  if (more === undefined || covers(person.role, more.role)) return undefined;
  return lacking(command.type, person, `${more.role} for ${more.why}`);
}

/** Whether what another App writes on behalf of a person counts as the person's own words. */
export function maySpeak({ apps }: Pick<ApprovalSettings, 'apps'>, app: string): boolean {
  return apps.some((slug) => slug.toLowerCase() === app.toLowerCase());
}

/** Whether someone may start a run; asked before there is a state. */
export function mayStart(person: Person): boolean {
  return !person.bot && covers(person.role, commandSpecs.run.needs);
}

/** Whether someone may begin a run anew that lost its ledger: what was approved or refused is forgotten. */
export function mayAdoptAnew(person: Person): boolean {
  return !person.bot && covers(person.role, 'maintain');
}

/** Whether someone may override a failing verifier. */
export function mayOverride(person: Person): boolean {
  return !person.bot && covers(person.role, 'maintain');
}

/** What a command requires, in words: a role, or the people whom `approval` admits. */
export function requirementOf(name: CommandName, rules: Rules): string {
  if (!followsApproval(name)) return commandSpecs[name].needs;
  const admitted = name === 'approve' ? everyoneIn(rules) : generallyAdmitted(rules.approval.by);
  return eitherOf(admitted);
}

/** Whether `approval.by` says who may use it. */
export function followsApproval(name: CommandName): boolean {
  return specOf(name).followsApproval === true;
}

function objectionToApproval(state: State, name: CommandName, person: Person): Refusal | undefined {
  const { approval } = state.settings;
  const rules = approvalRules(state);
  // No commit is approved with a stage, so there are no files whose owners could be asked.
  const isStage = state.standing.phase === 'awaiting_stage';
  const may = name === 'approve' && !isStage ? isAdmitted(rules, person) : mayAllow(approval, person);
  if (!may) return lacking(name, person, `${requirementOf(name, rules)}${unreadIn(person)}`);
  if (name === 'budget' || (name === 'approve' && isStage)) return undefined;
  if (name === 'approve') return objectionToOwnWork(state, approval, person);
  const isForMaintainers = askedAbout(state).some(isCritical);
  if (isForMaintainers && !covers(person.role, 'maintain')) return lacking(name, person, 'maintain');
  const objection = objectionToOwnWork(state, approval, person);
  return objection && { ...objection, command: name };
}

/** Says which teams GitHub does not name: whoever is in one of them would otherwise wonder. */
function unreadIn({ unread_teams = [] }: Person): string {
  const teams = unread_teams.map((team) => `@${team}`).join(' and ');
  return teams === '' ? '' : ` (GitHub does not name ${teams} to Coxswain, so nobody counts as a member)`;
}

/** What is not about a commit under review has no files whose owners could be asked. */
function mayAllow({ by }: Pick<ApprovalSettings, 'by'>, person: Person): boolean {
  return !person.bot && generallyAdmitted(by).some((approver) => admits(approver, person));
}

/** The gates about which people are asked now. */
function askedAbout(state: State): readonly GateHit[] {
  return askedCall(state)?.hits ?? heldWork(state)?.hits ?? [];
}

/** Refuses people who would, or might, approve their own work, where the configuration forbids it. */
export function objectionToOwnWork(
  state: WorkedOn,
  settings: ApprovalSettings,
  person: Person,
): Extract<Refusal, { why: 'own_work' | 'unknown_contributors' }> | undefined {
  if (!settings.steerer_may_approve && hasSteered(state, person))
    return { why: 'own_work', rule: 'steerer_may_approve' };
  if (!settings.requester_may_approve && isSame(state.requested_by, person))
    return { why: 'own_work', rule: 'requester_may_approve' };
  const rule = ownWorkRule(settings);
  if (rule === undefined || !state.people_unknown || covers(person.role, 'maintain')) return undefined;
  return { why: 'unknown_contributors', rule };
}

type WorkedOn = Pick<State, 'iterations' | 'requested_by' | 'contributors' | 'people_unknown'>;

/** The setting for which it matters who worked on the branch; undefined if all of them may approve. */
export function ownWorkRule({
  steerer_may_approve,
  requester_may_approve,
}: ApprovalSettings): OwnWorkRule | undefined {
  if (!steerer_may_approve) return 'steerer_may_approve';
  return requester_may_approve ? undefined : 'requester_may_approve';
}

/** Through a steer, a commit of their own, or their words on the issue. */
function hasSteered({ contributors = [], iterations }: WorkedOn, person: Person): boolean {
  if (contributors.some((each) => isSame(each, person))) return true;
  const steers = iterations.flatMap((iteration) => iteration.steers);
  return steers.some(({ author: login, author_id: id = 0 }) => isSame({ login, id }, person));
}

function lacking(command: CommandName, person: Person, needs: string): Refusal {
  return { why: 'not_permitted', command, has: person.role, needs };
}

/**
 * In which way an approval from there was given; undefined if in none. Who holds a person's token can write
 * comments and reviews as that person; a click is sent by GitHub alone, for somebody who is signed in there.
 */
export function wayOf({ from }: Pick<Source, 'from'>): ApprovalWay | undefined {
  if (from === 'dispatch') return undefined;
  return from === 'click' ? 'button' : from;
}

/** Whether an approval in this way counts under these settings. */
export function countsInWay({ how }: Pick<ApprovalSettings, 'how'>, way: ApprovalWay | undefined): boolean {
  return way !== undefined && (how ?? approvalWays).includes(way);
}

/** The ways in which this run can be approved; only an App has buttons. */
export function waysIn({ settings: { approval }, run }: Pick<State, 'settings' | 'run'>) {
  return approvalWays.filter(
    (way) => countsInWay(approval, way) && (way !== 'button' || run.presenter === 'app'),
  );
}

/** Why it does not count as an approval if people use a command in this way. */
export function objectionToWay(
  state: State,
  name: CommandName,
  way: ApprovalWay | undefined,
): Refusal | undefined {
  if (name !== 'approve' || countsInWay(state.settings.approval, way)) return undefined;
  return { why: 'other_way', way: way ?? 'comment', how: waysIn(state), number: state.run.number };
}
