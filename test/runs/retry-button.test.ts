import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { eventually } from '../app/eventually.ts';
import { ledgerOf, number, saveRunForApproval } from './approved-run.ts';
import { at, type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';

let saved: SavedForge;
let fixture: RunsFixture;

beforeAll(async () => {
  saved = await saveRunForApproval();
});
afterAll(() => saved.remove());
beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});
afterEach(() => fixture.end());

test('Retry can be clicked again when the run fails again before that is drawn', async () => {
  const files = { '.github/coxswain.yml': 'version: 1\nagent: nonsense: [\n' };
  await fixture.pushes('ada', { from: 'main', files });
  await fixture.says('ada', number, '/steer more');
  const clicked = new Set<number>();
  for (const retries of [1, 2, 3]) {
    const check = await eventually('a button that was not clicked', () => unclicked(clicked));
    clicked.add(check.id);
    await fixture.clicks('ada', { check, identifier: 'retry' });
    await eventually(`the failure after retry ${retries}`, () => stops(retries + 1));
    expect(await numberOf('retry')).toBe(retries);
  }
});

/** The newest check run, once it shows a failure and nobody has clicked it. */
async function unclicked(clicked: ReadonlySet<number>) {
  const { head } = (await ledgerOf(fixture)).state;
  const place = { ...at, ref: head, check_name: 'Coxswain', filter: 'latest' } as const;
  const [check] = (await fixture.ada.rest.checks.listForRef(place)).data.check_runs;
  return check?.conclusion === 'failure' && !clicked.has(check.id) ? check : undefined;
}

/** True once the run has stopped that often. */
async function stops(times: number): Promise<true | undefined> {
  return (await numberOf('run_failed')) === times ? true : undefined;
}

/** How many of these events or commands the ledger has. */
async function numberOf(type: 'run_failed' | 'retry'): Promise<number> {
  const { events } = await ledgerOf(fixture);
  return events.filter((event) => (event.type === 'said' ? event.command : event).type === type).length;
}
