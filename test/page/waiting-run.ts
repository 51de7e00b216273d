import { join } from 'node:path';
import type { Connection } from '../../src/github/octokit/connect.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import type { Repository } from '../../src/repository/repository.ts';
import { decide } from '../../src/steering/decide.ts';
import { type WorkCopy, workCopy } from '../git/work-copy.ts';
import { ada, run as anyRun, settingsOf, task, verifierOutputs } from '../steering/samples.ts';
import { type Story, story } from '../steering/story.ts';
import { hostile } from './samples.ts';

export const at = { owner: 'acme', repo: 'api' } as const;
const branch = 'coxswain/fix-the-clock-1a2b3c';
type Files = Parameters<WorkCopy['commit']>[0];

/** A branch with two changed files, one of them with a hostile name. */
export async function pushBranch(repository: Repository): Promise<{ base: string; head: string }> {
  const clock = `// ${hostile}\nexport const now = () => fixed ?? new Date();\n`;
  return pushCommit(repository, { 'src/clock.ts': clock, '<b>odd</b>.md': hostile }, 'main');
}

/** Puts a commit on the run's branch, on top of what another one, or the same, has. */
export async function pushCommit(
  { remote }: Repository,
  files: Files,
  onto: string = branch,
): Promise<{ base: string; head: string }> {
  const copy = await workCopy();
  const token = await remote.token?.();
  const url = remote.url.replace('http://', `http://x-access-token:${token}@`);
  await copy.git('fetch', '--quiet', url, onto);
  await copy.git('checkout', '--quiet', '-b', branch, 'FETCH_HEAD');
  const base = await copy.git('rev-parse', 'HEAD');
  const head = await copy.commit(files);
  await copy.git('push', '--quiet', '--force', url, branch);
  await copy.remove();
  return { base, head };
}

/** The draft pull request of that branch, with the label and one comment. */
export async function openPull(ada: Connection): Promise<number> {
  const title = `Fix the clock ${hostile}`;
  const { data } = await ada.rest.pulls.create({ ...at, head: branch, base: 'main', draft: true, title });
  await ada.rest.issues.addLabels({ ...at, issue_number: data.number, labels: ['coxswain'] });
  await ada.rest.issues.createComment({ ...at, issue_number: data.number, body: `Hello ${hostile}` });
  return data.number;
}

interface RunOptions {
  readonly repository: Repository;
  readonly number: number;
  readonly base: string;
  readonly head: string;
  readonly issue: number;
}

/** A run that waits for approval. */
export function runThatWaits({ repository, number, base, head, issue }: RunOptions): Story {
  const run = story();
  run.newCommit = () => head;
  const names = { id: `acme/api#${number}`, repository_id: repository.id, owner: 'acme', repo: 'api' };
  const identity = {
    ...names,
    number,
    branch,
    base: 'main',
    head: base,
    issue,
    presenter: 'action',
  } as const;
  const asked = { ...task, id: `acme/api#${issue}` };
  const started = {
    run: { ...anyRun, ...identity },
    task: asked,
    settings: settingsOf(),
    by: ada,
    source: null,
  };
  run.apply({ type: 'run_started', ...started });
  run.agent.finishes({ summary: `Pinned the clock. ${hostile}` });
  const verifiers = verifierOutputs(settingsOf()).map((output) => ({ ...output, stdout: hostile }));
  const changes = { files: [], summary: '2 files changed, +3, -1' };
  return run.apply({ type: 'verified', hold: run.hold, head, verifiers, changes, gates: [], duration_s: 4 });
}

/** Writes the new events of a story to the ledger. */
export function ledgerOf(repository: Repository, number: number, data: string) {
  const ledger = openLedger({
    dir: join(data, 'writer'),
    remote: repository.remote,
    repositoryId: repository.id,
    presenter: 'action',
    number,
    onFault: (fault) => Promise.reject(fault),
  });
  let recorded = 0;
  return {
    async record({ events }: Story): Promise<void> {
      for (const event of events.slice(recorded)) await ledger.record(event, (state) => decide(state, event));
      recorded = events.length;
    },
    close: () => ledger.close(),
  };
}
