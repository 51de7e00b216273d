import type { PendingEffect } from './pending-effect.ts';

/** An effect that will never be done. */
export interface UndoneEffect {
  readonly do: PendingEffect['do'];
  /** GitHub's. */
  readonly reason: string;
}
