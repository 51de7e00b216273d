import nock from 'nock';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { LedgerTip } from '../../../src/github/marks.ts';
import { createPresenter, type Presenter, type PresenterOptions } from '../../../src/github/show/present.ts';
import type { State } from '../../../src/steering/state/state.ts';
import { anOctokit, GitHub } from './github.ts';
import { web } from './state.ts';

/** What a presenter's tests set and inspect: GitHub, the ledger's state, and the log. */
export class PresenterFixture {
  github = new GitHub();
  ledger: State | undefined;
  log: string[] = [];
  now = new Date('2026-11-21T10:00:00Z');
  ledgerTip: LedgerTip | undefined;
  /** Whether the branch on GitHub is always where the ledger has it, as in an honest run. */
  moves = true;

  createPresenter(changed: Partial<PresenterOptions> = {}): Presenter {
    const presenter = createPresenter({
      octokit: anOctokit(),
      own: { login: 'coxswain[bot]', app: { id: 1 } },
      where: { owner: 'acme', repo: 'api' },
      reread: async () => this.ledger,
      sources: {
        web,
        diff: async () => undefined,
        outputs: async () => undefined,
        progress: () => ({ progress: undefined, now: new Date() }),
      },
      log: { info: (message) => this.log.push(message), warn: (message) => this.log.push(message) },
      clock: { now: () => this.now },
      tip: () => this.ledgerTip,
      renderAfterMs: 0,
      ...changed,
    });
    const present = (state: State) => {
      if (this.moves) this.github.pull.head.sha = (this.ledger ?? state).head;
      this.ledgerTip = { seq: state.seq, commit: 'c0ffee00'.repeat(5) };
      return presenter.present(state);
    };
    return { ...presenter, present };
  }
}

/** A fixture that is reset before each test of a file; all other network requests fail. */
export function presenterFixture(): PresenterFixture {
  const fixture = new PresenterFixture();
  beforeAll(() => {
    if (!nock.isActive()) nock.activate();
  });
  beforeEach(() => {
    nock.cleanAll();
    nock.disableNetConnect();
    fixture.github = new GitHub();
    fixture.ledger = undefined;
    fixture.log = [];
    fixture.moves = true;
  });
  afterEach(() => {
    nock.cleanAll();
    nock.enableNetConnect();
  });
  afterAll(() => nock.restore());
  return fixture;
}
