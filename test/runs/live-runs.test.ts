import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Installations } from '../../src/app/installations.ts';
import { LocalEngine } from '../../src/engine/local-engine.ts';
import { unlimited } from '../../src/github/octokit/rate-limiter.ts';
import { GitHubClock } from '../../src/repository/github-clock.ts';
import { StrangerLimit } from '../../src/repository/stranger-limit.ts';
import { openRuns } from '../../src/runs/wiring.ts';
import { awaiting } from '../github/show/state.ts';

const api = {
  id: 4711,
  owner: 'acme',
  name: 'api',
  default_branch: 'main',
  clone_url: 'https://github.invalid/acme/api.git',
  private: false,
};

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** These tests use neither GitHub nor Git. */
function parts() {
  const data = mkdtempSync(join(tmpdir(), 'coxswain-live-runs-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  const clock = new GitHubClock();
  const resources = () => {
    throw new Error('no attempt was asked for');
  };
  const engine = new LocalEngine(
    { log, clock, nextHolder: () => 'a holder', holdQuestionsMs: 0, hasOthers: () => false, resources },
    1,
  );
  const services = {
    presenter: 'app',
    unknownKeys: new Map(),
    strangers: new StrangerLimit(),
    data,
    operator: {},
    configPath: 'x',
    engine,
    clock,
    log,
    secrets: [],
  } as const;
  const installations = new Installations({
    ...{ appId: 1, privateKey: 'none', apiUrl: 'http://127.0.0.1:9', data, log },
    onMirror: async () => undefined,
    writeLimits: unlimited,
    onClient: () => undefined,
  });
  return { installations, liveRuns: openRuns(services) };
}

test('a run keeps its object', () => {
  const { installations, liveRuns } = parts();
  const liveRun = liveRuns.of(installations.repository(api, 1), 7);
  expect(liveRuns.of(installations.repository({ ...api }, 1), 7)).toBe(liveRun);
});

test.each([
  ['was renamed', { ...api, name: 'gateway' }, 1],
  ['was transferred', { ...api, owner: 'beta' }, 2],
  ['has the App reinstalled', api, 2],
] as const)('a run whose repository %s uses the new one', (_, now, installation) => {
  const { installations, liveRuns } = parts();
  liveRuns.of(installations.repository(api, 1), 7);
  const { repository } = liveRuns.of(installations.repository(now, installation), 7);
  expect(repository).toMatchObject({ owner: now.owner, name: now.name });
  expect(repository.octokit).toBe(installations.client(installation));
});

test('a run that is opened stays open, though all the others are at work', () => {
  const { installations, liveRuns } = parts();
  const repository = installations.repository(api, 1);
  const hold = { iteration: 0, attempt: 1, holder: 'here', until: '2100-01-01T00:00:00Z' };
  for (let number = 1; number <= 500; number++)
    liveRuns.of(repository, number).newest = { ...awaiting(), standing: { phase: 'working', hold } };
  const run = liveRuns.of(repository, 501);
  expect(liveRuns.ifOpen(repository, 501)).toBe(run);
});
