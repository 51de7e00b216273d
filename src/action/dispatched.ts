import type { GitHubEvent, GitHubEventOf } from '../github/events/github-event.ts';
import { dispatchedCommand } from '../github/listen/dispatched-command.ts';
import { LedgerOfApp } from '../ledger/errors.ts';
import type { LiveRuns } from '../runs/live/live-runs.ts';
import type { Repository } from '../runs/repository/repository.ts';
import type { Run } from '../runs/run/run.ts';
import { webOf } from '../runs/run/sources.ts';
import type { State } from '../steering/state/state.ts';
import { refusalText } from '../words/index.ts';
import { runAgainText } from '../words/starting.ts';

/** Whether a manual start says something on a run. */
export function isCommand(incoming: GitHubEvent): incoming is GitHubEventOf<'dispatch'> {
  return incoming.kind === 'dispatch' && dispatchedCommand(incoming) !== undefined;
}

interface Saying {
  readonly repository: Repository;
  readonly liveRuns: LiveRuns;
  /** Records what is said. */
  readonly handling: () => Promise<void>;
}

/**
 * Says on a run what the inputs say. Whoever started the workflow looks at its job, so what is wrong fails
 * that: throws if it is none, if there is no such run, or if it is refused.
 */
export async function sayOnRun(
  incoming: GitHubEventOf<'dispatch'>,
  { repository, liveRuns, handling }: Saying,
): Promise<void> {
  const said = dispatchedCommand(incoming);
  if (said === undefined) return;
  if ('problem' in said) throw new Error(said.problem);
  const run = liveRuns.of(repository, said.number);
  const web = webOf(repository);
  const known = await knownOf(run, web);
  // Somebody with maintain begins a run anew whose ledger is lost.
  if (known === undefined && said.command.type !== 'resume') throw new Error(noRun(run));
  const id = `dispatch:${incoming.run_id}`;
  const { again_by, sender } = incoming;
  const isRecorded = typeof known === 'object' && known.seen.has(id);
  if (again_by !== undefined && !isRecorded)
    throw new Error(`${run.name}: ${runAgainText({ by: sender.login, again_by })}`);
  await handling();
  const { newest } = run;
  if (newest === undefined) throw new Error(noRun(run));
  const refusal = refusalIn(newest, id, web);
  if (refusal !== undefined) throw new Error(`${run.name}: ${refusal}`);
}

/** What cannot be read is told on the pull request, when the command is recorded. */
async function knownOf(run: Run, web: string) {
  return run.readLedger().catch((fault: unknown) => {
    if (!(fault instanceof LedgerOfApp)) return 'lost';
    throw new Error(
      `the App presents ${run.name}, and only it writes there: say it as a comment on ${web}/pull/${run.number}`,
      { cause: fault },
    );
  });
}

function noRun({ name }: Run): string {
  return `${name} is no run: expected the number of a pull request that is one, which has the label coxswain`;
}

/** The refusal that the run still has to post as a reply to this event. */
function refusalIn({ owed }: State, id: string, web: string): string | undefined {
  const reply = owed.find((effect) => effect.do === 'reply' && effect.id.startsWith(`${id}:`));
  if (reply?.do !== 'reply' || reply.words.say !== 'refused') return undefined;
  const { refusal, possible } = reply.words;
  return refusalText(refusal, { possible, web });
}
