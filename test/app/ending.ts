import { flawsOf } from './ledger-story.ts';
import { at, type Person } from './person.ts';
import type { PullStory } from './pull-story.ts';

/** How a session ended, without what differs from one to the next: times, ids and commits. */
export type Ending = Awaited<ReturnType<typeof endingOf>>;

/** Everything anybody can see of a run afterwards, as far as two sessions can be compared in it. */
export async function endingOf(eyes: Person, pull: PullStory) {
  const { state, draft, labels, head } = await pull.facts();
  const ledger = await pull.ledger();
  const { iterations, iteration, attempt, owed, queue, standing, approvals } = ledger.state;
  return {
    pull: { state, draft, labels: labels.map(({ name }) => name).sort() },
    pulls: (await eyes.octokit.rest.pulls.list({ ...at, state: 'all' })).data.length,
    branches: (await eyes.octokit.rest.repos.listBranches(at)).data.length,
    flaws: [...flawsOf(ledger), ...(head.sha === ledger.state.head ? [] : ['another head in the ledger'])],
    state: { phase: standing.phase, iteration, attempt, owed, queue, approvals: approvals.length },
    iterations: iterations.map(({ iteration_number, prompt, attempts, landed, verifiers }) => {
      return { iteration_number, prompt, attempts, landed, verifiers };
    }),
    said: ledger.events.filter(({ type }) => type === 'said').length,
    ...(await saidIn(eyes, pull)),
    checks: await checksOf(eyes, head.sha),
  };
}

/** The App's comments by kind, with each marker once, and its reactions to each comment of people. */
async function saidIn(eyes: Person, pull: PullStory) {
  const place = { ...at, issue_number: pull.number, per_page: 100 };
  const { data: comments } = await eyes.octokit.rest.issues.listComments(place);
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

async function checksOf(eyes: Person, ref: string) {
  const place = { ...at, ref, filter: 'all', per_page: 100 } as const;
  const { data } = await eyes.octokit.rest.checks.listForRef(place);
  return data.check_runs.map(({ name, conclusion }) => `${name}: ${conclusion}`).sort();
}
