import type { State } from '../state/state.ts';

/**
 * Whether GitHub has to sign what this run puts on its branch: as configured, or because a rule demands it.
 */
export function hasSigned({ settings, signs }: Pick<State, 'settings' | 'signs'>): boolean {
  const { sign } = settings.commits ?? {};
  return sign === undefined ? signs === true : sign === 'github';
}
