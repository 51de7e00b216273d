import { setTimeout } from 'node:timers/promises';
import { ServerFault, type ServerReader } from '../../doors/reading/from-server.ts';
import type { RunReader } from '../../doors/reading/reader.ts';
import { runShape } from '../../doors/report/report-shapes.ts';
import { GitHubFault } from '../../github/octokit/fault.ts';
import { announcements } from '../../steering/announcements.ts';
import { isOver } from '../../steering/phases/table.ts';
import { visible } from '../../text/characters.ts';
import { phaseSentence, timeText } from '../../words/index.ts';
import type { Speaking } from '../commands/say-command.ts';
import { jsonText, tellDoubt } from '../terminal/command-output.ts';
import { exitCodes } from '../terminal/exit.ts';
import type { Person } from '../terminal/signed-in-person.ts';
import { type RunPlace, runName } from '../terminal/which-run.ts';

/** What has happened, a line each: for people, or one JSON document a line. */
interface Lines {
  readonly json: boolean;
}

/** Prints what happens to a run, until it has ended. */
export async function printRun(
  { reader, person }: Speaking,
  place: RunPlace,
  { json }: Lines,
): Promise<number> {
  const { report: first, doubt } = await reader.state(place);
  tellDoubt(doubt);
  if (!json) tell(`${timeText(first.updated_at)}  ${runName(place)}: ${phaseSentence(first)}`);
  let { seq } = first;
  let isEnded = isOver(first.standing.phase);
  if (isEnded) return exitCodes.done;
  for await (const { unreachable } of changesOf(person, place, new AbortController().signal)) {
    if (unreachable !== undefined) process.stderr.write(visible(`${unreachable}\n`));
    for (const { before, after, event } of await reader.stepsSince(place, seq)) {
      for (const news of announcements(before, after, event)) tell(json ? jsonText(news, 0) : lineOf(news));
      seq = after.seq;
      isEnded = isOver(after.standing.phase);
    }
    if (isEnded) break;
  }
  return exitCodes.done;
}

/** Prints the same from a server, which says it at once. */
export async function printHeard(server: ServerReader, place: RunPlace, { json }: Lines): Promise<number> {
  for await (const heard of server.events(place, new AbortController().signal)) {
    if ('unreachable' in heard) process.stderr.write(visible(`${heard.unreachable}\n`));
    else {
      const { event, data } = heard;
      const { run, time, actor } = data;
      const phase = runShape.shape.phase.safeParse(data['phase']).data;
      if (event === 'state' && !json) tell(`${run}: ${phase}`);
      if (event === 'state' && phase !== undefined && isOver(phase)) break;
      if (time === undefined || actor === undefined) continue;
      tell(json ? jsonText({ event, ...data }, 0) : lineOf({ time, run, actor, event }));
      if (event === 'run_finished') break;
    }
  }
  return exitCodes.done;
}

const searchMs = 15_000;

/** Prints which runs begin to wait for people, and which no longer do. */
export async function printAll(
  reader: RunReader,
  repository: string | undefined,
  { json }: Lines,
): Promise<number> {
  let known = new Map<string, string>();
  for (;;) {
    const listing = await reader.inbox(repository).catch((fault: unknown) => {
      const reason = passing(fault);
      if (reason === undefined) throw fault;
      process.stderr.write(visible(`${reason}\n`));
      return undefined;
    });
    if (listing !== undefined) {
      const now = new Map(listing.entries.map(({ run, waiting_since }) => [run, waiting_since]));
      for (const entry of listing.entries)
        if (known.get(entry.run) !== entry.waiting_since)
          tell(
            json
              ? jsonText({ event: 'waiting', ...entry }, 0)
              : `${timeText(entry.waiting_since)}  ${entry.run}: waits (${entry.kind}, risk ${entry.risk_level ?? 'unknown'})`,
          );
      const time = listing.as_of ?? new Date().toISOString();
      for (const run of known.keys())
        if (!now.has(run))
          tell(
            json
              ? jsonText({ event: 'settled', run, time }, 0)
              : `${timeText(time)}  ${run}: no longer waits`,
          );
      known = now;
    }
    await rest(searchMs, new AbortController().signal);
  }
}

function lineOf({ time, run, actor, event }: Line): string {
  return `${timeText(time)}  ${run}: ${event.replaceAll('_', ' ')}${actor === null ? '' : ` by ${actor}`}`;
}

/** What every announcement says. */
interface Line {
  readonly time: string;
  readonly run: string;
  readonly actor: string | null;
  readonly event: string;
}

function tell(line: string): void {
  process.stdout.write(`${visible(line).replaceAll('\n', ' ')}\n`);
}

/** Something may have changed, or, with a reason, nothing can be learned at the moment. */
export interface Change {
  readonly unreachable?: string;
}

const busyMs = 3_000;
const quietMs = 10_000;

/** After so many looks without a change, a run is asked about less often. */
const busyLooks = 100;

/**
 * Looks at the pull request, whose body the App draws anew with every event, until the signal aborts. GitHub
 * does not count a look at something that has not changed.
 */
export async function* changesOf(
  { octokit }: Person,
  { owner, repo, number }: RunPlace,
  signal: AbortSignal,
): AsyncGenerator<Change> {
  let [etag, seen, looks] = ['', '', 0];
  for (; !signal.aborted; looks += 1) {
    try {
      const headers = etag === '' ? {} : { 'if-none-match': etag };
      const answer = await octokit.rest.issues.get({ owner, repo, issue_number: number, headers });
      const now = JSON.stringify([answer.data.body, answer.data.labels, answer.data.state]);
      etag = answer.headers.etag ?? '';
      if (now !== seen) yield {};
      if (now !== seen) looks = 0;
      seen = now;
    } catch (fault) {
      const reason = passing(fault);
      if (reason === undefined) throw fault;
      if (reason !== '') yield { unreachable: reason };
    }
    await rest(looks < busyLooks ? busyMs : quietMs, signal);
  }
}

/** Says why nobody answers just now; empty if GitHub says that nothing has changed, undefined for good. */
export function passing(fault: unknown): string | undefined {
  if (fault instanceof ServerFault) return fault.retriable ? fault.message : undefined;
  if (!(fault instanceof GitHubFault)) return undefined;
  if (fault.status === 304) return '';
  return fault.retriable ? `GitHub does not answer: ${fault.reason}` : undefined;
}

/** Waits that long, or until the signal aborts. */
export async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch((fault: unknown) => {
    if (!signal.aborted) throw fault;
  });
}
