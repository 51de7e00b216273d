import { hasLabel, ourLabel } from '../../github/names.ts';
import type { LiveRuns } from '../../runs/live-runs.ts';
import type { Repository } from '../../runs/repository.ts';
import { labelNames } from './conversation.ts';
import { type GitHubReader, loadViewer } from './github-reader.ts';
import { loaded } from './loaded.ts';
import { isPull, issuesRoute, isUnderWay, type ListedIssue, runSummary } from './run-summary.ts';

/** Everything that is shown on the overview. */
export type OverviewModel = Awaited<ReturnType<typeof loadOverview>>;
export type RepositoryModel = OverviewModel['repositories'][number];
export type RepositoryLists = Awaited<ReturnType<typeof loadLists>>;
export type IssueSummary = ReturnType<typeof issueSummary>;

interface OverviewSources {
  readonly reader: GitHubReader;
  readonly liveRuns: LiveRuns;
}

/** Many repositories are read less often, so that a page left open costs at most ten requests a second. */
const maxAgePerRepositoryMs = 300;

export async function loadOverview(repositories: readonly Repository[], sources: OverviewSources) {
  const maxAgeMs = Math.max(1000, repositories.length * maxAgePerRepositoryMs);
  const models = repositories.map(async (repository) => {
    const { owner, name: repo } = repository;
    const lists = loadLists(repository, { ...sources, maxAgeMs });
    return { owner, repo, lists: await loaded(`${owner}/${repo}`, lists) };
  });
  return { repositories: await Promise.all(models) };
}

const perPage = 100;
const maxEnded = 20;

async function loadLists(repository: Repository, sources: OverviewSources & { readonly maxAgeMs: number }) {
  const { reader, liveRuns } = sources;
  const all = { owner: repository.owner, repo: repository.name, sort: 'updated' } as const;
  // Runs have this label, whichever one starts them.
  const ours = { ...all, labels: ourLabel };
  const [open, running, ended, trigger, viewer] = await Promise.all([
    reader.get(issuesRoute, { ...all, state: 'open', per_page: perPage }, sources),
    reader.get(issuesRoute, { ...ours, state: 'open', per_page: perPage }, sources),
    reader.get(issuesRoute, { ...ours, state: 'closed', per_page: maxEnded }, sources),
    liveRuns.triggers.of(repository),
    loadViewer(reader, all),
  ]);
  const pulls = [...running.data, ...ended.data].filter(isPull);
  const runs = pulls.map((pull) => runSummary(pull, repository, liveRuns));
  const taken = new Set(runs.filter(isUnderWay).map(({ status }) => status?.issue));
  const free = open.data.filter((issue) => !isPull(issue) && !taken.has(issue.number));
  return {
    /** The label that starts a run there. */
    trigger,
    /** The viewer's role there; null if GitHub does not say. */
    role: viewer.role,
    /** Open issues that no live run belongs to. */
    issues: free.map((issue) => issueSummary(issue, trigger)),
    runs,
    /** Whether there are more than are listed here. */
    more: open.pages > 1 || running.pages > 1,
  };
}

function issueSummary({ number, title, user, updated_at, labels }: ListedIssue, trigger: string) {
  // Whether it already has the trigger label.
  const labelled = hasLabel(labelNames(labels), trigger);
  return { number, title, author: user?.login ?? 'ghost', at: updated_at, labelled };
}
