import type { Spent, SpentOnModel } from './budget.ts';
import { noTokens, sumOf, totalOf, type Usage } from './tokens.ts';

/** Adds up what requests used, by model. */
export interface Account {
  add(usage: Usage, usd: number | undefined): void;
  spent(): Spent;
  /** With the same in it, to add to. */
  copy(): Account;
}

export function account(): Account {
  return accountWith(new Map(), false);
}

function accountWith(models: Map<string, SpentOnModel>, wasEstimated: boolean): Account {
  let isEstimated = wasEstimated;
  return {
    add({ model, tokens, estimated }, usd) {
      const { usd: before, ...counted } = models.get(model) ?? { model, ...noTokens };
      const cost = usd === undefined ? before : (before ?? 0) + usd;
      models.set(model, { model, ...sumOf(counted, tokens), ...(cost === undefined ? {} : { usd: cost }) });
      isEstimated ||= estimated;
    },
    spent() {
      const byModel = [...models.values()];
      const priced = byModel.flatMap(({ usd }) => usd ?? []);
      return {
        tokens: byModel.reduce((sum, each) => sum + totalOf(each), 0),
        ...(priced.length === 0 ? {} : { usd: priced.reduce((sum, usd) => sum + usd, 0) }),
        byModel,
        unpriced: byModel.filter(({ usd }) => usd === undefined).map(({ model }) => model),
        estimated: isEstimated,
      };
    },
    copy: () => accountWith(new Map(models), isEstimated),
  };
}
