import nock from 'nock';
import { afterEach, beforeEach } from 'vitest';
import { createPresenter, type Presenter, type PresenterOptions } from '../../../src/github/show/present.ts';
import type { State } from '../../../src/steering/state.ts';
import { anOctokit, GitHub } from './github.ts';
import { web } from './state.ts';

/** What a presenter's tests set and inspect: GitHub, the ledger's state, and the log. */
export class PresenterFixture {
  github = new GitHub();
  ledger: State | undefined;
  log: string[] = [];

  createPresenter(changed: Partial<PresenterOptions> = {}): Presenter {
    return createPresenter({
      octokit: anOctokit(),
      own: { login: 'coxswain[bot]', app: { id: 1 } },
      where: { owner: 'acme', repo: 'api' },
      reread: async () => this.ledger,
      sources: { web, diff: async () => undefined, outputs: async () => undefined },
      log: { info: (message) => this.log.push(message), warn: (message) => this.log.push(message) },
      renderAfterMs: 0,
      ...changed,
    });
  }
}

/** A fixture that is reset before each test of a file; all other network requests fail. */
export function presenterFixture(): PresenterFixture {
  const fixture = new PresenterFixture();
  beforeEach(() => {
    nock.cleanAll();
    nock.disableNetConnect();
    fixture.github = new GitHub();
    fixture.ledger = undefined;
    fixture.log = [];
  });
  afterEach(() => {
    nock.cleanAll();
    nock.enableNetConnect();
  });
  return fixture;
}
