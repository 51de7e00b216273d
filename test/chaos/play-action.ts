import { ActionsFixture, at } from '../action/actions-fixture.ts';
import { problemsIn } from '../app/ledger-content.ts';
import { disturb, isByBot } from './disturber.ts';
import type { Disturbance } from './fault.ts';

/** How a session with the Action ended. */
export interface PlayedAction {
  readonly end: ActionEnd;
  readonly routes: readonly string[];
  readonly disturbed: readonly string[];
}

/** What people see, without what differs between sessions. */
export type ActionEnd = Awaited<ReturnType<typeof readEnd>>;

/**
 * An issue is labeled, the work is steered and approved, each in jobs of their own; a kill ends the job that
 * made the request. The scheduled job runs after each, as GitHub runs it every hour.
 */
export async function playAction(disturbance: Disturbance): Promise<PlayedAction> {
  const disturber = disturb(disturbance, () => fixture.killJobs(), isByBot);
  const fixture = await ActionsFixture.start({ onRequest: disturber.onRequest });
  const logs: string[] = [];
  try {
    const settle = async () => {
      logs.push(...(await fixture.finishedJobs()).map(({ log }) => log));
      for (let sweeps = 0; sweeps < 3; sweeps++) logs.push((await fixture.sweep()).log);
      await fixture.finishedJobs();
    };
    await fixture.labeledIssue();
    await settle();
    const number = await onlyPull(fixture);
    await fixture.comment(number, '/steer Cheaper.');
    await settle();
    await fixture.comment(number, `/approve ${(await fixture.pull(number)).head.sha}`);
    await settle();
    return { end: await readEnd(fixture, number), routes: disturber.routes, disturbed: disturber.disturbed };
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${what}\nat ${disturber.disturbed.join(', ')}\n${logs.join('--- next job ---\n')}`, {
      cause,
    });
  } finally {
    await fixture.end();
  }
}

async function onlyPull({ ada }: ActionsFixture): Promise<number> {
  const { data } = await ada.rest.pulls.list({ ...at, state: 'all' });
  const [pull, ...others] = data;
  if (pull === undefined || others.length > 0) throw new Error(`there are ${data.length} pull requests`);
  return pull.number;
}

async function readEnd(fixture: ActionsFixture, number: number) {
  const { draft, state, labels, head } = await fixture.pull(number);
  const ledger = await fixture.ledger(number);
  const { standing, iteration, owed, queue, approvals, iterations } = ledger.state;
  const markers = await fixture.markers(number);
  const checks = { ...at, ref: head.sha, filter: 'latest', per_page: 100 } as const;
  const { data } = await fixture.ada.rest.checks.listForRef(checks);
  return {
    pull: { draft, state, labels: labels.map(({ name }) => name).sort() },
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
