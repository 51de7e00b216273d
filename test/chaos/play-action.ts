import { ActionsFixture, at } from '../action/actions-fixture.ts';
import type { Outcome } from '../action/runner.ts';
import { problemsIn } from '../app/ledger-content.ts';
import { disturb, isByBot } from './disturber.ts';
import type { Disturbance } from './fault.ts';
import type { ActionStory } from './stories/action.ts';
import { complaintsIn, usualIn } from './told.ts';

/** How a session with the Action ended. */
export interface PlayedAction {
  readonly end: ActionEnd;
  readonly routes: readonly string[];
  readonly disturbed: readonly string[];
  /** Where a person learns what GitHub refused: on the pull request, or in the log of a job that failed. */
  readonly told: readonly string[];
  /** What the jobs wrote, as `complaintsIn` compares it. */
  readonly written: ReadonlySet<string>;
}

/** What people see, without what differs between sessions. */
export type ActionEnd = Awaited<ReturnType<typeof readEnd>>;

/** The session could not go on. */
export class Stuck extends Error {
  override name = 'Stuck';
  readonly told: PlayedAction['told'];

  constructor(message: string, { cause, told }: { cause: unknown; told: PlayedAction['told'] }) {
    super(message, { cause });
    this.told = told;
  }
}

export interface PlayActionOptions {
  readonly disturbance?: Disturbance;
  /** What is written in this story if nothing disturbs it. */
  readonly usual?: ReadonlySet<string>;
}

/**
 * Plays a story in jobs; a kill ends the job that made the request. The scheduled job runs after each step, as
 * GitHub runs it every hour.
 */
export async function playAction(
  story: ActionStory,
  { disturbance = [], usual = new Set() }: PlayActionOptions,
): Promise<PlayedAction> {
  const disturber = disturb(disturbance, { kill: () => fixture.killJobs(), isOurs: isByBot });
  const { onRequest } = disturber;
  const fixture = await ActionsFixture.start({ onRequest, ...(story.files && { files: story.files }) });
  const jobs: Outcome[] = [];
  const settle = async () => {
    jobs.push(...(await fixture.finishedJobs()));
    for (let sweeps = 0; sweeps < 3; sweeps++) await fixture.sweep();
    jobs.push(...(await fixture.finishedJobs()));
  };
  const told = async () => {
    const reader = { octokit: fixture.ada, login: 'github-actions[bot]' };
    return [...(await complaintsIn(reader, usual)), ...jobs.flatMap(complaintsOf)];
  };
  try {
    await fixture.labeledIssue();
    await settle();
    const number = await onlyPull(fixture);
    await story.play({ fixture, number, settle });
    await settle();
    const { routes, disturbed, written } = disturber;
    const end = await readEnd(fixture, number);
    return { end, routes, disturbed, told: await told(), written: usualIn(written) };
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause);
    const logs = jobs.map(({ log }) => log).join('--- next job ---\n');
    const message = `${what}\nat ${disturber.disturbed.join(', ')}\n${logs}`;
    throw new Stuck(message, { cause, told: await told() });
  } finally {
    await fixture.end();
  }
}

/** Why a job failed, if that names the answer of GitHub or what it lacks. */
function complaintsOf({ code, log }: Outcome): readonly string[] {
  if (code !== 1) return [];
  return log
    .split('\n')
    .filter((line) => /^::error::.*(\b4\d\d\b|permission|refused|credentials)/.test(line));
}

async function onlyPull({ ada }: ActionsFixture): Promise<number> {
  const { data } = await ada.rest.pulls.list({ ...at, state: 'all' });
  const [pull, ...others] = data;
  if (pull === undefined || others.length > 0) throw new Error(`there are ${data.length} pull requests`);
  return pull.number;
}

async function readEnd(fixture: ActionsFixture, number: number) {
  const { draft, state, labels, head, merged } = await fixture.pull(number);
  const ledger = await fixture.ledger(number);
  const { standing, iteration, owed, queue, approvals, iterations } = ledger.state;
  const markers = await fixture.markers(number);
  const checks = { ...at, ref: head.sha, filter: 'latest', per_page: 100 } as const;
  const { data } = await fixture.ada.rest.checks.listForRef(checks);
  return {
    pull: { draft, state, merged, labels: labels.map(({ name }) => name).sort() },
    phase: standing.phase,
    ...{ iteration, queue, approvals: approvals.length, problems: problemsIn(ledger) },
    owed: owed.flatMap((effect) => (effect.do === 'withdraw' ? [] : [effect.do])),
    shown: (await fixture.block(number)).phase,
    prompts: iterations.map(({ prompt, landed }) => ({ prompt, landed })),
    said: ledger.events.filter(({ type }) => type === 'said').length,
    repeated: markers.length - new Set(markers).size,
    checks: data.check_runs.map(({ name, conclusion }) => `${name}: ${conclusion}`).sort(),
  };
}
