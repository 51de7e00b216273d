import type { StartRequest } from '../../github/listen/heard.ts';
import { textSha256 } from '../../github/marks.ts';
import { Comments, react } from '../../github/write/write-comments.ts';
import { webOf } from '../../repository/repository.ts';
import { mayStart } from '../../steering/approval/authorization.ts';
import { isAlwaysAnswered } from '../../steering/approval/reply-limit.ts';
import { type StartRefusal, startRefusalText } from '../../words/start-texts.ts';
import type { RepositoryRuns } from '../run/live-runs.ts';
import type { Run } from '../run/run.ts';
import { targetOf } from '../run/services.ts';
import { adopt } from './adopt.ts';
import { openRun } from './open-run.ts';
import { refusalFrom, type Starting } from './starting.ts';

/** The outcome of a request for a run. */
export type Started =
  | { readonly outcome: 'started'; readonly run: Run }
  | { readonly outcome: 'refused'; readonly refusal: StartRefusal }
  /** An old delivery or one from a bot: nobody expects an answer. */
  | { readonly outcome: 'nothing' };

/** Starts a run or adopts a pull request. Idempotent, also after a crash. */
export async function startRun(starting: Starting): Promise<Started> {
  const { request } = starting;
  if (request.by.bot) return { outcome: 'nothing' };
  if (!mayStart(request.by))
    return { outcome: 'refused', refusal: { why: 'not_permitted', has: request.by.role } };
  if (request.issue?.open === false) return { outcome: 'refused', refusal: { why: 'issue_closed' } };
  try {
    const { adopt: wanted } = request;
    const run = wanted === null ? await openRun(starting) : await adopt(starting, wanted.number);
    return run === undefined ? { outcome: 'nothing' } : { outcome: 'started', run };
  } catch (fault) {
    const refusal = refusalFrom(fault);
    if (refusal === undefined) throw fault;
    return { outcome: 'refused', refusal: await withProposal(refusal, starting) };
  }
}

/** Where a repository has no configuration yet, one is proposed. */
async function withProposal(
  refusal: StartRefusal,
  { request, runs: { repository, services } }: Starting,
): Promise<StartRefusal> {
  if (refusal.why !== 'misconfigured' || !refusal.reading.missing) return refusal;
  // Another App asks for nothing in the name of a person who has not allowed that, which is in the file.
  if (request.via_app !== undefined) return refusal;
  const { where } = refusal.reading;
  const told = await services.proposeSetup?.({ repository, request, where });
  return told === undefined ? refusal : { why: 'not_set_up', told };
}

/** On one issue, whichever processes gave them: each job of the Action is a process of its own. */
const maxReplies = 10;
const withinMs = 3_600_000;

/**
 * Whether somebody was told already why this request was refused, and so does not expect that a run starts by
 * itself once that is mended.
 */
export async function isStartRefused(
  { repository, services }: RepositoryRuns,
  { issue, adopt, cause, at }: StartRequest,
): Promise<boolean> {
  const number = issue?.number ?? adopt?.number;
  if (number === undefined) return false;
  return new Comments(targetOf(repository, number, services), at).hasReplied(cause, at);
}

/**
 * Explains why a requested run was not started, once for each cause. Anyone can ask on a public repository,
 * so people without write access get a limited number of answers, after everybody else.
 */
export async function replyStartRefused(
  { repository, services }: RepositoryRuns,
  request: StartRequest,
  refusal: StartRefusal,
): Promise<void> {
  const text = startRefusalText(refusal, webOf(repository));
  const number = request.issue?.number ?? request.adopt?.number;
  if (number === undefined) throw new Error(`the run cannot start: ${text}`);
  const { strangers } = services;
  const { id: repository_id } = repository;
  if (!strangers.mayAnswer(repository_id, { ...request, id: request.cause })) return;
  const since = new Date(Date.parse(request.at) - withinMs).toISOString();
  const comments = new Comments(targetOf(repository, number, services), since);
  const id = replyId(request, refusal, text);
  const last = !isAlwaysAnswered(request.by.role);
  if (last && (await comments.count()) >= maxReplies) return;
  await comments.create({ kind: 'reply', id }, async () => text, { last });
  if (request.source?.from !== 'comment') return;
  const { comment_id } = request.source;
  await react(repository.octokit, repository, { comment_id, content: 'confused', last });
}

/** A label has only one cause, but it can be set again when the issue or the reason is another one. */
function replyId({ cause, at, source }: StartRequest, { why }: StartRefusal, text: string): string {
  if (why === 'issue_changed') return `${cause}@${at}`;
  return source === null ? `${cause}@${textSha256(text).slice(0, 12)}` : cause;
}
