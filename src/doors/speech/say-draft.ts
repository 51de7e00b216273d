import { textIn, textSha256 } from '../../github/marks.ts';
import type { Octokit } from '../../github/octokit/connect.ts';
import type { LedgerStep } from '../../ledger/ledger-steps.ts';
import type { State } from '../../steering/state/state.ts';
import type { RunPlace } from '../reading/reader.ts';
import type { RunReport } from '../report/report-shapes.ts';
import { awaitEvent, outcomeOf } from './await-outcome.ts';
import { type Posted, post, postedOf, type Sealing } from './post-comment.ts';

/** What a person is about to say on a run, which is as it was shown to them. */
export interface Draft {
  readonly place: RunPlace;
  readonly report: RunReport;
  readonly text: string;
  /** The id of the person. */
  readonly user_id: number;
  /** Where the repository is on the web. */
  readonly web: string;
}

/** How a person speaks at a door, and how that door reads what comes of it. */
export interface Voice<D extends Draft> {
  readonly person: Octokit;
  /** Reads the entries of the run's ledger after a number, oldest first. */
  stepsSince(draft: D, seq: number): Promise<readonly LedgerStep[]>;
  /** Absent where the door has no key. */
  sealing?(draft: D): Sealing | undefined;
}

/** What came of it; `posted`: it was not taken up in time. */
export type Said = {
  /** Where the comment is on the web. */
  readonly comment: string;
} & (
  | { readonly status: 'accepted'; readonly state: State }
  /** The reply is Markdown, and empty where the run says nothing about it. */
  | { readonly status: 'refused'; readonly reply: string }
  | { readonly status: 'posted' }
);

/** Posts a draft, and waits until it is taken up, at most so many milliseconds. */
export async function sayDraft<D extends Draft>(voice: Voice<D>, draft: D, waitMs: number): Promise<Said> {
  const posted = await posting(voice, draft, voice.sealing?.(draft));
  return outcomeFor(voice, draft, { posted, seq: draft.report.ledger.seq, waitMs });
}

/**
 * The same for what may have been said already, as after an interruption or by a form that was sent twice:
 * who has said it since they were asked has said it once.
 */
export async function sayDraftOnce<D extends Draft>(
  voice: Voice<D>,
  draft: D,
  waitMs: number,
): Promise<Said> {
  const { id = '', created_at = '' } = draft.report.approval_request ?? {};
  const sealing = voice.sealing?.(draft);
  const key = `${id} ${textSha256(draft.text)}`;
  const posted =
    (await saidBefore(voice, draft, created_at)) ??
    (await posting(voice, draft, sealing && { ...sealing, key }));
  // The number of the entry that asked: what was said before may have been answered since.
  return outcomeFor(voice, draft, { posted, seq: Number(id.split(':')[2]), waitMs });
}

function posting<D extends Draft>(
  { person }: Voice<D>,
  { place: { owner, repo, number }, text }: D,
  sealing: Sealing | undefined,
): Promise<Posted> {
  return post({ person, owner, repo, number, text, sealing });
}

/** Finds the same comment of this person since they were asked. */
async function saidBefore<D extends Draft>(
  { person }: Voice<D>,
  { place: { owner, repo, number }, text, user_id }: D,
  asked_at: string,
): Promise<Posted | undefined> {
  const wanted = { owner, repo, issue_number: number, since: asked_at, per_page: 100 };
  const comments = await person.paginate(person.rest.issues.listComments, wanted);
  const found = comments.findLast(
    ({ user, body = '', created_at }) =>
      user?.id === user_id &&
      textIn(body).trim() === text &&
      Date.parse(created_at) >= Date.parse(asked_at) - 1000,
  );
  return found && postedOf(found, true);
}

async function outcomeFor<D extends Draft>(
  voice: Voice<D>,
  draft: D,
  { posted, seq, waitMs }: { readonly posted: Posted; readonly seq: number; readonly waitMs: number },
): Promise<Said> {
  const stepsSince = (after: number) => voice.stepsSince(draft, after);
  const step = await awaitEvent(posted.event, { stepsSince, seq, waitMs });
  const comment = posted.html_url;
  if (step === undefined) return { status: 'posted', comment };
  const { accepted, reply = '' } = await outcomeOf(step, draft.web);
  return accepted
    ? { status: 'accepted', comment, state: step.after }
    : { status: 'refused', comment, reply };
}
