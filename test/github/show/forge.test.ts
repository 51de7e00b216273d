import { type Forge, startForge } from '@coxswain/forge';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Own } from '../../../src/github/own.ts';
import { readBlock } from '../../../src/github/show/block.ts';
import { createPresenter, type Presenter } from '../../../src/github/show/present.ts';
import { viewOf } from '../../../src/github/show/view.ts';
import type { State } from '../../../src/steering/state/state.ts';
import { describedByGitHub } from '../../forge/validators.ts';
import { anApproval, anInteraction, anIteration, aState, awaiting, shownAt } from './state.ts';

const branch = 'coxswain/fix-1';
const at = { owner: 'acme', repo: 'api' };
const silent = { debug() {}, info() {}, warn() {}, error() {} };

let forge: Forge;
let own: Own;
let octokit: Octokit;
let number: number;
let shas: readonly [string, string];

beforeAll(async () => {
  forge = await startForge();
  forge.seed.addOrganization('acme');
  await forge.seed.addRepository({ ...at, name: 'api', files: { 'README.md': 'hello\n' } });
  const permissions = {
    contents: 'write',
    pull_requests: 'write',
    issues: 'write',
    checks: 'write',
    statuses: 'write',
    metadata: 'read',
  } as const;
  const hook = { webhook_url: 'http://127.0.0.1:9/', webhook_secret: 's', events: [] };
  const app = forge.seed.createApp({ owner: 'acme', slug: 'coxswain', permissions, ...hook });
  const auth = {
    appId: app.id,
    privateKey: app.private_key,
    installationId: forge.seed.installApp(app, ['acme/api']),
  };
  own = { login: 'coxswain[bot]', app: { id: app.id } };
  octokit = new Octokit({ baseUrl: forge.apiUrl, authStrategy: createAppAuth, auth, log: silent });
  const { data: main } = await octokit.rest.git.getRef({ ...at, ref: 'heads/main' });
  const first = await forge.seed.commit('acme/api', { 'a.ts': 'x\n' });
  shas = [first, await forge.seed.commit('acme/api', { 'a.ts': 'y\n' })];
  await octokit.rest.git.createRef({ ...at, ref: 'refs/heads/stable', sha: main.object.sha });
  await octokit.rest.git.createRef({ ...at, ref: `refs/heads/${branch}`, sha: shas[0] });
  const opened = { title: 'Fix', body: 'Fixes it.', draft: true };
  const pull = await octokit.rest.pulls.create({ ...at, head: branch, base: 'stable', ...opened });
  number = pull.data.number;
});

afterAll(async () => {
  await forge.stop();
});

function openPresenter(): Presenter {
  const sources = {
    web: `${forge.url}/acme/api`,
    diff: async () => undefined,
    outputs: async () => undefined,
    progress: () => ({ progress: undefined, now: new Date() }),
  };
  return createPresenter({
    octokit,
    own,
    where: at,
    reread: async () => undefined,
    clock: { now: () => new Date() },
    sources,
    renderAfterMs: 0,
  });
}

/** The state, moved to where the forge has the pull request. */
function here(state: State): State {
  const iterations = [anIteration({ head_before: shas[0], head_after: shas[1] })];
  return {
    ...state,
    run: { ...state.run, ...at, id: `acme/api#${number}`, number, head: shas[0] },
    iterations,
  };
}

