import { prepareAppFixture, waitForDeliveries } from '../app/app-fixture.ts';
import { Apps } from '../app/apps.ts';
import { type Disturber, disturb } from './disturber.ts';
import { type EndState, readEndState } from './end-state.ts';
import { type Disturbance, faults } from './fault.ts';
import type { Stage, Story } from './story.ts';
import { complaintsIn, usualIn } from './told.ts';
import { JumpingClock, upset } from './upheaval.ts';

/** How a story ended. */
export interface Played {
  readonly end: EndState;
  /** The routes of the App's requests, in order. */
  readonly routes: readonly string[];
  /** The requests that were disturbed. */
  readonly disturbed: readonly string[];
  /** What the App wrote, as `complaintsIn` compares it. */
  readonly written: ReadonlySet<string>;
  /** What people were told of GitHub's refusal, line by line; empty if GitHub refused nothing. */
  readonly told: readonly string[];
}

export interface PlayOptions {
  readonly disturbance?: Disturbance;
  /** What the App writes in this story if nothing disturbs it. */
  readonly usual?: ReadonlySet<string>;
  /** How many Apps share the webhooks; a kill hits the first. */
  readonly apps?: 1 | 2;
}

/** GitHub refused something, the story could not go on, and a person was told on the pull request or issue. */
export class ToldOfRefusal extends Error {
  override name = 'ToldOfRefusal';
}

/** Plays a story while the disturbance happens, and stops the App with SIGTERM. */
export async function play(
  story: Story,
  { disturbance = [], apps: count = 1, usual = new Set() }: PlayOptions,
): Promise<Played> {
  let offsetMs = 0;
  const now = () => new Date(Date.now() + offsetMs);
  const disturber = disturb(disturbance, {
    kill: () => apps.killFirst(),
    revoke: () => revoke(),
    upset: (how) => upset(how, { apps, clock }),
  });
  const { onRequest } = disturber;
  const variables = { COXSWAIN_SWEEP_EVERY: '2s' };
  const fixture = await prepareAppFixture({ ...story.options, unchecked: true, now, onRequest, variables });
  const revoke = () => fixture.forge.seed.revokeTokens(fixture.accounts.installation);
  const clock = new JumpingClock(fixture);
  const changed = disturbance.some(({ fault }) => fault.startsWith('clock ')) ? clock.variables : {};
  const apps = await Apps.prepare({ variables: { ...fixture.variables, ...changed } }, count);
  const advanceClock = (hours: number) => {
    offsetMs += hours * 3_600_000;
  };
  const refused = disturbance.some(({ fault }) => faults[fault].refuses);
  const complaints = () => complaintsIn({ octokit: fixture.ada.octokit, login: 'coxswain[bot]' }, usual);
  try {
    const played = await playOn(story, { fixture, now, advanceClock }, { disturber, apps });
    return { ...played, told: refused ? await complaints() : [] };
  } catch (cause) {
    const told = await complaints();
    if (refused && told.length > 0) throw new ToldOfRefusal(told.at(-1), { cause });
    const parts = [messageOf(cause), `at ${disturber.disturbed.join(', ')}`, ...told, apps.output()];
    throw new Error(parts.join('\n'), { cause });
  } finally {
    await apps.end();
    await fixture.end();
  }
}

interface Playing {
  readonly disturber: Disturber;
  readonly apps: Apps;
}

async function playOn(
  story: Story,
  stage: Stage,
  { disturber, apps }: Playing,
): Promise<Omit<Played, 'told'>> {
  const { fixture, now } = stage;
  await apps.start().catch(async (fault: unknown) => {
    if (disturber.disturbed.length === 0) throw fault;
    await apps.startEnded();
  });
  await apps.restarted();
  const pull = await story.play(stage);
  const routes = [...disturber.routes];
  do {
    await apps.restarted();
    await waitForDeliveries(fixture);
    await apps.sweptSince(now);
    await waitForDeliveries(fixture);
    await apps.stop();
    // It may have been killed while it stopped.
    await apps.restarted();
  } while (!apps.hasEnded());
  return {
    end: { ...(await readEndState(fixture, pull)), left: apps.left() },
    routes,
    disturbed: disturber.disturbed,
    written: usualIn(disturber.written),
  };
}

function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
