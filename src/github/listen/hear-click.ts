import type { Command } from '../../steering/commands/index.ts';
import type { GitHubEventOf } from '../events/github-event.ts';
import { isDecisionOn } from '../names.ts';
import { openPullsAt } from '../read/pulls.ts';
import { repoParams } from '../read/repository-ref.ts';
import { type Heard, type Hearing, toCommandEvent } from './heard.ts';

/** A button stands for a command on the commit of its check run. It cannot carry a reason. */
export async function translateClick(incoming: GitHubEventOf<'click'>, context: Hearing): Promise<Heard[]> {
  const { check_run_id, external_id, identifier, head_sha, sender } = incoming;
  const command = commandOf(incoming);
  const number = numberIn(external_id);
  if (command === undefined || number === undefined) return [];
  const given = {
    repository: incoming.repository,
    number,
    // One check run may ask one thing after another.
    id: `click:${isOfAgent(external_id) ? external_id : `${number}:${check_run_id}`}:${identifier}:${sender.id}`,
    at: null,
    author: sender,
    command,
    source: { from: 'click', check_run_id, head_sha, interaction: external_id },
  } as const;
  return toCommandEvent(given, context);
}

/** What an agent at work asks is shown on a check run that is not completed, and so is drawn again. */
function isOfAgent(external_id: string): boolean {
  return /^(?:permission|question):/.test(external_id);
}

function commandOf({ identifier, head_sha, external_id }: GitHubEventOf<'click'>): Command | undefined {
  switch (identifier) {
    case 'approve':
      return { type: 'approve', sha: head_sha, despite: [] };
    case 'reject':
      return { type: 'reject', reason: '' };
    case 'retry':
      return { type: 'retry' };
    case 'spawn':
      return { type: 'spawn', tasks: [] };
    case 'abandon':
      return { type: 'abandon', reason: '' };
    case 'allow_once':
      return { type: 'allow', scope: 'once' };
    case 'allow_always':
      return { type: 'allow', scope: 'always' };
    case 'deny':
      return { type: 'deny', reason: '' };
    case 'cancel':
      return { type: 'cancel' };
    case 'answer_1':
    case 'answer_2':
    case 'answer_3':
      return { type: 'answer', question: external_id, text: identifier.slice(-1) };
  }
  return undefined;
}

/** "Re-run" means `/verify`: the verifiers run again on the same commit, without the agent. */
export async function translateRecheck(
  incoming: GitHubEventOf<'recheck'>,
  context: Hearing,
): Promise<Heard[]> {
  const { suite_id, head_sha, sender } = incoming;
  const check = incoming.check_run ?? (await ourCheckIn(incoming, context));
  const number = await numberOf(incoming, context);
  if (check === undefined || number === undefined) return [];
  const given = {
    repository: incoming.repository,
    number,
    id: `recheck:${suite_id}@${incoming.at}`,
    at: incoming.at,
    author: sender,
    command: { type: 'verify' },
    source: { from: 'click', check_run_id: check.id, head_sha, interaction: check.external_id },
  } as const;
  return toCommandEvent(given, context);
}

type Recheck = GitHubEventOf<'recheck'>;

async function ourCheckIn({ repository, suite_id }: Recheck, { octokit }: Hearing) {
  const place = { ...repoParams(repository), check_suite_id: suite_id, per_page: 100 };
  for await (const { data } of octokit.paginate.iterator(octokit.rest.checks.listForSuite, place)) {
    const check = data.find(({ external_id }) => isDecisionOn(numberIn(external_id ?? '') ?? 0, external_id));
    if (check !== undefined) return { id: check.id, external_id: check.external_id ?? '' };
  }
  return undefined;
}

/** GitHub lists no pull requests if the head is in a fork, or was when the suite was created. */
async function numberOf(incoming: Recheck, { octokit }: Hearing): Promise<number | undefined> {
  const known = numberIn(incoming.check_run?.external_id ?? '') ?? incoming.numbers[0];
  if (known !== undefined) return known;
  return (await openPullsAt(octokit, incoming.repository, incoming.head_sha))[0];
}

/** An interaction's id is `<kind>:<pull request>:<seq>`. */
function numberIn(external_id: string): number | undefined {
  const found = /^[a-z_]+:(\d+):\d+$/.exec(external_id);
  return found?.[1] === undefined ? undefined : Number(found[1]);
}
