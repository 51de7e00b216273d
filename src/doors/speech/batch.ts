import { setTimeout } from 'node:timers/promises';
import type { InboxEntry, RunReport } from '../report/report-shapes.ts';
import type { Draft, Said } from './say-draft.ts';

/** What many runs can be settled with at once, and what each of them settles; null: whatever is asked. */
const settled = {
  approve: ['approval', 'stage'],
  reject: null,
  retry: ['interrupt'],
  abandon: ['interrupt'],
} as const satisfies Readonly<Record<string, readonly InboxEntry['kind'][] | null>>;

export type BatchCommand = keyof typeof settled;

/** Whether a command can be said on many runs at once. */
export function isForMany(name: string): name is BatchCommand {
  return Object.hasOwn(settled, name);
}

/** Whether it is an answer to what a run waits for. */
export function settles(name: BatchCommand, { kind }: Pick<InboxEntry, 'kind'>): boolean {
  const kinds: readonly InboxEntry['kind'][] | null = settled[name];
  return kinds?.includes(kind) ?? true;
}

/** So many are settled at once, unless somebody asks for more. */
export const usualMost = 50;

/**
 * Why people have to look at a run alone, or need not look at it; undefined if it can be settled with others.
 * `doubt` says why its state is not proven to be Coxswain's.
 */
export function whyAlone(report: RunReport | undefined, doubt: string | undefined): string | undefined {
  if (doubt !== undefined) return `not verified: ${doubt}`;
  if (!report?.approval_request) return 'it no longer waits for anybody';
  const risks = [report.approval_request.risk_level, report.risk_level].filter((risk) => risk !== null);
  const risk = risks.find((each) => each !== 'low' && each !== 'medium');
  return risk && `its risk is ${risk}, so it has to be looked at alone`;
}

/** Nothing is said on a run, and why. */
export interface LeftOut {
  readonly why: string;
}

/** How a door looks at runs and speaks on them. */
export interface BatchDoor<D extends Draft> {
  /** Reads the run again: what would be said on it now, or why nothing is. */
  look(draft: D): Promise<Draft | LeftOut>;
  /** Says it once, and waits until it is taken up, at most so many milliseconds; or why it cannot be said. */
  say(draft: D, waitMs: number): Promise<Said | NotSaid>;
}

type NotSaid = { readonly status: 'left_out' } & LeftOut;

export type Settled<D extends Draft> = { readonly draft: D } & (Said | NotSaid);

/** GitHub asks for a second between writes. */
const betweenMs = 1_000;

/**
 * Says it on one run after the other, on each if it is still as it was shown, and tells what came of it. Once
 * one is not taken up in time, nobody is there, and the others are only posted. Whoever listens no longer
 * ends it.
 */
export async function* sayEach<D extends Draft>(
  door: BatchDoor<D>,
  drafts: readonly D[],
  waitMs: number,
): AsyncGenerator<Settled<D>> {
  let left = waitMs;
  for (const [nth, draft] of drafts.entries()) {
    if (nth > 0) await setTimeout(betweenMs);
    const now = await door.look(draft);
    const why = 'why' in now ? now.why : changedSince(draft, now);
    const told = why === undefined ? await door.say(draft, left) : ({ status: 'left_out', why } as const);
    if (told.status === 'posted') left = 0;
    yield { draft, ...told };
  }
}

function changedSince(shown: Draft, now: Draft): string | undefined {
  const isSame =
    now.text === shown.text && now.report.approval_request?.id === shown.report.approval_request?.id;
  return isSame ? undefined : 'it asks for something else than was shown';
}
