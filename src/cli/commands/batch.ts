import { setTimeout } from 'node:timers/promises';
import type { Command as CommandLine } from 'commander';
import type { GitHubReader } from '../../doors/reading/from-github.ts';
import { NotAvailable } from '../../doors/reading/reader.ts';
import { runReport } from '../../doors/report/build.ts';
import type { InboxEntry } from '../../doors/report/shapes.ts';
import { awaitEvent, foreseen, outcomeOf } from '../../doors/speech/outcome.ts';
import { type Posted, post } from '../../doors/speech/post.ts';
import { shortSha } from '../../steering/phrases/short-sha.ts';
import { possibleIn } from '../../steering/table.ts';
import { visible } from '../../text/visible.ts';
import { phaseSentence, refusalText } from '../../words/index.ts';
import { confirmed } from '../confirm.ts';
import { Ended, exitCodes, UsageError } from '../exit.ts';
import { endOfFault } from '../github-faults.ts';
import { forTerminal } from '../markdown.ts';
import { formatOf, print, table } from '../output.ts';
import { givenEnvironment, webFrom } from '../own-environment.ts';
import { type Person, personOn } from '../person.ts';
import { type Filters, filterOf, filterOptions } from '../reading/lists.ts';
import { withGitHub } from '../reading/with-reader.ts';
import { type RunPlace, repositoryNamed, runName } from '../which-run.ts';
import { type Act, commentFor, type Seen, waitOf, whoAndWhere } from './acting.ts';

export interface BatchOptions extends Filters {
  readonly output: string;
  readonly wait: string | false;
  readonly max?: string;
  readonly yes?: boolean;
}

/** What many runs can be settled with at once. */
const asked: Partial<Record<string, readonly InboxEntry['kind'][]>> = {
  approve: ['approval', 'stage'],
  retry: ['interrupt'],
  abandon: ['interrupt'],
};

export function batchOptions(command: CommandLine): void {
  command.option('--all', 'every run that waits for this: shows which, asks once, says it one by one');
  filterOptions(command).option('--max <n>', 'with --all: so many at most', '50');
  if (!command.options.some(({ long }) => long === '--yes'))
    command.option('-y, --yes', 'with --all: ask nothing');
}

/**
 * Says the same on every run that waits for it. They are shown before, and what was shown is what is said: an
 * approval names the commit. What is risky or not verified is left to people who look at it alone.
 */
export async function settleAll(options: BatchOptions, doing: Act): Promise<number> {
  const { output, repo, yes = false, wait, max = '50' } = options;
  formatOf(output, fields);
  const waitMs = waitOf(wait) ?? 0;
  const isMeant = filterOf(options);
  if (!/^[1-9]\d{0,3}$/.test(max)) throw new UsageError(`--max is ${JSON.stringify(max)}: expected a number`);
  if (repo !== undefined) await repositoryNamed(repo);
  const person = await personOn(webFrom(givenEnvironment()));
  return withGitHub(person, async (reader) => {
    const { entries, left_out } = await reader.inbox(repo);
    const kinds = asked[doing.action];
    const meant = entries.filter((entry) => isMeant(entry) && (kinds?.includes(entry.kind) ?? true));
    const looked = await lookAtEach({ reader, person, doing }, meant, Number(max));
    const ready = looked.filter((one) => 'text' in one);
    const skipped = looked.filter((one) => 'why' in one);
    if (meant.length > looked.length)
      process.stderr.write(`Only ${looked.length} of ${meant.length} are looked at: --max names more.\n`);
    process.stderr.write(visible(overview(doing.action, ready, skipped)));
    for (const sentence of left_out) process.stderr.write(`${sentence}\n`);
    const results: Result[] = skipped.map(leftOut);
    if (ready.length > 0) {
      const question = `Say /${doing.action} on ${ready.length === 1 ? 'this run' : `these ${ready.length} runs`}?`;
      if (!(await confirmed(question, yes))) throw new Ended(exitCodes.refused, 'nothing was posted');
    }
    const tell = (result: Result) => {
      results.push(result);
      if (output === 'table') process.stdout.write(visible(`${result.run}: ${result.result}\n`));
    };
    const saying = sayEach({ reader, person, doing }, ready, waitMs, tell);
    const fault: unknown = await saying.catch((thrown: unknown) => thrown);
    const code = summed(results, output);
    // Whoever runs it again goes on where it stopped.
    if (fault !== undefined) throw fault;
    return code;
  });
}

interface Batch {
  readonly reader: GitHubReader;
  readonly person: Person;
  readonly doing: Act;
}

/** A run that is to be settled, as it was shown. */
interface Ready {
  readonly place: RunPlace;
  readonly title: string;
  readonly head_sha: string;
  readonly risk: string;
  readonly text: string;
  readonly user_id: number;
  /** When people were asked, and the number of the ledger's entry that asked. */
  readonly asked_at: string;
  readonly asked_seq: number;
  readonly web: string;
}

interface Skipped {
  readonly place: RunPlace;
  readonly why: string;
}

async function lookAtEach(
  batch: Batch,
  entries: readonly InboxEntry[],
  max: number,
): Promise<readonly (Ready | Skipped)[]> {
  const looked: (Ready | Skipped)[] = [];
  for (const { run } of entries.slice(0, max)) looked.push(await lookAt(batch, placeOf(batch.person, run)));
  return looked;
}

