import type { Command as CommandLine } from 'commander';
import { secondsOf } from '../../config/schema/schema-forms.ts';
import type { GitHubReader } from '../../doors/reading/from-github.ts';
import { ownLedger, proofOf } from '../../doors/reading/proven-ledger.ts';
import type { RunReport } from '../../doors/report/report-shapes.ts';
import { runReport } from '../../doors/report/run-report.ts';
import { awaitEvent, foreseen, outcomeOf } from '../../doors/speech/await-outcome.ts';
import { composed, Unsayable } from '../../doors/speech/compose-comment.ts';
import { type Posted, post } from '../../doors/speech/post-comment.ts';
import type { Draft, Said, Voice } from '../../doors/speech/say-draft.ts';
import { inTemporaryFolder } from '../../git/temporary-folder.ts';
import { hasLabel, ourLabel } from '../../github/names.ts';
import { MissingPermission } from '../../github/octokit/fault.ts';
import { factsOf } from '../../github/read/pulls.ts';
import { ownRole } from '../../github/read/roles.ts';
import type { LedgerStep } from '../../ledger/ledger-steps.ts';
import type { Command } from '../../steering/commands/index.ts';
import { sayableIn } from '../../steering/phases/table.ts';
import type { Person as Speaker } from '../../steering/shapes/people.ts';
import type { State } from '../../steering/state/state.ts';
import { phaseSentence, refusalText } from '../../words/index.ts';
import { formatOf, forTerminal, print, type RunOptions } from '../terminal/command-output.ts';
import { awaitInterruption, Ended, exitCodeFor, exitCodes, UsageError } from '../terminal/exit.ts';
import { givenEnvironment } from '../terminal/own-environment.ts';
import type { Person } from '../terminal/signed-in-person.ts';
import { findRun, type RunPlace, runName } from '../terminal/which-run.ts';

export interface ActingOptions extends RunOptions {
  /** How long to wait until it is taken up, or false. */
  readonly wait: string | false;
}

/** What a person sees of a run before they say something on it. */
export interface Seen {
  readonly place: RunPlace;
  /** Undefined if its ledger is lost. */
  readonly state: State | undefined;
  /** What doors say of the state, if there is one. */
  readonly report: RunReport | undefined;
  /** The newest commit of the branch, as GitHub has it. */
  readonly head: string;
  /** Why the state is not proven to be Coxswain's; undefined if it is. */
  doubt(): Promise<string | undefined>;
}

/** What is to be said on a run, and what comes before and after it. */
export interface Act {
  readonly action: string;
  command(seen: Seen): Command | Promise<Command>;
  /** Throws if the person does not want it after all. */
  confirm?(seen: Seen): Promise<void>;
  /** What else is told once it is done. */
  readonly hint?: (seen: Seen) => string;
}

const fields = ['run', 'action', 'status', 'comment', 'pull_request', 'phase', 'head_sha', 'place', 'reply'];