test('a run is rendered over HTTP, across a cut connection and a new process', async () => {
  await openPresenter().present(here(aState({ seq: 1, head: shas[0] })));
  await octokit.rest.git.updateRef({ ...at, ref: `heads/${branch}`, sha: shas[1] });
  const interaction = anInteraction({ id: `approval:${number}:6`, head_sha: shas[1] });
  const standing = { phase: 'awaiting_approval', interaction, deadline: '2026-11-22T10:00:00Z' } as const;
  const waiting = here(awaiting({ head: shas[1], shown: shownAt(shas[1]), standing }));
  // GitHub accepts the comment, but its answer is lost.
  forge.seed.fault({ method: 'POST', path: /\/issues\/\d+\/comments/, times: 1, drop: 'after' });
  const presenter = openPresenter();
  await expect(presenter.present(waiting)).rejects.toThrow();
  await presenter.present(waiting);
  await openPresenter().present(waiting);

  const { data: comments } = await octokit.rest.issues.listComments({ ...at, issue_number: number });
  expect(comments.map(({ body }) => body?.split('\n')[0])).toEqual(['### Coxswain finished Fix the login']);
  const { data: pull } = await octokit.rest.pulls.get({ ...at, pull_number: number });
  expect(pull.labels.map(({ name }) => name)).toEqual(['coxswain', 'coxswain:awaiting_approval']);
  expect(pull.draft).toBe(true);
  expect(readBlock(pull.body ?? '')?.phase).toBe('awaiting_approval');
  expect(await conclusions(shas[1])).toEqual({ Coxswain: 'action_required', 'Coxswain / test': 'success' });
  expect(await conclusions(shas[0])).toEqual({ Coxswain: 'cancelled' });

  const settled = [{ ...interaction, settled_at: 'T', by: 'grace', how: 'approved' }];
  const finished = { phase: 'approved', finish: 'finished' } as const;
  await presenter.present({
    ...waiting,
    seq: 9,
    standing: finished,
    approvals: [anApproval()],
    interactions: settled,
  });
  const { data: ready } = await octokit.rest.pulls.get({ ...at, pull_number: number });
  expect(ready.draft).toBe(false);
  expect(await conclusions(shas[1])).toEqual({ Coxswain: 'success', 'Coxswain / test': 'success' });

  const rejected = { phase: 'rejected', by: 'ada', reason: 'no' } as const;
  await presenter.close({ ...waiting, seq: 11, standing: rejected });
  await presenter.present({ ...waiting, seq: 11, standing: rejected });
  const { data: closed } = await octokit.rest.pulls.get({ ...at, pull_number: number });
  expect([closed.state, closed.body?.startsWith('Fixes it.\n\n<!-- coxswain:begin -->')]).toEqual([
    'closed',
    true,
  ]);
});

test('a question of an agent is asked in a comment and has buttons that GitHub accepts, held or stopped', async () => {
  const interaction = {
    ...anInteraction({ id: `question:${number}:20`, kind: 'question', head_sha: shas[1] }),
    of: { iteration: 0, attempt: 1 },
  };
  const options = ['Python', '@ada 👩‍💻 '.repeat(20), '<!-- coxswain:end -->'];
  const asked = { id: 'q', question: 'Which @ada?'.repeat(100), options };
  const questions = [{ interaction, asked, on_timeout: 'block' }] as const;
  const held = here(aState({ seq: 20, head: shas[1], questions }));
  const deadline = '2026-11-28T10:00:00Z';
  const standing = { phase: 'awaiting_answer', interaction, deadline } as const;
  const [check] = viewOf(held, 'https://github.com/acme/api').checks;
  const { validators } = await describedByGitHub();
  const validate = validators['request of POST /repos/{owner}/{repo}/check-runs'];
  const written = { name: 'Coxswain', head_sha: shas[1], status: 'in_progress', actions: check?.actions };
  expect([validate?.(written), check?.actions.length]).toEqual([true, 3]);
  const presenter = openPresenter();
  await octokit.rest.pulls.update({ ...at, pull_number: number, state: 'open' });
  await presenter.present(held);
  expect(await conclusions(shas[1])).toMatchObject({ Coxswain: null });
  await presenter.present({ ...held, seq: 21, standing });
  expect(await conclusions(shas[1])).toMatchObject({ Coxswain: 'action_required' });
  const { data: comments } = await octokit.rest.issues.listComments({ ...at, issue_number: number });
  expect(comments.filter(({ body }) => body?.startsWith('### The agent asks'))).toHaveLength(1);
  const { data: pull } = await octokit.rest.pulls.get({ ...at, pull_number: number });
  expect(pull.labels.map(({ name }) => name)).toEqual(['coxswain', 'coxswain:awaiting_answer']);
});

async function conclusions(ref: string): Promise<Record<string, string | null>> {
  const { data } = await octokit.rest.checks.listForRef({ ...at, ref });
  return Object.fromEntries(data.check_runs.map(({ name, conclusion }) => [name, conclusion]));
}
