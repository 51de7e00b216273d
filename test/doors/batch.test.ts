import { type Forge, startForge } from '@coxswain/forge';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runReport } from '../../src/doors/report/run-report.ts';
import {
  type BatchDoor,
  isForMany,
  type LeftOut,
  type Settled,
  sayEach,
  settles,
  whyAlone,
} from '../../src/doors/speech/batch.ts';
import type { Sealing } from '../../src/doors/speech/post-comment.ts';
import { type Draft, sayDraftOnce, type Voice } from '../../src/doors/speech/say-draft.ts';
import { type Connection, connect } from '../../src/github/octokit/connect.ts';
import type { LedgerStep } from '../../src/ledger/ledger-steps.ts';
import { newSealKey, parseSealKeys } from '../../src/seal/seal-keys.ts';
import { openSeals } from '../../src/seal/seals.ts';
import type { State } from '../../src/steering/state/state.ts';
import { runIn } from '../steering/phases.ts';
import { ada, bob, deletion, secret } from '../steering/samples.ts';
import { story } from '../steering/story.ts';

const web = 'https://github.com/acme/service';
const place = { owner: 'acme', repo: 'service' };

function reportOf(state: State) {
  return runReport(state, { web, trust: 'verified' });
}

/** What would be said on a run of this number, which is under review. */
function draftOn(number: number, { state } = runIn.awaiting_approval()): Draft {
  const text = `/approve ${state.head}`;
  return { place: { ...place, number }, report: reportOf(state), text, user_id: ada.id, web };
}

describe('what can be settled with others', () => {
  test('is what a command answers', () => {
    expect(['approve', 'reject', 'retry', 'abandon'].every(isForMany)).toBe(true);
    expect(['allow', 'steer', 'toString'].some(isForMany)).toBe(false);
    const kinds = ['approval', 'stage', 'permission', 'question', 'interrupt'] as const;
    const answered = (name: 'approve' | 'reject' | 'retry') =>
      kinds.filter((kind) => settles(name, { kind }));
    expect(answered('approve')).toEqual(['approval', 'stage']);
    expect(answered('retry')).toEqual(['interrupt']);
    expect(answered('reject')).toEqual(kinds);
  });

  test('waits for people, is proven and has no high risk', () => {
    const risky = story()
      .starts()
      .agent.finishes()
      .engine.takes()
      .verifiers.find({ gates: [deletion] });
    expect(whyAlone(reportOf(runIn.awaiting_approval().state), undefined)).toBeUndefined();
    expect(whyAlone(reportOf(runIn.awaiting_approval().state), 'no key')).toBe('not verified: no key');
    expect(whyAlone(reportOf(runIn.working().state), undefined)).toBe('it no longer waits for anybody');
    expect(whyAlone(undefined, undefined)).toBe('it no longer waits for anybody');
    expect(whyAlone(reportOf(risky.state), undefined)).toBe(
      'its risk is high, so it has to be looked at alone',
    );
    expect(whyAlone(reportOf(runIn.queued().agent.isHeld([secret]).state), undefined)).toContain('critical');
  });
});

/** A door at which each run is as `now` says, and where what is said is told from `said`. */
class StandIn implements BatchDoor<Draft> {
  readonly said: [number, number][] = [];
  readonly #now: Readonly<Record<number, Draft | LeftOut>>;
  readonly #late: readonly number[];

  constructor(now: Readonly<Record<number, Draft | LeftOut>>, late: readonly number[] = []) {
    this.#now = now;
    this.#late = late;
  }

  look = async (draft: Draft) => this.#now[draft.place.number] ?? draft;

