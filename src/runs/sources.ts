import { diffBetween } from '../git/diff.ts';
import type { DiffText, Sources } from '../github/words/sources.ts';
import type { VerifierOutput } from '../steering/attempt-result.ts';
import type { Run } from './run.ts';

/** Data that replies show but the state does not hold: diffs from Git, earlier output from the ledger. */
export function sourcesOf(liveRun: Run): Sources {
  return {
    web: webAddress(liveRun.repository.remote.url),
    diff: (path, full) => diffOf(liveRun, path, full),
    outputs: () => lastOutputs(liveRun),
  };
}

/** The web address is the clone URL without `.git`. */
function webAddress(cloneUrl: string): string {
  return cloneUrl.replace(/\.git$/, '');
}

/** The most lines of a full diff: more would fit neither in a comment nor on a usable page. */
const wholeDiff = 20_000;

/** Undefined if there is no run yet or its commits no longer exist. */
export async function diffOf(
  liveRun: Run,
  path: string | null,
  full: boolean,
): Promise<DiffText | undefined> {
  const state = liveRun.newest ?? (await liveRun.readLedger())?.state;
  if (state === undefined) return undefined;
  const mirror = await liveRun.repository.mirror();
  await mirror.fetch();
  const [base, head] = await Promise.all([
    mirror.resolve(`refs/heads/${state.run.base}`),
    mirror.resolve(state.head),
  ]);
  if (base === undefined || head === undefined) return undefined;
  return diffBetween(
    mirror.dir,
    { base, head },
    {
      repository: liveRun.repository.name,
      ...(path === null ? {} : { file: path }),
      ...(full ? { budget: wholeDiff } : {}),
    },
  );
}

async function lastOutputs(liveRun: Run): Promise<readonly VerifierOutput[] | undefined> {
  const shown = liveRun.newest?.shown;
  if (shown !== undefined && shown !== null) return shown.verifiers;
  const events = await liveRun.events();
  return events.findLast((event) => event.type === 'verified')?.verifiers;
}
