import { type Exhausted, exhaustedText, type Spent } from '../../network/spending/budget.ts';
import type { Cost, Failure, Observations } from '../../steering/shapes/attempt-result.ts';
import type { BudgetName } from '../../steering/shapes/limits.ts';
import type { Settings } from '../../steering/shapes/settings.ts';
import { redactAll } from '../../text/redact.ts';
import type { AttemptNetwork } from '../port/attempt-network.ts';

/** What the programs of an attempt met besides their results. Returns no secrets. */
export function observationsOf(
  network: AttemptNetwork,
  settings: Settings,
  secrets: readonly string[],
): Observations {
  const blocked = network.takeBlocked().slice(0, maxBlocked);
  const notices = [...network.notices, ...noticesOn(network.spentAtEnd(), settings)];
  return redactAll(
    { ...(blocked.length > 0 && { blocked }), ...(notices.length > 0 && { notices }) },
    secrets,
  );
}

const maxBlocked = 20;

function noticesOn(spent: Spent | null, { limits }: Settings): readonly string[] {
  if (spent === null) return [];
  const { unpriced, estimated } = spent;
  const bound = limits.cost_usd === undefined ? '' : ', so `limits.cost_usd` does not bound them';
  return [
    ...(unpriced.length === 0
      ? []
      : [`The price of ${unpriced.join(', ')} is not known: only their tokens are counted${bound}.`]),
    ...(estimated ? ['Some of the tokens are estimated: a model did not say how many it used.'] : []),
  ];
}

/** What the models of an attempt cost: as we counted it, or else as the agent says. */
export function costOf(spent: Spent | null, said: Cost): Cost {
  if (spent === null) return said;
  const { tokens, usd } = spent;
  return { ...(tokens > 0 && { tokens }), ...(usd !== undefined && { usd }) };
}

/** The failure of an attempt whose budget was used up. */
export function budgetFailure(exhausted: Exhausted): Failure {
  const unit = exhausted.unit === 'usd' ? 'cost_usd' : 'tokens';
  const budget: BudgetName = exhausted.of === 'run' ? unit : `${unit}_per_day`;
  return { kind: 'budget', message: exhaustedText(exhausted), budget };
}