  say = async ({ place: { number }, report }: Draft, waitMs: number) => {
    this.said.push([number, waitMs]);
    const comment = `${web}/pull/${number}#issuecomment-1`;
    if (this.#late.includes(number)) return { status: 'posted', comment } as const;
    return { status: 'refused', comment, reply: report.title } as const;
  };
}

async function toldOf(door: StandIn, drafts: readonly Draft[], most = 99) {
  const told: Settled<Draft>[] = [];
  for await (const settled of sayEach(door, drafts, 5000)) {
    told.push(settled);
    if (told.length === most) break;
  }
  return told.map(({ draft, ...rest }) => [draft.place.number, rest.status, 'why' in rest ? rest.why : '']);
}

describe('one after the other', () => {
  test('is said what is still as it was shown, and the others are left out', async () => {
    const moved = { ...draftOn(2), text: '/approve 1234567' };
    const again = runIn.awaiting_approval().says(bob, '/verify').verifiers.pass();
    const door = new StandIn({ 2: moved, 3: { why: 'it was merged' }, 4: draftOn(4, again) });
    const asked = 'it asks for something else than was shown';
    expect(
      await toldOf(
        door,
        [1, 2, 3, 4].map((number) => draftOn(number)),
      ),
    ).toEqual([
      [1, 'refused', ''],
      [2, 'left_out', asked],
      [3, 'left_out', 'it was merged'],
      [4, 'left_out', asked],
    ]);
    expect(door.said).toEqual([[1, 5000]]);
  });

  test('nobody is waited for any more once one is not taken up', async () => {
    const door = new StandIn({}, [1]);
    const began = performance.now();
    expect(await toldOf(door, [draftOn(1), draftOn(2)])).toEqual([
      [1, 'posted', ''],
      [2, 'refused', ''],
    ]);
    expect(door.said).toEqual([
      [1, 5000],
      [2, 0],
    ]);
    // GitHub asks for a second between writes.
    expect(performance.now() - began).toBeGreaterThan(950);
  });

  test('nothing more is said once nobody listens', async () => {
    const door = new StandIn({});
    await toldOf(door, [draftOn(1), draftOn(2)], 1);
    expect(door.said).toHaveLength(1);
  });
});

describe('on GitHub', () => {
  const seals = openSeals(parseSealKeys(newSealKey()));
  let forge: Forge;
  let person: Connection;
  let user_id = 0;
  let repository_id = 0;

  beforeAll(async () => {
    forge = await startForge();
    person = connect({ token: forge.seed.addUser('ada'), baseUrl: forge.apiUrl, retryUnitMs: 0 });
    user_id = (await person.rest.users.getAuthenticated()).data.id;
    const files = { a: 'a' };
    repository_id = (await forge.seed.addRepository({ owner: 'ada', name: 'widgets', files })).id;
  });
  afterAll(() => forge.stop());

  async function newDraft(): Promise<Draft> {
    const there = { owner: 'ada', repo: 'widgets' };
    const { number } = (await person.rest.issues.create({ ...there, title: 'Do it' })).data;
    // They were asked before they said anything.
    return { ...draftOn(number), place: { ...there, number }, user_id };
  }

  /** The ledger has nothing new. */
  function voice(sealing?: () => Sealing): Voice<Draft> {
    return { person, stepsSince: async () => [] as readonly LedgerStep[], ...(sealing && { sealing }) };
  }

  const sealed = () => voice(() => ({ seals, door: 'page', repository_id, user_id }));

  test.each([
    ['without a key', () => voice()],
    ['with a seal', sealed],
  ])('the same is said once to what is asked, %s', async (_, speaking) => {
    const draft = await newDraft();
    const first = await sayDraftOnce(speaking(), draft, 0);
    expect(first).toEqual({ status: 'posted', comment: expect.stringContaining('#issuecomment-') });
    expect(await sayDraftOnce(speaking(), draft, 0)).toEqual(first);
    const other = await sayDraftOnce(speaking(), { ...draft, text: '/reject No' }, 0);
    expect(other.comment).not.toBe(first.comment);
  });

  test('a form that is sent twice at once says it once', async () => {
    const draft = await newDraft();
    const [one, other] = await Promise.all([1, 2].map(() => sayDraftOnce(sealed(), draft, 0)));
    expect(one).toEqual(other);
  });
});