/** Asks GitHub and the ledger again: what a list says is not proven. */
async function lookAt({ reader, person, doing }: Batch, place: RunPlace): Promise<Ready | Skipped> {
  try {
    const { pull, by } = await whoAndWhere(place, person);
    const { report: state, doubt } = await reader.state(place);
    const report = runReport(state, { web: pull.repository, trust: 'unverified' });
    const request = report.approval_request;
    const risk = request?.risk_level ?? report.risk_level ?? 'not known';
    if (doubt !== undefined) return { place, why: `not verified: ${doubt}` };
    if (request === null) return { place, why: 'it no longer waits for anybody' };
    if (
      [risk, report.risk_level].some((each) => each === 'high' || each === 'critical' || each === 'not known')
    )
      return { place, why: `its risk is ${risk}, so it has to be looked at alone` };
    const head = pull.facts.head_sha;
    const seen: Seen = { place, state, report, head, doubt: async () => doubt };
    const command = await doing.command(seen);
    const refusal = foreseen(state, command, { by, at: new Date().toISOString() });
    if (refusal !== undefined) {
      const text = refusalText(refusal, { possible: possibleIn(state), web: pull.repository });
      return { place, why: forTerminal(text).text };
    }
    return {
      ...{ place, risk, title: report.title, head_sha: report.head_sha, text: commentFor(command) },
      ...{ user_id: by.id, asked_at: request.created_at, web: pull.repository },
      asked_seq: Number(request.id.split(':')[2]),
    };
  } catch (fault) {
    // What is wrong with the command line is wrong for all of them.
    const ended = fault instanceof NotAvailable ? fault : (endOfFault(fault) ?? fault);
    if (ended instanceof UsageError) throw ended;
    if (ended instanceof NotAvailable) return { place, why: ended.message };
    if (ended instanceof Ended && ended.code === exitCodes.refused) return { place, why: ended.message };
    throw fault;
  }
}

function overview(action: string, ready: readonly Ready[], skipped: readonly Skipped[]): string {
  const rows = ready.map(({ place, head_sha, risk, title }) => [
    ...[runName(place), shortSha(head_sha), risk, title],
  ]);
  const others = skipped.map(({ place, why }) => [runName(place), why]);
  const parts = [
    rows.length === 0
      ? `No run can be settled by /${action} now.`
      : table(['run', 'commit', 'risk', 'title'], rows),
    ...(others.length === 0 ? [] : [`Left out:\n${table(['run', 'why'], others)}`]),
  ];
  return `${parts.join('\n\n')}\n\n`;
}

/** GitHub asks for a second between writes. */
const betweenMs = 1_000;

/** One after the other. Once one is not taken up in time, nobody is there, and the others are only posted. */
async function sayEach(
  { reader, person, doing }: Batch,
  ready: readonly Ready[],
  waitMs: number,
  tell: (result: Result) => void,
): Promise<void> {
  let left = waitMs;
  for (const [nth, one] of ready.entries()) {
    if (nth > 0) await setTimeout(betweenMs);
    const { place, web, asked_seq: seq } = one;
    const posted =
      (await saidBefore(person, one)) ?? (await post({ person: person.octokit, ...place, text: one.text }));
    const stepsSince = (after: number) => reader.stepsSince(place, after);
    const step = await awaitEvent(posted.event, { stepsSince, seq, waitMs: left });
    const facts = { run: runName(place), action: doing.action, comment: posted.html_url };
    if (step === undefined) {
      left = 0;
      tell({ ...facts, status: 'posted', result: `posted, and not taken up yet: ${posted.html_url}` });
    } else {
      const { accepted, reply = '' } = await outcomeOf(step, web);
      const status = accepted ? 'accepted' : 'refused';
      const why = forTerminal(reply).text || 'it was not taken up';
      tell({ ...facts, status, result: accepted ? phaseSentence(step.after) : `refused: ${why}` });
    }
  }
}

/** The same comment of this person since they were asked, as after Ctrl-C. */
async function saidBefore(
  { octokit }: Person,
  { place, text, user_id, asked_at }: Ready,
): Promise<Posted | undefined> {
  const { owner, repo, number } = place;
  const wanted = { owner, repo, issue_number: number, since: asked_at, per_page: 100 };
  const comments = await octokit.paginate(octokit.rest.issues.listComments, wanted);
  const found = comments.findLast(
    ({ user, body = '', created_at }) =>
      user?.id === user_id && body.trim() === text && Date.parse(created_at) >= Date.parse(asked_at) - 1000,
  );
  if (found === undefined) return undefined;
  const { id, html_url, created_at } = found;
  return { comment_id: id, html_url, created_at, event: `comment:${id}@${created_at}`, repeated: true };
}

interface Result {
  readonly run: string;
  readonly action: string;
  readonly status: 'accepted' | 'refused' | 'posted' | 'left_out';
  /** The comment's address. */
  readonly comment: string | null;
  readonly result: string;
}

const fields = ['run', 'action', 'status', 'comment', 'result'];

function leftOut({ place, why }: Skipped): Result {
  return { run: runName(place), action: 'none', status: 'left_out', comment: null, result: why };
}

function summed(results: readonly Result[], output: string): number {
  const count = (status: Result['status']) => results.filter((result) => result.status === status).length;
  const [accepted, refused, waiting] = [count('accepted'), count('refused'), count('posted')];
  const sentence = `${accepted} settled, ${refused} refused, ${waiting} not taken up yet, ${count('left_out')} left out.\n`;
  if (output === 'table') process.stdout.write(sentence);
  else print(output, { value: results, fields, text: () => '' });
  if (refused > 0) return exitCodes.refused;
  return waiting > 0 ? exitCodes.waiting : exitCodes.done;
}

function placeOf({ web }: Person, run: string): RunPlace {
  const [, owner = '', repo = '', number = ''] = /^([^/]+)\/([^#]+)#(\d+)$/.exec(run) ?? [];
  return { web, owner, repo, number: Number(number) };
}
