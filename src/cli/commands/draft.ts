import type { GitHubReader } from '../../doors/reading/from-github.ts';
import { runReport } from '../../doors/report/build.ts';
import type { RunReport } from '../../doors/report/shapes.ts';
import { awaitEvent, outcomeOf } from '../../doors/speech/outcome.ts';
import { type Posted, post } from '../../doors/speech/post.ts';
import type { Command } from '../../steering/commands/index.ts';
import { phaseSentence } from '../../words/index.ts';
import { Ended, exitCodes } from '../terminal/exit.ts';
import { forTerminal } from '../terminal/markdown.ts';
import type { Person } from '../terminal/person.ts';
import type { RunPlace } from '../terminal/which-run.ts';
import { commentFor, foreseenRefusal, type Seen, whoAndWhere } from './acting.ts';

/** Who says it, and how they read what they say it on. */
export interface Speaking {
  readonly reader: GitHubReader;
  readonly person: Person;
}

/** What a person is about to say on a run, which is as it was shown to them. */
export interface Draft {
  readonly place: RunPlace;
  readonly report: RunReport;
  readonly text: string;
  readonly user_id: number;
  /** The address of the repository. */
  readonly web: string;
}

/** Reads a run again, and what is to be said on it. Throws `Ended` if it would only be refused. */
export async function drafted(
  { reader, person }: Speaking,
  place: RunPlace,
  command: (seen: Seen) => Command | Promise<Command>,
): Promise<Draft> {
  const { pull, by } = await whoAndWhere(place, person);
  const { report: state, doubt } = await reader.state(place);
  const web = pull.repository;
  const report = runReport(state, { web, trust: doubt === undefined ? 'verified' : 'unverified' });
  const head = pull.facts.head_sha;
  const meant = await command({ place, state, report, head, doubt: async () => doubt });
  const refusal = foreseenRefusal({ state, command: meant, by, web });
  if (refusal !== undefined) throw new Ended(exitCodes.refused, refusal);
  return { place, report, text: commentFor(meant), user_id: by.id, web };
}

/** What came of it; `posted`: it was not taken up in time. */
export interface Said {
  readonly status: 'accepted' | 'refused' | 'posted';
  /** The comment's address. */
  readonly comment: string;
  readonly result: string;
}

/** Posts a draft, unless it is there already, and waits until it is taken up. */
export async function said(
  { reader, person }: Speaking,
  { place, text, web, report }: Draft,
  { waitMs, before, seq }: { waitMs: number; before?: Posted | undefined; seq?: number },
): Promise<Said> {
  const { owner, repo, number } = place;
  const posted = before ?? (await post({ person: person.octokit, owner, repo, number, text }));
  const stepsSince = (after: number) => reader.stepsSince(place, after);
  const step = await awaitEvent(posted.event, { stepsSince, seq: seq ?? report.ledger.seq, waitMs });
  const comment = posted.html_url;
  if (step === undefined)
    return { status: 'posted', comment, result: `posted, and not taken up yet: ${comment}` };
  const { accepted, reply = '' } = await outcomeOf(step, web);
  if (accepted) return { status: 'accepted', comment, result: phaseSentence(step.after) };
  return {
    status: 'refused',
    comment,
    result: `refused: ${forTerminal(reply) || 'it was not taken up'}`,
  };
}
