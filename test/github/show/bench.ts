import nock from 'nock';
import { afterEach, beforeEach } from 'vitest';
import { createPresenter, type Presenter, type PresenterOptions } from '../../../src/github/show/present.ts';
import type { State } from '../../../src/steering/state.ts';
import { anOctokit, GitHub } from './github.ts';
import { web } from './state.ts';

/** What a presenter's tests inspect: GitHub, the state in the ledger, and the log. */
export class Bench {
  github = new GitHub();
  ledger: State | undefined;
  told: string[] = [];

  aPresenter(changed: Partial<PresenterOptions> = {}): Presenter {
    return createPresenter({
      octokit: anOctokit(),
      own: { login: 'coxswain[bot]' },
      where: { owner: 'acme', repo: 'api' },
      reread: async () => this.ledger,
      sources: { web, diff: async () => undefined, outputs: async () => undefined },
      log: { info: (message) => this.told.push(message), warn: (message) => this.told.push(message) },
      renderAfterMs: 0,
      ...changed,
    });
  }
}

/** A bench, cleared before each test of a file; requests to anything else fail. */
export function aBench(): Bench {
  const bench = new Bench();
  beforeEach(() => {
    nock.cleanAll();
    nock.disableNetConnect();
    bench.github = new GitHub();
    bench.ledger = undefined;
    bench.told = [];
  });
  afterEach(() => {
    nock.cleanAll();
    nock.enableNetConnect();
  });
  return bench;
}
