import type { ApprovalSettings, Settings } from '../steering/settings.ts';
import type { BaseBranches } from './bases.ts';
import { valueAt } from './json-schema.ts';
import type { Path, Problem } from './problem.ts';
import { problemAt, type Reading } from './problems.ts';
import { durationText } from './quantities.ts';

interface Timed {
  readonly settings: Pick<Settings, 'approval' | 'steering'>;
  readonly bases: readonly BaseBranches[];
}

/** Wherever a run would time out before it goes on by itself: it never would. */
export function neverProceeds({ settings, bases }: Timed, reading: Reading): readonly Problem[] {
  const { approval, steering } = settings;
  const places: readonly (readonly [Path, ApprovalSettings])[] = [
    [['approval'], approval],
    ...bases.map((entry, at) => [['bases', at, 'approval'], { ...approval, ...entry.approval }] as const),
  ];
  return places.flatMap(([path, { mode, auto_proceed_after_s = 0 }]) => {
    const key = [...path, 'auto_proceed_after'];
    const isWritten = valueAt(reading.document, key) !== undefined;
    if (mode === 'manual' || !isWritten || auto_proceed_after_s < steering.review_timeout_s) return [];
    const limit = durationText(steering.review_timeout_s);
    return [problemAt(key, `less than steering.review_timeout (${limit}), when the run times out`, reading)];
  });
}
