import { Problem } from '../../doors/problem.ts';
import type { RunPlace } from '../../doors/reading/reader.ts';
import type { InboxEntry, RunReport } from '../../doors/report/report-shapes.ts';
import { runReport } from '../../doors/report/run-report.ts';
import { foreseen } from '../../doors/speech/await-outcome.ts';
import {
  type BatchCommand,
  isForMany,
  type LeftOut,
  settles,
  usualMost,
  whyAlone,
} from '../../doors/speech/batch.ts';
import { composed, heardText } from '../../doors/speech/compose-comment.ts';
import type { Draft } from '../../doors/speech/say-draft.ts';
import type { Command } from '../../steering/commands/index.ts';
import { sayableIn } from '../../steering/phases/table.ts';
import { shortSha } from '../../steering/phrases/phrases.ts';
import type { Person } from '../../steering/shapes/people.ts';
import type { State } from '../../steering/state/state.ts';
import { shortened } from '../../text/characters.ts';
import { refusalText } from '../../words/index.ts';

/** What somebody has chosen in the inbox, and what is to be said on all of it. */
export interface Batch {
  readonly command: BatchCommand;
  /** Empty if none is given. */
  readonly reason: string;
  readonly chosen: readonly Chosen[];
}

/** A run as it was shown when it was chosen. */
export interface Chosen {
  readonly place: RunPlace;
  readonly head_sha: string;
  /** When people were asked what was shown, ISO 8601. */
  readonly waiting_since: string;
}

/** A chosen run in one field of a form, as `batchIn` reads it. */
export function chosenText({ run, head_sha, waiting_since }: ChosenEntry): string {
  return `${run} ${head_sha} ${waiting_since}`;
}

type ChosenEntry = Pick<InboxEntry, 'run' | 'head_sha' | 'waiting_since'>;

const chosenForm =
  /^(?<owner>[\w.-]+)\/(?<repo>[\w.-]+)#(?<number>[1-9]\d{0,9}) (?<head>[0-9a-f]{40,64}) (?<since>\S{1,40})$/;

/** Reads the form of the inbox, and that of the review. Throws `Problem` for what is not as expected. */
export function batchIn(fields: URLSearchParams): Batch {
  const command = fields.get('command') ?? '';
  if (!isForMany(command)) throw new Problem(400, `/${shortened(command, 40)} is said on one run at a time.`);
  const values = [...new Set(fields.getAll('run'))];
  if (values.length === 0) throw new Problem(400, 'No run is chosen: choose at least one.');
  if (values.length > usualMost)
    throw new Problem(400, `At most ${usualMost} runs are settled at once, and ${values.length} are chosen.`);
  const reason = heardText(fields.get('reason') ?? '');
  if (command === 'reject' && reason === '')
    throw new Problem(400, '/reject needs a reason: write it first.');
  return { command, reason, chosen: values.map(chosenIn) };
}

function chosenIn(value: string): Chosen {
  const {
    owner = '',
    repo = '',
    number,
    head: head_sha = '',
    since = '',
  } = chosenForm.exec(value)?.groups ?? {};
  if (number === undefined)
    throw new Problem(
      400,
      `A chosen run is ${JSON.stringify(shortened(value, 100))}: expected its name, its commit and since when it waits.`,
    );
  return { place: { owner, repo, number: Number(number) }, head_sha, waiting_since: since };
}

/** A run as the App and GitHub have it now, and who would speak on it. */
export interface Look {
  readonly state: State;
  readonly by: Person;
  /** Where the repository is on the web. */
  readonly web: string;
  /** The newest commit of the branch. */
  readonly head_sha: string;
}

/** What is said on a run of the batch, with what it is sealed for. */
export interface PageDraft extends Draft {
  readonly chosen: Chosen;
  readonly repository_id: number;
}

/** A chosen run on which nothing is said. */
export interface LeftOutRun extends LeftOut {
  readonly chosen: Chosen;
}

/**
 * What would be said on a chosen run now, or why nothing is, in Markdown. Undefined in place of a look: there
 * is no such run, or none that this person may see. `at`: now, ISO 8601. Throws `Unsayable` for a reason that
 * no comment can have.
 */
export function draftFor(
  batch: Pick<Batch, 'command' | 'reason'>,
  chosen: Chosen,
  look: Look | undefined,
  at: string,
): PageDraft | LeftOutRun {
  if (look === undefined) return { chosen, why: 'there is no such run, or you cannot see it' };
  const { state, by, web } = look;
  // The App recorded it itself, or has just read it from a ledger that it believes.
  const report = runReport(state, { web, trust: 'verified' });
  const command = commandOf(batch, report);
  const why =
    whyAlone(report, undefined) ??
    changed(batch, chosen, { report, head_sha: look.head_sha }) ??
    refused(look, command, at);
  if (why !== undefined) return { chosen, why };
  const { place } = chosen;
  const { repository_id } = state.run;
  return { chosen, place, report, text: composed(command), user_id: by.id, web, repository_id };
}

function commandOf(
  { command: type, reason }: Pick<Batch, 'command' | 'reason'>,
  { head_sha }: RunReport,
): Command {
  if (type === 'approve') return { type, sha: head_sha, despite: [] };
  return type === 'retry' ? { type } : { type, reason };
}

/** What was shown is what is said. */
function changed(
  { command }: Pick<Batch, 'command'>,
  chosen: Chosen,
  { report, head_sha: pushed }: { readonly report: RunReport; readonly head_sha: string },
): string | undefined {
  const { head_sha, approval_request } = report;
  if (head_sha !== chosen.head_sha)
    return `its commit is now ${shortSha(head_sha)}, and ${shortSha(chosen.head_sha)} was shown`;
  if (pushed !== head_sha) return `somebody has just pushed ${shortSha(pushed)}`;
  if (approval_request?.created_at !== chosen.waiting_since)
    return 'it asks for something else than was shown';
  return settles(command, approval_request) ? undefined : `/${command} does not answer what it asks`;
}

function refused({ state, by, web }: Look, command: Command, at: string): string | undefined {
  const refusal = foreseen(state, command, { by, at });
  return refusal && refusalText(refusal, { possible: sayableIn(state), web });
}
