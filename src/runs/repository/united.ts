import { isDeepStrictEqual } from 'node:util';
import { overrideGroups, withOverrides } from '../../config/overrides.ts';
import type { Bounds } from '../../config/schema/operator-bounds.ts';
import type { Settings, TaskOverrides } from '../../steering/shapes/settings.ts';

/** The settings of a task, and what of them it has tightened itself. */
interface Tightened {
  readonly settings: Settings;
  readonly overrides?: TaskOverrides;
}

/** What holds of a task that says more of its settings, which may not loosen what it has tightened before. */
export function tightenedBy(wanted: TaskOverrides, { settings, overrides = {} }: Tightened, bounds?: Bounds) {
  const fresh = freshIn(wanted, overrides);
  return { ...withOverrides(settings, fresh, bounds), overrides: together(overrides, fresh), fresh };
}

/** All that either of two tighten. */
export function united(known: TaskOverrides, wanted: TaskOverrides): TaskOverrides {
  return together(known, freshIn(wanted, known));
}

/** These lists are added to, and each key of a mapping counts by itself; other values are whole. */
const lists: readonly string[] = ['verifiers', 'protected_paths'];

/** What was not asked for before: who sends the prefilled block has not asked for the same a second time. */
function freshIn(wanted: TaskOverrides, known: TaskOverrides): TaskOverrides {
  const fresh = Object.entries(wanted).flatMap(([key, value]) => {
    const old = known[key];
    if (isDeepStrictEqual(value, old)) return [];
    // 0 stands for the setting of the repository.
    if (key === 'max_steering_iterations' && value === 0) return [];
    const part = overrideGroups.includes(key) ? freshIn(Object(value), Object(old ?? {})) : value;
    const rest = lists.includes(key) ? without(listOf(value), listOf(old)) : part;
    return Object(rest) === rest && Object.keys(Object(rest)).length === 0 ? [] : [[key, rest] as const];
  });
  return Object.fromEntries(fresh);
}

function without(items: readonly unknown[], others: readonly unknown[]): readonly unknown[] {
  return items.filter((each) => !others.some((other) => isDeepStrictEqual(other, each)));
}

function together(known: TaskOverrides, fresh: TaskOverrides): TaskOverrides {
  const changed = Object.entries(fresh).map(([key, value]) => [key, joined(key, known[key], value)]);
  return { ...known, ...Object.fromEntries(changed) };
}

function joined(key: string, old: unknown, value: unknown): unknown {
  if (lists.includes(key)) return [...listOf(old), ...listOf(value)];
  if (overrideGroups.includes(key)) return together(Object(old ?? {}), Object(value));
  // Another agent has no more time than the one before.
  const { timeout } = Object(key === 'agent' ? (old ?? {}) : {});
  return timeout === undefined ? value : { timeout, ...Object(value) };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
