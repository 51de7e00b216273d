import { unlessGone } from '../../github/octokit/fault.ts';
import { type PullFacts, readPull } from '../../github/read/pulls.ts';
import { repoParams } from '../../github/read/repository-ref.ts';
import { humanText, readBlock } from '../../github/show/block.ts';
import type { LedgerLoss, Task } from '../../steering/shapes/task.ts';
import type { EventOf } from '../../steering/state/event.ts';
import type { StartRefusal } from '../../words/start-texts.ts';
import { drawnBefore, renderedSeq } from '../run/drawn-seq.ts';
import type { Run } from '../run/run.ts';
import type { Services } from '../run/services.ts';
import { signsCommits } from '../start/signed-claim.ts';
import { taskOf } from '../start/task.ts';

/** A /resume on a run whose ledger is lost. */
export interface AdoptingAnew {
  readonly run: Run;
  readonly event: EventOf<'said'>;
  readonly lost: LedgerLoss;
  readonly services: Services;
}

/**
 * Begins the run of a pull request anew after its ledger was lost; idempotent. Nothing is read back: the task
 * is what GitHub shows now, which the reply quotes, and the people are unknown. Returns the reason if it is
 * not possible.
 */
export async function adoptAnew(adopting: AdoptingAnew): Promise<StartRefusal | undefined> {
  const { run, event, lost, services } = adopting;
  const { repository, number } = run;
  const pull = await readPull(repository.octokit, repository, number);
  if (pull.from_fork) return { why: 'fork' };
  if (!pull.open) return { why: 'pull_closed' };
  const { base_ref: base, default_branch } = pull;
  const reading = await run.readSettings({ base, default_branch });
  if (reading.outcome === 'misconfigured') return { why: 'misconfigured', reading };
  const issue = await linkedIssue(run, pull);
  const { settings } = reading;
  const signs = await signsCommits(repository, { base, settings, branch: pull.head_ref });
  const { owner, name: repo, id: repository_id } = repository;
  const { id, at, by, source } = event;
  await run.beginAnew({
    ...{ type: 'run_started', id, at, by, source, settings },
    run: {
      ...{ id: run.name, repository_id, owner, repo, number, presenter: services.presenter },
      ...{ branch: pull.head_ref, base, head: pull.head_sha, issue: issue?.number ?? null, adopted: true },
    },
    task: taskNow(run, pull, issue),
    people_unknown: true,
    ...(signs && { signs }),
    lost: { how: lost, seq: await highestSeq(pull, adopting) },
  });
  return undefined;
}

/** More than any run can have: whoever writes another number into a block that is not sealed means harm. */
const maxSeq = 1_000_000;

/** What is drawn with a lower number than what is there is taken for old. */
async function highestSeq(pull: PullFacts, { run, services: { seals } }: AdoptingAnew): Promise<number> {
  const drawn = await drawnBefore(run, pull);
  const inBody =
    seals === undefined ? (readBlock(pull.body, run.name)?.seq ?? 0) : renderedSeq(pull.body, run, seals);
  return Math.max(drawn.seq, run.newest?.seq ?? 0, inBody < maxSeq ? inBody : 0);
}

/** By the words of our own description, which anyone may have changed who can write: the reply quotes it. */
async function linkedIssue({ repository }: Run, { body, created_at }: PullFacts) {
  const [, named] = /\b(?:closes|part of) #(\d{1,9})\b/i.exec(body) ?? [];
  if (named === undefined) return undefined;
  const place = { ...repoParams(repository), issue_number: Number(named) };
  const found = await unlessGone(() => repository.octokit.rest.issues.get(place), created_at);
  return found?.data.pull_request === undefined ? found?.data : undefined;
}

type Issue = Awaited<ReturnType<typeof linkedIssue>>;

function taskNow(
  { repository, number, name }: Run,
  { title, body, base_ref }: PullFacts,
  issue: Issue,
): Task {
  const text = issue === undefined ? `${title}\n\n${humanText(body, name)}` : '';
  const linked = issue && { number: issue.number, title: issue.title, body: issue.body ?? '', open: true };
  const request = { cause: `pull-${number}`, issue: linked ?? null, text };
  return taskOf(request, `${repository.owner}/${repository.name}`, base_ref);
}
