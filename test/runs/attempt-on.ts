import { join } from 'node:path';
import { adapters, probeSandbox } from '../../src/agent/index.ts';
import type { NetworkKit } from '../../src/agent/port/attempt-network.ts';
import { attempt } from '../../src/engine/attempt.ts';
import type { Attachments } from '../../src/ledger/attachments.ts';
import type { FormerRuns } from '../../src/repository/former-runs.ts';
import type { ProgressBoard } from '../../src/repository/progress-board.ts';
import type { Run } from '../../src/runs/run/run.ts';
import type { Settings } from '../../src/steering/shapes/settings.ts';
import { anIteration } from '../github/show/state.ts';
import type { GivenRun } from './given-run.ts';

interface Watching {
  /** Called with everything that the attempt records, once it is recorded. */
  recorded?(
    run: Run,
    event: Parameters<Run['record']>[0],
    attachments: Attachments | undefined,
  ): Promise<void>;
  readonly progress?: ProgressBoard;
  readonly formerRuns?: Pick<FormerRuns, 'merged'>;
  readonly network?: NetworkKit;
  /** How the run was set up before; without it, as its configuration says now. */
  readonly settings?: (now: Settings) => Settings;
}

/** Makes one attempt at the given run, without a sandbox. */
export async function attemptOn(given: GivenRun, home: string, watching: Watching): Promise<void> {
  const standing = { phase: 'queued', work: 'attempt' } as const;
  const state = given.waiting({ standing, shown: null, attempt: 0, attempts_used: 0 });
  const iterations = [anIteration({ landed: false, head_before: given.head, head_after: given.head })];
  const { settings = (now) => now } = watching;
  const { run } = given.open(
    { ...state, iterations, settings: settings(state.settings) },
    { progress: watching.progress },
  );
  const record = run.record.bind(run);
  run.record = async (event, attachments) => {
    const recorded = await record(event, attachments);
    await watching.recorded?.(run, event, attachments);
    return recorded;
  };
  const silent = () => undefined;
  const { clock, log } = given.services;
  const { network } = watching;
  const kit = {
    workRoot: join(home, 'work'),
    sandbox: await probeSandbox('off'),
    adapters,
    secrets: [],
    ...(network && { network }),
  };
  await attempt(run, {
    services: {
      ...{
        clock,
        log,
        nextHolder: () => 'h',
        holdQuestionsMs: 0,
        hasOthers: () => false,
        progress: watching.progress,
      },
      formerRuns: watching.formerRuns,
      resources: async (mirror) => ({ ...kit, mirror }),
    },
    ...{ holder: 'h', signal: new AbortController().signal },
    ...{ onLeased: silent, onLive: silent, onState: silent, onWaiting: silent },
  });
}
