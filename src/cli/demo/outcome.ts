import { git } from '../../git/git.ts';
import { inTemporaryFolder } from '../../git/temporary-folder.ts';
import { readBlock } from '../../github/show/block.ts';
import { shownPhase } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import { type Demo, personClient } from './start.ts';

/** The result of the session, read afterwards from GitHub's API and Git like any other client. */
export async function readOutcome(demo: Demo, number: number, durationMs: number) {
  const requests = requestsOf(demo);
  const { owner, repo, forge, people } = demo;
  const client = personClient(forge, people.ada);
  const { data: pull } = await client.rest.pulls.get({ owner, repo, pull_number: number });
  const block = readBlock(pull.body ?? '');
  if (block === undefined) throw new Error(`pull request #${number} has no block in its body`);
  const { ledger, state, log } = await readLedger(demo, block.ledger);
  const outcome = {
    run: block.run,
    pull_request: {
      number,
      url: pull.html_url,
      draft: pull.draft ?? false,
      state: pull.state,
      labels: pull.labels.map(({ name }) => name),
      body: pull.body ?? '',
    },
    phase: shownPhase(state),
    iterations: state.iterations,
    // Of all iterations together.
    attempts: state.iterations.reduce((total, { attempts }) => total + attempts, 0),
    score: block.score,
    check_runs: await checkRuns(demo, number),
    ledger,
    requests,
    duration_ms: Math.round(durationMs),
  };
  return { outcome, log };
}

/** Only the App's requests, without those of the people. */
function requestsOf({ forge }: Demo) {
  const own = forge.requests.api.filter(({ actor }) => actor !== 'ada' && actor !== 'grace');
  const by_route: Record<string, number> = {};
  for (const { method, route } of own)
    by_route[`${method} ${route}`] = (by_route[`${method} ${route}`] ?? 0) + 1;
  return { total: own.length, writes: own.filter(({ method }) => method !== 'GET').length, by_route };
}

async function checkRuns({ forge, people, owner, repo }: Demo, number: number) {
  const client = personClient(forge, people.ada);
  const { data: commits } = await client.rest.pulls.listCommits({
    owner,
    repo,
    pull_number: number,
    per_page: 100,
  });
  const runs = await Promise.all(
    commits.map(
      async ({ sha }) => (await client.rest.checks.listForRef({ owner, repo, ref: sha })).data.check_runs,
    ),
  );
  return runs.flat().map(({ name, conclusion, head_sha }) => ({ name, conclusion, head_sha }));
}

function readLedger({ forge, people, owner, repo }: Demo, ref: string) {
  return inTemporaryFolder('ledger', async (dir) => {
    const remote = { url: `${forge.url}/${owner}/${repo}.git`, token: async () => people.ada };
    await git(['init', '--quiet', '--bare', dir]);
    await git(['fetch', '--quiet', remote.url, `+${ref}:${ref}`], { cwd: dir, remote });
    const [head, log, state] = await Promise.all([
      git(['rev-parse', ref], { cwd: dir }),
      git(['log', '--reverse', '--format=%s', ref], { cwd: dir }),
      git(['show', `${ref}:state.json`], { cwd: dir }),
    ]);
    const subjects = log.trim().split('\n');
    // Our own ledger, just written by the same version.
    const known = JSON.parse(state) as State;
    return { ledger: { ref, commits: subjects.length, head: head.trim() }, log: subjects, state: known };
  });
}
