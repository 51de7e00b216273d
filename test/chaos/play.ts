import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type AppFixture, prepareAppFixture, waitForDeliveries } from '../app/app-fixture.ts';
import { eventually } from '../app/eventually.ts';
import { processesOf } from '../setup/processes.ts';
import { type Disturber, disturb } from './disturber.ts';
import { type EndState, readEndState } from './end-state.ts';
import type { Disturbance } from './fault.ts';
import type { Stage, Story } from './story.ts';

/** How a story ended. */
export interface Played {
  readonly end: EndState;
  /** The routes of the App's requests, in order. */
  readonly routes: readonly string[];
  /** The requests that were disturbed. */
  readonly disturbed: readonly string[];
}

export interface PlayOptions {
  readonly disturbance?: Disturbance;
}

/** Plays a story while the disturbance happens, and stops the App with SIGTERM. */
export async function play(story: Story, { disturbance = [] }: PlayOptions): Promise<Played> {
  const restart = { done: Promise.resolve() };
  const clock = { offsetMs: 0 };
  const now = () => new Date(Date.now() + clock.offsetMs);
  const disturber = disturb(disturbance, () => {
    restart.done = restart.done.then(() => restartApp(fixture));
  });
  const fixture = await prepareAppFixture({
    ...story.options,
    unchecked: true,
    now,
    onRequest: disturber.onRequest,
    variables: { COXSWAIN_SWEEP_EVERY: '2s' },
  });
  const stage: Stage = {
    ...{ fixture, now },
    advanceClock: (hours) => {
      clock.offsetMs += hours * 3_600_000;
    },
  };
  try {
    return await playOn(story, stage, { disturber, restart });
  } catch (cause) {
    throw new Error(`${messageOf(cause)}\nat ${disturber.disturbed.join(', ')}\n${logOf(fixture)}`, { cause });
  } finally {
    await fixture.end();
  }
}

interface Playing {
  readonly disturber: Disturber;
  readonly restart: { readonly done: Promise<void> };
}

async function playOn(story: Story, stage: Stage, { disturber, restart }: Playing): Promise<Played> {
  const { fixture } = stage;
  const tmp = join(fixture.variables['home'] ?? '', 'tmp');
  mkdirSync(tmp);
  await fixture.start({ TMPDIR: tmp }).catch((fault: unknown) => {
    if (disturber.disturbed.length === 0) throw fault;
  });
  await restart.done;
  const pull = await story.play(stage);
  const routes = [...disturber.routes];
  await restart.done;
  await waitUntilQuiet(stage);
  await fixture.app.stop();
  await restart.done;
  if (!fixture.app.hasEnded()) await waitUntilQuiet(stage).then(() => fixture.app.stop());
  const end = { ...(await readEndState(fixture, pull)), left: leftBy(fixture, tmp) };
  return { end, routes, disturbed: disturber.disturbed };
}

async function restartApp(fixture: AppFixture): Promise<void> {
  const last = fixture.processes.at(-1);
  last?.kill();
  await last?.ended;
  await fixture.start({ TMPDIR: join(fixture.variables['home'] ?? '', 'tmp') });
}

/** Waits until no webhook is on its way and two more sweeps have found nothing to do. */
async function waitUntilQuiet({ fixture, now }: Stage): Promise<void> {
  await waitForDeliveries(fixture);
  for (const which of ['first', 'second']) {
    const since = now().toISOString();
    await eventually(`the ${which} sweep after the end`, async () => {
      const response = await fetch(`${fixture.app.url}/healthz`).catch(() => undefined);
      // Our own response, see `src/app/app.ts`.
      const health = (await response?.json()) as { last_sweep: string | null } | undefined;
      return (health?.last_sweep ?? '') > since || undefined;
    });
  }
  await waitForDeliveries(fixture);
}

/** Processes that survived the App, and temporary files that it forgot. */
function leftBy(fixture: AppFixture, tmp: string): readonly string[] {
  const running = processesOf(fixture.variables['home'] ?? '').map(({ line }) => `process ${line}`);
  return [...running, ...readdirSync(tmp)];
}

function logOf({ processes }: AppFixture): string {
  return processes.map((app) => app.output()).join('--- restarted ---\n');
}

function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
