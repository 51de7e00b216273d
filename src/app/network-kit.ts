import { join } from 'node:path';
import type { NetworkKit } from '../agent/index.ts';
import { defined } from '../config/schema/schema-forms.ts';
import type { Log } from '../github/octokit/connect.ts';
import { openSpending, type Spending } from '../network/spending/open-spending.ts';
import { pricesWith } from '../network/spending/prices.ts';
import { messageOf } from '../runs/repository/faults.ts';
import type { Settings } from '../steering/shapes/settings.ts';
import type { AppSettings } from './environment/settings.ts';

/** The records of what models cost, with the operator's prices and bounds. */
export function spendingOf({ data, operatorFile }: AppSettings, log: Log): Spending {
  const { tokens, cost_usd: usd, ...others } = operatorFile.daily;
  others satisfies Readonly<Record<string, never>>;
  return openSpending(join(data, 'spending'), {
    prices: pricesWith(operatorFile.prices),
    perDay: defined({ tokens, usd }),
    onFault: (fault) => log.warn(`could not record what a model cost: ${messageOf(fault)}`),
  });
}

/**
 * What an attempt under these settings can be given access to. Tokens of registries are the operator's, and
 * without one no tool is set up: of the configuration's own registries only the names count.
 */
export function networkKit(
  { operatorFile, providers }: AppSettings,
  spending: Spending,
  { registries = [] }: Settings,
): NetworkKit {
  const known = operatorFile.registries;
  const more = registries.filter(({ host }) => !known.some((each) => each.host === host));
  return {
    registries: [...known, ...more.map(({ host }) => ({ host }))],
    privateHosts: operatorFile.privateHosts,
    providers,
    spending,
  };
}
