import { diffBetween } from '../git/diff.ts';
import type { DiffText, Sources } from '../github/words/sources.ts';
import type { VerifierOutput } from '../steering/evidence.ts';
import type { Run } from './run.ts';

/** What replies show beyond the state: diffs from Git, former outputs from the ledger's events. */
export function sourcesOf(liveRun: Run): Sources {
  return {
    web: webAddress(liveRun.repository.remote.url),
    diff: (path, full) => diffOf(liveRun, path, full),
    outputs: () => lastOutputs(liveRun),
  };
}

/** The clone address without its `.git`: people and Git find a repository in the same place. */
function webAddress(cloneUrl: string): string {
  return cloneUrl.replace(/\.git$/, '');
}

/** As many lines as "full" means: more fit in no comment, and on no page that a browser can show. */
const wholeDiff = 20_000;

/** Undefined when there is no run here yet, or its commits are gone. */
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
