import { type LedgerContent, readLedger } from '../app/ledger-content.ts';
import { at, type RunsFixture, type SavedForge, saveForge } from './runs-fixture.ts';

/** The pull request of a run that Ada has started on issue 1 and Mia has approved. */
export const number = 2;

/** Keep it, and start each test on a copy. */
export function saveApprovedRun(): Promise<SavedForge> {
  return saveForge(async (fixture) => {
    await startRun(fixture);
    await fixture.says('mia', number, '/approve');
  });
}

/** The same before anybody has approved it. */
export function saveRunForApproval(): Promise<SavedForge> {
  return saveForge(startRun);
}

async function startRun({ ada, says }: RunsFixture): Promise<void> {
  const issue = await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
  await says('ada', issue.data.number, '/run');
}

/** What the ledger says now. */
export async function ledgerOf({ url, adasToken }: RunsFixture): Promise<LedgerContent> {
  const found = await readLedger(url, adasToken, number);
  if (found === undefined) throw new Error('there is no ledger');
  return found;
}

/** The conclusion of our newest check run on a commit. */
export async function newestConclusion({ ada }: RunsFixture, ref: string): Promise<string | null> {
  const place = { ...at, ref, check_name: 'Coxswain', filter: 'all' } as const;
  const { data } = await ada.rest.checks.listForRef(place);
  const newest = data.check_runs.toSorted((one, other) => one.id - other.id).at(-1);
  if (newest === undefined) throw new Error(`${ref} has no check run of ours`);
  return newest.conclusion;
}
