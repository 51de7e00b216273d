import { isSameRule } from '../branch/retargeting.ts';
import type { FinishFacts, PolicyFacts } from '../shapes/finish-facts.ts';
import type { PolicyGround } from '../shapes/proceeding.ts';
import type { Settings } from '../shapes/settings.ts';
import type { State } from '../state/state.ts';
import { proceedingOf } from './deciding.ts';
import { proceedingReasons, spokenText } from './proceeding-reasons.ts';

/** The ground of a finish without people; undefined if people approved, or nobody has. */
export function groundOf({ standing }: Pick<State, 'standing'>): PolicyGround | undefined {
  return standing.phase === 'approved' || standing.phase === 'done' ? standing.ground : undefined;
}

/** When each of those approved who approved: people, or the configuration. */
export function approvedAt(state: Pick<State, 'approvals' | 'standing'>): readonly { readonly at: string }[] {
  const ground = groundOf(state);
  return ground === undefined ? state.approvals : [...state.approvals, ground];
}

/** Who approved: people by their logins, or the policy and its rule; empty if nobody did. */
export function approvedBy(state: Pick<State, 'approvals' | 'standing'>): string {
  const ground = groundOf(state);
  const names = state.approvals.map(({ by }) => by.login);
  return [...names, ...(ground === undefined ? [] : [`policy (${ground.rule})`])].join(', ');
}

/**
 * The reasons why a run needs people after all, by what GitHub and Git say now: the ledger says what was
 * decided, never that it is true.
 */
export function reasonsAgainstPolicy(
  state: State,
  { policy, settings, authority }: FinishFacts,
  ground: PolicyGround,
): readonly string[] {
  if (state.shown === null) return ['nothing is verified'];
  if (policy === undefined) return ['the facts required to finish without an approval could not be read'];
  const facts = reasonsIn(policy);
  if (settings === null || !isSameRule(settings, state.settings)) return facts;
  return [...facts, ...reasonsNow(state, settings, { policy, ground, authority })];
}

function reasonsIn(policy: PolicyFacts): readonly string[] {
  const { sealed, unproven, contradicted = [], pushers, without_write, spoken } = policy;
  const people = pushers.people.map(({ login }) => login).join(', ');
  const reasons: readonly (string | false)[] = [
    !sealed && 'the ledger is not sealed by the App',
    unproven.length > 0 && `on this commit, no check run of ours is green for ${unproven.join(', ')}`,
    contradicted.length > 0 && `on this commit, not every run of ${contradicted.join(', ')} succeeded`,
    people !== '' && `${people} pushed to the branch`,
    people === '' && !pushers.complete && 'GitHub does not say who else pushed to the branch',
    without_write.length > 0 && `no write access: ${without_write.join(', ')}`,
    spoken !== undefined && spokenText(spoken),
  ];
  return reasons.filter((reason) => reason !== false);
}

interface Now {
  readonly policy: PolicyFacts;
  readonly ground: PolicyGround;
  readonly authority: FinishFacts['authority'];
}

/** What would be decided now, with the gates and the history of this moment. */
function reasonsNow(state: State, settings: Settings, { policy, ground, authority }: Now): readonly string[] {
  const { shown } = state;
  if (shown === null) return [];
  const { gates, merged_runs } = policy;
  // What agents ran is not in the diff, and stays in the ledger.
  const all = [...gates, ...shown.gates.filter((hit) => !gates.some(({ rule }) => rule === hit.rule))];
  const { authority: _, ...before } = shown;
  const seen = { ...before, gates: all, merged_runs, ...(authority !== undefined && { authority }) };
  const now = proceedingOf({ ...state, settings }, seen);
  if (now.how === 'wait') return proceedingReasons(now, all);
  if (now.how === 'proceed' || ground.rule === 'auto_proceed_after') return [];
  return ['the agent has too few merged runs here to proceed at once'];
}
