import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { State } from '../../src/steering/state/state.ts';
import { runIn } from '../steering/phases.ts';
import { deletion, mia, secret } from '../steering/samples.ts';
import { type Story, story } from '../steering/story.ts';
import type { PageFixture } from './page-fixture.ts';
import { hostile } from './samples.ts';
import { at, ledgerOf, runThatWaits } from './waiting-run.ts';

/** Runs that wait for people, in every way that there is, with what is hard to show in a list. */
export const waitingRuns: readonly (readonly [title: string, run: Story])[] = [
  ['Let the clock be set in tests', works({ cost: { usd: 4.2, tokens: 1_924_000 } })],
  [`Say ${'why and '.repeat(40)}when`, works({ cost: { usd: 0.42 } }, [deletion])],
  ['Antidisestablishmentarianism'.repeat(8), works({ cost: { usd: 0.004 } }, [secret])],
  [`Escape names ${hostile}`, runIn.awaiting_permission()],
  ['Choose a date format', runIn.awaiting_answer()],
  ['Move sessions to the new store', runIn.awaiting_stage()],
  ['Repair the flaky upload test', runIn.awaiting_resolution()],
  ['Drop Node.js 18', works().says(mia, '/steer keep the types').works()],
];

function works(done = {}, gates: readonly (typeof deletion)[] = []): Story {
  return story().starts().agent.finishes(done).verifiers.pass(gates);
}

/** Puts runs into the lists of a page, with numbers from this one on. */
export function listRuns(
  { index, repository }: Pick<PageFixture, 'index' | 'repository'>,
  runs: readonly (readonly [title: string, run: Pick<Story, 'state'>])[],
  from = 101,
): void {
  for (const [nth, [title, { state }]] of runs.entries())
    index.note(repository, placed(state, title, from + nth, repository.id));
}

/** A second run that waits for approval and can be opened: its number. */
export async function addRun({
  ada,
  head,
  asked,
  run: first,
  repository,
  index,
}: PageFixture): Promise<number> {
  await ada.rest.git.createRef({ ...at, ref: 'refs/heads/coxswain/second', sha: head });
  const pull = { ...at, head: 'coxswain/second', base: 'main', draft: true, title: 'Wind the clock' };
  const { number } = (await ada.rest.pulls.create(pull)).data;
  const run = runThatWaits({ repository, number, base: first.state.run.head, head, issue: asked });
  const data = await mkdtemp(join(tmpdir(), 'coxswain-second-'));
  const ledger = ledgerOf(repository, number, data);
  await ledger.record(run);
  await ledger.close();
  await rm(data, { recursive: true });
  index.note(repository, run.state);
  return number;
}

function placed(state: State, title: string, number: number, repository_id: number): State {
  const names = { owner: 'acme', repo: 'api', repository_id, number, id: `acme/api#${number}`, issue: null };
  return { ...state, run: { ...state.run, ...names }, task: { ...state.task, title } };
}
