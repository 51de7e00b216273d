import { changesAutomation } from './automation.ts';
import type { PathRule } from './path-rule.ts';
import { changesProduction } from './production.ts';
import { touchesSecrets } from './secrets.ts';

export type { PathRule } from './path-rule.ts';
export { changesAutomation, changesProduction, touchesSecrets };

/** All rules that a path alone can hit, in the order in which hits are told. */
export const pathRules: readonly PathRule[] = [touchesSecrets, changesProduction, changesAutomation];
