import { join } from 'node:path';
import type { Forge } from '@coxswain/forge';
import { adapters, type Sandbox } from '../../src/agent/index.ts';
import { Installations } from '../../src/app/installations.ts';
import { LocalEngine } from '../../src/engine/local-engine.ts';
import type { Repository as GitHubRepository } from '../../src/github/events/github-event.ts';
import { unlimited } from '../../src/github/octokit/rate-limiter.ts';
import { openFormerRuns } from '../../src/repository/former-runs.ts';
import { OtherProcesses } from '../../src/repository/other-processes.ts';
import type { Repository } from '../../src/repository/repository.ts';
import { StrangerLimit } from '../../src/repository/stranger-limit.ts';
import type { LiveRuns } from '../../src/runs/run/live-runs.ts';
import { proposeSetup } from '../../src/runs/setup/propose-setup.ts';
import { openRuns } from '../../src/runs/wiring.ts';
import { seals } from '../ledger/identity.ts';
import type { registered } from './registered.ts';

export interface Prerequisites {
  readonly app: ReturnType<typeof registered>;
  readonly forge: Forge;
  readonly data: string;
  readonly sandbox: Sandbox;
  readonly warnings: string[];
  readonly repository: GitHubRepository;
  readonly clock: { readonly appAheadMs: number };
  readonly holdQuestionsMs: number;
}

export interface AppParts {
  readonly repository: Repository;
  readonly liveRuns: LiveRuns;
  /** Resolves when nothing is in progress. */
  done(): Promise<void>;
  close(): Promise<void>;
}

/** Wires up the App's parts as the App itself does. */
export function openApp(prerequisites: Prerequisites): AppParts {
  const { app, forge, data, sandbox, warnings, repository, clock: ahead, holdQuestionsMs } = prerequisites;
  const silent = () => undefined;
  const addWarning = (message: string) => void warnings.push(message);
  const log = { debug: silent, info: silent, warn: addWarning, error: addWarning };
  const clock = { now: () => new Date(Date.now() + ahead.appAheadMs) };
  const installations = new Installations({
    ...{ appId: app.id, privateKey: app.privateKey, apiUrl: forge.apiUrl, data, log },
    onMirror: async () => undefined,
    writeLimits: unlimited,
    onClient: silent,
  });
  installations.own = { login: 'coxswain[bot]', app: { id: app.id } };
  const formerRuns = openFormerRuns(data, log, seals);
  let holders = 0;
  const workRoot = join(data, 'work');
  const engine = new LocalEngine(
    {
      ...{ log, clock, formerRuns },
      nextHolder: () => `${data}:${holders++}`,
      hasOthers: () => false,
      holdQuestionsMs,
      resources: async (mirror) => ({ mirror, workRoot, sandbox, adapters, secrets: [] }),
    },
    2,
  );
  const configPath = '.github/coxswain.yml';
  const liveRuns = openRuns({
    presenter: 'app',
    seals,
    formerRuns,
    unknownKeys: new Map(),
    strangers: new StrangerLimit(),
    others: new OtherProcesses(clock),
    data,
    operator: {},
    proposeSetup: (wanted) => proposeSetup(wanted, { operator: {}, secrets: [], log, seals }),
    configPath,
    engine,
    clock,
    log,
    secrets: [],
  });
  const done = async () => {
    do {
      await liveRuns.drained();
      await engine.idle();
    } while (!liveRuns.quiet);
  };
  const close = async () => {
    await engine.stop();
    await liveRuns.close();
  };
  return { repository: installations.repository(repository, app.installation), liveRuns, done, close };
}
