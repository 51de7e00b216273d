import type { Command, CommandName } from './commands/index.ts';
import { commandSpecs } from './commands/index.ts';
import { heldWork, isCritical } from './holding.ts';
import type { Refusal } from './pending-effect.ts';
import { covers, type Person } from './person.ts';
import type { ApprovalSettings, Approver } from './settings.ts';
import type { State } from './state.ts';

/** The one place that decides permissions: the reason to refuse this person, or undefined. */
export function objectionTo(state: State, command: Command, person: Person): Refusal | undefined {
  const name = command.type === 'misspoken' ? command.name : command.type;
  const { needs } = commandSpecs[name];
  if (followsApproval(name)) return objectionToApproval(state, name, person);
  return covers(person.role, needs) ? undefined : lacking(name, person, needs);
}

/** Whether someone may start a run; asked before there is a state. */
export function mayStart(person: Person): boolean {
  return !person.bot && covers(person.role, commandSpecs.run.needs);
}

/** Whether someone may have a lost ledger rebuilt, which forgets what was approved and refused. */
export function mayRestore(person: Person): boolean {
  return !person.bot && covers(person.role, 'maintain');
}

/** Whether someone may override a failing verifier. */
export function mayOverride(person: Person): boolean {
  return !person.bot && covers(person.role, 'maintain');
}

/** What a command requires, in words: a role, or the people whom `approval.by` admits. */
export function requirementOf(name: CommandName, { by }: Pick<ApprovalSettings, 'by'>): string {
  return followsApproval(name) ? by.map(inWords).join(' or ') : commandSpecs[name].needs;
}

/** Letting work reach the branch is as much a decision about it as approving it is. */
function followsApproval(name: CommandName): boolean {
  return name === 'approve' || name === 'allow' || name === 'deny';
}

function objectionToApproval(state: State, name: CommandName, person: Person): Refusal | undefined {
  const { approval } = state.settings;
  if (!mayApprove(approval, person)) return lacking(name, person, requirementOf(name, approval));
  if (name === 'approve') return objectionToOwnWork(state, approval, person);
  const isForMaintainers = heldWork(state)?.hits.some(isCritical) === true;
  if (isForMaintainers && !covers(person.role, 'maintain')) return lacking(name, person, 'maintain');
  const objection = objectionToOwnWork(state, approval, person);
  return objection && { ...objection, command: name };
}

/** Refuses people who would approve their own work, where the configuration forbids it. */
export function objectionToOwnWork(
  state: State,
  { steerer_may_approve, requester_may_approve }: ApprovalSettings,
  person: Person,
): Extract<Refusal, { why: 'own_work' }> | undefined {
  if (state.people_unknown && !(steerer_may_approve && requester_may_approve) && !mayOverride(person))
    return { why: 'own_work', rule: steerer_may_approve ? 'requester_may_approve' : 'steerer_may_approve' };
  if (!steerer_may_approve && hasSteered(state, person))
    return { why: 'own_work', rule: 'steerer_may_approve' };
  const asked = state.requested_by.login === person.login;
  return asked && !requester_may_approve ? { why: 'own_work', rule: 'requester_may_approve' } : undefined;
}

/** Whether this person's approval can count at all. */
export function mayApprove({ by }: Pick<ApprovalSettings, 'by'>, person: Person): boolean {
  return !person.bot && by.some((approver) => admits(approver, person));
}

function admits(approver: Approver, person: Person): boolean {
  return 'login' in approver
    ? approver.login.toLowerCase() === person.login.toLowerCase()
    : covers(person.role, approver.role);
}

function inWords(approver: Approver): string {
  return 'login' in approver ? `@${approver.login}` : approver.role;
}

/** Through a steer or through a commit of their own. */
function hasSteered(state: State, person: Person): boolean {
  if (state.pushers?.includes(person.login)) return true;
  return state.iterations.some(({ steers }) => steers.some(({ author }) => author === person.login));
}

function lacking(command: CommandName, person: Person, needs: string): Refusal {
  return { why: 'not_permitted', command, has: person.role, needs };
}
