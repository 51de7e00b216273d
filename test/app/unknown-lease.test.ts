import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { newLease } from '../../src/engine/leased-work.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { decide } from '../../src/steering/decide.ts';
import type { Event, Stamp } from '../../src/steering/state/event.ts';
import { seals } from '../ledger/identity.ts';
import type { AppFixture } from './app-fixture.ts';
import { at } from './person.ts';
import { startFixtureWithRuns } from './waiting-runs.ts';

let fixture: AppFixture;
afterEach(() => fixture?.end());

test('a lease that the App took without learning of it is given back at the next sweep', async () => {
  const waiting = await startFixtureWithRuns({ variables: { COXSWAIN_SWEEP_EVERY: '2s' } });
  fixture = waiting.fixture;
  const pull = waiting.next();
  const holder = `${await holderPrefix()}.999`;
  const { mia, forge } = fixture;
  const { data: repository } = await mia.octokit.rest.repos.get(at);
  const dir = await mkdtemp(join(tmpdir(), 'coxswain-lease-'));
  // What the App wrote, in a push whose answer never came.
  const ledger = openLedger({
    ...{ dir: join(dir, 'ledger'), number: pull.number, repositoryId: repository.id },
    remote: { url: `${forge.url}/acme/widgets.git`, token: async () => mia.token },
    ...{ presenter: 'app', seals, onFault: () => undefined },
  });
  const now = new Date();
  const stamp = (id: string): Stamp => ({ id, at: now.toISOString() });
  const write = (event: Event) => ledger.record(event, (before) => decide(before, event));
  const { data: user } = await mia.octokit.rest.users.getAuthenticated();
  const { state } = await write({
    ...{ type: 'said', ...stamp('comment:999:retry'), command: { type: 'retry' } },
    by: { login: 'mia', id: user.id, role: 'maintain', bot: false },
    source: { from: 'comment', comment_id: 999, text_sha256: '', written_at: now.toISOString() },
  });
  if (state === undefined) throw new Error('the run has no state');
  const hold = newLease(state, { holder, job: undefined }, now);
  await write({ type: 'attempt_started', ...stamp(`attempt:${holder}:started`), hold, head: state.head });
  await ledger.close();
  await rm(dir, { recursive: true });

  await pull.waitForEvents('hold_lost');
  const { events } = await pull.waitForEvents('attempt_started', 3);
  expect(events.find(({ type }) => type === 'hold_lost')).toMatchObject({ hold: { holder } });
  await pull.waitForPhase('awaiting_approval');
});

/** What all leases of the running App begin with, as its next lease shows. */
async function holderPrefix(): Promise<string> {
  const { ada, variables } = fixture;
  const pull = await ada.starts('Make it fine as well');
  const { events } = await pull.waitForEvents('attempt_started');
  const started = events.find((event) => event.type === 'attempt_started');
  const [instance, boot] = (started?.hold.holder ?? '').split('.');
  expect(await readFile(join(variables['COXSWAIN_DATA'] ?? '', 'instance'), 'utf8')).toBe(instance);
  return `${instance}.${boot}`;
}
