import { type Forge, startForge } from '@coxswain/forge';
import { createAppAuth } from '@octokit/auth-app';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Connection, connect } from '../../../src/github/octokit/connect.ts';
import { createRateLimiter, unlimited } from '../../../src/github/octokit/rate-limiter.ts';
import { CheckRuns } from '../../../src/github/show/check-runs.ts';
import { viewOf } from '../../../src/github/show/view.ts';
import type { PullTarget } from '../../../src/github/write/pull-target.ts';
import type { State } from '../../../src/steering/state/state.ts';
import { aVerifier, awaiting, shownAt, web } from './state.ts';

/** More annotations than GitHub takes in one request, through what GitHub and our processes do. */

const at = { owner: 'acme', repo: 'api' };
const silent = { info: () => undefined, warn: () => undefined };
const writes = /\/check-runs/;

let forge: Forge;
let octokit: Connection;
let target: PullTarget;

beforeAll(async () => {
  forge = await startForge();
  forge.seed.addOrganization('acme');
  await forge.seed.addRepository({ ...at, name: 'api', files: { 'README.md': 'hello\n' } });
  const permissions = { contents: 'read', checks: 'write', metadata: 'read' } as const;
  const hook = { webhook_url: 'http://127.0.0.1:9/', webhook_secret: 's', events: [] };
  const app = forge.seed.createApp({ owner: 'acme', slug: 'coxswain', permissions, ...hook });
  const installationId = forge.seed.installApp(app, ['acme/api']);
  const options = { appId: app.id, privateKey: app.private_key, installationId };
  const signIn = { strategy: createAppAuth, options, renews: false };
  const pace = createRateLimiter({ limits: unlimited });
  octokit = connect({ baseUrl: forge.apiUrl, signIn, pace, retryUnitMs: 0 });
  const run = { ...awaiting().run, ...at };
  const own = { login: 'coxswain[bot]', app: { id: app.id } };
  target = { octokit, own, run, secrets: [], log: silent, clock: { now: () => new Date() } };
});

afterEach(() => forge.seed.clearFaults());
afterAll(() => forge.stop());

/** A run at a new commit, whose red verifier names so many tests. */
async function redOf(failed: number): Promise<State> {
  const head = await forge.seed.commit('acme/api', { 'a.ts': `${failed} ${performance.now()}\n` });
  const failures = Array.from({ length: failed }, (_, index) => ({
    ...{ name: `test ${index}`, message: 'expected 1 to be 0' },
    ...{ path: 'test/a.test.ts', line: index + 1 },
  }));
  const tests = { from: 'junit', total: 600, failed, skipped: 0, failures } as const;
  const red = aVerifier({ success: false, exit_code: 1, stdout: 'not ok\n', tests });
  return awaiting({ head, shown: shownAt(head, { verifiers: [red] }) });
}

/** As a process draws it that has only just begun. */
function draw(state: State): Promise<void> {
  return new CheckRuns(target, () => undefined).render(state, viewOf(state, web).checks, state.head);
}

/** The verifier's only check run, and which lines it annotates. */
async function drawn({ head: ref }: State) {
  const { data } = await octokit.rest.checks.listForRef({ ...at, ref, check_name: 'Coxswain / test' });
  const [run] = data.check_runs;
  if (run === undefined) throw new Error('there is no check run');
  const there = { ...at, check_run_id: run.id, per_page: 100 };
  const lines: number[] = [];
  for (const page of [1, 2]) {
    const { data: found } = await octokit.rest.checks.listAnnotations({ ...there, page });
    lines.push(...found.map(({ start_line }) => start_line));
  }
  return { runs: data.total_count, conclusion: run.conclusion, text: run.output.text ?? '', lines };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const whole = (count: number) => ({
  ...{ runs: 1, conclusion: 'failure', lines: upTo(count) },
  text: expect.stringContaining('stdout:\n\n```text\nnot ok\n```'),
});

test.each([
  [0, 0],
  [1, 1],
  [50, 50],
  [51, 51],
  [100, 100],
  [500, 100],
])('%i failures make %i annotations, and drawing it again adds none', async (failed, annotated) => {
  const state = await redOf(failed);
  await draw(state);
  expect(await drawn(state)).toEqual(whole(annotated));
  await draw(state);
  const { shown } = state;
  const verifiers = shown?.verifiers.map((each) => ({ ...each, duration_s: 99 })) ?? [];
  await draw({ ...state, shown: shown && { ...shown, verifiers } });
  expect(await drawn(state)).toEqual(whole(annotated));
});

test.each([
  ['the first request is lost', { method: 'POST', drop: 'before' }, 0],
  ['the answer to the first request is lost', { method: 'POST', drop: 'after' }, 50],
  ['the second request is lost', { method: 'PATCH', drop: 'before' }, 50],
  ['the answer to the second request is lost', { method: 'PATCH', drop: 'after' }, 100],
  ['GitHub fails at the second request', { method: 'PATCH', status: 502 }, 50],
] as const)('%s: the next rendering completes it, each line once', async (_, fault, before) => {
  const state = await redOf(100);
  const decision = viewOf({ ...state, shown: state.shown && { ...state.shown, verifiers: [] } }, web).checks;
  await new CheckRuns(target, () => undefined).render(state, decision, state.head);
  forge.seed.fault({ ...fault, path: writes, times: 1 });
  await expect(draw(state)).rejects.toThrow();
  if (before > 0) expect(await drawn(state)).toMatchObject({ runs: 1, lines: upTo(before) });
  await draw(state);
  expect(await drawn(state)).toEqual(whole(100));
});

test('annotations that GitHub refuses are left out, and those before them stay', async () => {
  const state = await redOf(100);
  forge.seed.fault({ method: 'PATCH', path: writes, times: 1, status: 422 });
  await draw(state);
  await draw(state);
  expect(await drawn(state)).toEqual(whole(50));
});
