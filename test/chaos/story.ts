import type { AppFixture, AppFixtureOptions } from '../app/app-fixture.ts';
import type { PullClient } from '../app/pull-client.ts';

/** What people do with one run, from its start to a state in which nothing more happens by itself. */
export interface Story {
  readonly name: string;
  readonly options?: Pick<AppFixtureOptions, 'files' | 'permissions'>;
  /** Each step waits until a person would see that it is time for it. */
  play(stage: Stage): Promise<PullClient>;
}

export interface Stage {
  readonly fixture: AppFixture;
  /** GitHub's clock. */
  now(): Date;
  /** Advances GitHub's clock, which the App follows. */
  advanceClock(hours: number): void;
}