/** Says something on a run as the person, and tells what came of it; the number is the exit code. */
export async function act({ run, output, wait }: ActingOptions, doing: Act): Promise<number> {
  formatOf(output, fields);
  const waitMs = waitOf(wait);
  const { place, person } = await findRun(run);
  const { pull, by } = await whoAndWhere(place, person);
  const remote = { url: `${pull.repository}.git`, token: async () => person.token };
  return inTemporaryFolder('ledger', (folder) =>
    untilInterrupted(async (signal) => {
      const ledger = await ownLedger(folder, remote, place.number);
      const newest = await ledger.newest();
      const state = newest?.state;
      if (state === undefined && !pull.isRun)
        throw new Ended(exitCodes.refused, `${runName(place)} is not a run: it has no ledger`);
      const report = state && runReport(state, { web: pull.repository, trust: 'unverified' });
      const { octokit } = person;
      const app = givenEnvironment()['COXSWAIN_APP'];
      const fetched = newest && { at: place, pull: pull.facts, ledger: newest, ...ledger };
      const doubt = async () => fetched && (await proofOf(octokit, fetched, app)).doubt;
      const seen = { place, state, report, head: pull.facts.head_sha, doubt };
      const command = await doing.command(seen);
      const text = commentFor(command);
      const refusal = state && foreseenRefusal(state, command, by, pull.repository);
      if (refusal !== undefined) throw new Ended(exitCodes.refused, `${refusal} Nothing was posted.`);
      await doing.confirm?.(seen);
      signal.throwIfAborted();
      const { owner, repo, number } = place;
      const posted = await post({ person: octokit, owner, repo, number, text });
      const told = { doing, seen, posted, output, web: pull.repository };
      if (waitMs === undefined) return tell(told);
      const awaiting = { stepsSince: ledger.stepsSince, seq: state?.seq ?? -1, waitMs, signal };
      const step = await awaitEvent(posted.event, awaiting).catch((fault: unknown) => {
        throw signal.aborted ? notWaitedFor(posted, signal) : fault;
      });
      return settle(told, step);
    }),
  );
}

/** Ctrl-C ends what is waited for, so that nothing is left behind. */
export async function untilInterrupted(work: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const interruption = awaitInterruption();
  const stop = new AbortController();
  void interruption.signal.then((signal) => stop.abort(exitCodeFor(signal)));
  try {
    return await work(stop.signal);
  } catch (fault) {
    throw fault === stop.signal.reason ? new Ended(codeIn(stop.signal), 'nothing was posted') : fault;
  } finally {
    interruption.stopListening();
  }
}

/** What is said of a comment if Ctrl-C came before it was taken up. */
export function notWaitedFor({ html_url }: Posted, signal: AbortSignal): Ended {
  return new Ended(codeIn(signal), `posted ${html_url}, and not waited for`);
}

function codeIn({ reason }: AbortSignal): number {
  return Number(reason);
}

/** Adds the options that say how long a command waits, if it does. */
export function waitingOptions(command: CommandLine, usually: string): void {
  command
    .option('--wait <time>', 'how long to wait until it is taken up', usually)
    .option('--no-wait', 'only post it');
}

/** How long `--wait` says, in milliseconds; undefined for not at all. */
export function waitOf(wait: string | false): number | undefined {
  if (wait === false) return undefined;
  const seconds = secondsOf(wait);
  if (seconds !== undefined) return seconds * 1000;
  throw new UsageError(`--wait is ${JSON.stringify(wait)}: expected a time, as in --wait 30s`);
}

/** The pull request and the person, as GitHub has them. */
async function whoAndWhere({ owner, repo, number }: RunPlace, { octokit }: Person) {
  const [{ data: pull }, { data: repository }, login] = await Promise.all([
    octokit.rest.pulls.get({ owner, repo, pull_number: number }),
    octokit.rest.repos.get({ owner, repo }),
    loginOf(octokit),
  ]);
  const labels = pull.labels.map(({ name }) => name);
  return {
    pull: { repository: repository.html_url, facts: factsOf(pull), isRun: hasLabel(labels, ourLabel) },
    by: { ...login, role: ownRole(repository.permissions ?? {}), bot: false } satisfies Speaker,
  };
}

async function loginOf(octokit: Person['octokit']): Promise<Pick<Speaker, 'login' | 'id'>> {
  try {
    const { login, id } = (await octokit.rest.users.getAuthenticated()).data;
    return { login, id };
  } catch (fault) {
    if (!(fault instanceof MissingPermission)) throw fault;
    throw new Ended(
      exitCodes.refused,
      'this token is an App’s or a workflow’s, and runs are steered by people: use a token of your own',
      { cause: fault },
    );
  }
}

function commentFor(command: Command): string {
  try {
    return composed(command);
  } catch (fault) {
    throw fault instanceof Unsayable ? new UsageError(fault.message) : fault;
  }
}

