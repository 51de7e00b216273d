import { problemsIn } from './ledger-content.ts';
import { at, type Person } from './person.ts';
import type { PullClient } from './pull-client.ts';

/** The final state of a session, without what differs between sessions: times, ids and commits. */
export type FinalState = Awaited<ReturnType<typeof readFinalState>>;

/** Reads everything visible of a run that must be equal in two sessions. */
export async function readFinalState(client: Person, pull: PullClient) {
  const { state, draft, labels, head } = await pull.details();
  const ledger = await pull.ledger();
  const { iterations, iteration, attempt, owed, queue, standing, approvals } = ledger.state;
  return {
    pull: { state, draft, labels: labels.map(({ name }) => name).sort() },
    pulls: (await client.octokit.rest.pulls.list({ ...at, state: 'all' })).data.length,
    branches: (await client.octokit.rest.repos.listBranches(at)).data.length,
    problems: [
      ...problemsIn(ledger),
      ...(head.sha === ledger.state.head ? [] : ['the ledger has another head']),
    ],
    state: { phase: standing.phase, iteration, attempt, owed, queue, approvals: approvals.length },
    iterations: iterations.map(({ iteration_number, prompt, attempts, landed, verifiers }) => {
      return { iteration_number, prompt, attempts, landed, verifiers };
    }),
    said: ledger.events.filter(({ type }) => type === 'said').length,
    ...(await readComments(client, pull)),
    checks: await checksOf(client, head.sha),
  };
}

/** Counts the App's comments by kind, and its reactions to each comment by a person. */
async function readComments(client: Person, pull: PullClient) {
  const place = { ...at, issue_number: pull.number, per_page: 100 };
  const { data: comments } = await client.octokit.rest.issues.listComments(place);
  const markers = comments.flatMap(({ body = '' }) => body.match(/<!-- coxswain:\w+ \S+ -->\s*$/) ?? []);
  const reactions = comments
    .filter(({ user }) => user?.login !== 'coxswain[bot]')
    .map(({ body, reactions: counts }) => ({
      said: (body ?? '').split(' ')[0],
      rocket: counts?.rocket,
      confused: counts?.confused,
    }));
  return {
    asks: markers.filter((marker) => marker.includes(':ask ')).length,
    replies: markers.filter((marker) => marker.includes(':reply ')).length,
    repeated: markers.length - new Set(markers).size,
    reactions,
  };
}

async function checksOf(client: Person, ref: string) {
  const place = { ...at, ref, filter: 'all', per_page: 100 } as const;
  const { data } = await client.octokit.rest.checks.listForRef(place);
  return data.check_runs.map(({ name, conclusion }) => `${name}: ${conclusion}`).sort();
}