/** Why it would only be refused, so that it is not posted; undefined as far as is known. */
function foreseenRefusal(state: State, command: Command, by: Speaker, web: string): string | undefined {
  const refusal = foreseen(state, command, { by, at: new Date().toISOString() });
  return refusal && forTerminal(refusalText(refusal, { possible: sayableIn(state), web }));
}

interface Told {
  readonly doing: Act;
  readonly seen: Seen;
  readonly posted: Posted;
  readonly output: string;
  readonly web: string;
}

async function settle(told: Told, step: LedgerStep | undefined): Promise<number> {
  const { seen, posted, web } = told;
  const name = runName(seen.place);
  if (step === undefined)
    throw new Ended(
      exitCodes.waiting,
      `posted ${posted.html_url}; Coxswain has not taken it up yet: coxswain status --run ${name}`,
    );
  const { accepted, reply, place } = await outcomeOf(step, web);
  const said = reply === undefined ? '' : forTerminal(reply);
  if (!accepted) throw new Ended(exitCodes.refused, `${said || 'it was not taken up'} (${posted.html_url})`);
  return tell(told, { state: step.after, reply: said, place });
}

function tell(
  { doing, seen, posted, output, web }: Told,
  taken?: { readonly state: State; readonly reply: string; readonly place: number | undefined },
): number {
  const name = runName(seen.place);
  const pull_request = `${web}/pull/${seen.place.number}`;
  const isResolved = doing.action in resolutions;
  const value = {
    run: name,
    action: doing.action,
    status: taken === undefined ? 'posted' : isResolved ? 'resumed' : 'accepted',
    comment: posted.html_url,
    pull_request,
    phase: taken?.state.standing.phase ?? null,
    head_sha: taken?.state.head ?? seen.head,
    place: taken?.place ?? null,
    reply: taken?.reply ?? null,
  };
  const lines = [
    taken === undefined ? `Posted on ${name}: ${posted.html_url}` : `${name}: ${phaseSentence(taken.state)}`,
    taken?.reply,
    pull_request,
    doing.hint?.(seen),
  ];
  print(output, { value, fields, text: () => lines.filter(Boolean).join('\n') });
  return exitCodes.done;
}

/** What ends an interrupt, which then says that the run has resumed. */
const resolutions = { retry: true, spawn: true, abandon: true };

/** Who says it, and how they read what they say it on. */
export interface Speaking {
  readonly reader: GitHubReader;
  readonly person: Person;
}

/** A draft of somebody at a terminal. */
export interface OwnDraft extends Draft {
  readonly place: RunPlace;
}

/** Reads a run again, and what is to be said on it. Throws `Ended` if it would only be refused. */
export async function drafted(
  { reader, person }: Speaking,
  place: RunPlace,
  command: (seen: Seen) => Command | Promise<Command>,
): Promise<OwnDraft> {
  const { pull, by } = await whoAndWhere(place, person);
  const { report: state, doubt } = await reader.state(place);
  const web = pull.repository;
  const report = runReport(state, { web, trust: doubt === undefined ? 'verified' : 'unverified' });
  const head = pull.facts.head_sha;
  const meant = await command({ place, state, report, head, doubt: async () => doubt });
  const refusal = foreseenRefusal(state, meant, by, web);
  if (refusal !== undefined) throw new Ended(exitCodes.refused, refusal);
  return { place, report, text: commentFor(meant), user_id: by.id, web };
}

/** How somebody at a terminal speaks, where there is no key to seal with. */
export function voiceOf({ reader, person }: Speaking): Voice<OwnDraft> {
  return { person: person.octokit, stepsSince: ({ place }, seq) => reader.stepsSince(place, seq) };
}

/** What came of a comment, in one line. */
export function saidText(said: Said): string {
  if (said.status === 'posted') return `posted, and not taken up yet: ${said.comment}`;
  if (said.status === 'accepted') return phaseSentence(said.state);
  return `refused: ${forTerminal(said.reply) || 'it was not taken up'}`;
}
