import { isAdmitted, teamsIn } from '../../steering/approval/approval-needs.ts';
import { mayOverride, maySpeak } from '../../steering/approval/authorization.ts';
import type { Command } from '../../steering/commands/index.ts';
import { shortSha } from '../../steering/phrases/phrases.ts';
import type { Authority } from '../../steering/shapes/approval-authority.ts';
import type { ApprovalFacts } from '../../steering/shapes/finishing.ts';
import { type Account, isSame, type Person, type Source } from '../../steering/shapes/people.ts';
import type { ApprovalSettings } from '../../steering/shapes/settings.ts';
import type { Approval } from '../../steering/state/state.ts';
import { parseCommand } from '../markdown/command-parser.ts';
import { saidThrough, textSha256, type WrittenBody } from '../marks.ts';
import type { Octokit } from '../octokit/connect.ts';
import { unlessGone } from '../octokit/fault.ts';
import type { Own } from '../own.ts';
import { type OwnChecks, wasClicked } from './commit-checks.ts';
import { type EditHistory, editsOf, otherEditor } from './edits.ts';
import { accountOf, type RepositoryRef, repoParams } from './repository-ref.ts';
import { membershipsOf, roleOf } from './roles.ts';

/** The pull request and the rules for its approval, none of them taken from the ledger. */
export interface Approvable {
  readonly where: RepositoryRef & { readonly id: number };
  readonly number: number;
  readonly approval: Pick<ApprovalSettings, 'by' | 'required' | 'apps'>;
  /** Who else has a say about the changed files. */
  readonly authority?: Authority | undefined;
  readonly own: Own;
  /** The head of the branch at a time; undefined if GitHub does not say. */
  headAt(time: string): Promise<string | undefined>;
}

/**
 * Reads approvals again at their sources, with the current roles of their authors. The ledger alone is not
 * proof: anyone with write access could have force-pushed its ref.
 */
export async function readApprovals(
  octokit: Octokit,
  pull: Approvable,
  approvals: readonly Approval[],
): Promise<readonly ApprovalFacts[]> {
  const reading = approvals.map(async (approval) => {
    return { approval, source: await readSource(octokit, pull, approval) };
  });
  const read = await Promise.all(reading);
  const ids = read.flatMap(({ source }) => (source.from === 'text' ? [source.node_id] : []));
  const edits = await editsOf(octokit, ids);
  return Promise.all(read.map((each) => judged(octokit, pull, { ...each, edits })));
}

/** Whether the approval is what the ledger says, and the person may still approve. */
async function judged(octokit: Octokit, pull: Approvable, given: Given): Promise<ApprovalFacts> {
  const { id, by, despite } = given.approval;
  const objection = await objectionToSource(pull, given);
  if (objection !== undefined) return { id, stands: false, why: objection };
  // Their login may have changed since, and somebody else may have it now.
  const { login } = given.source.from === 'text' ? given.source.author : by;
  const { role, is_other } = await roleOf(octokit, pull.where, { login, id: by.id });
  const asked = is_other || role === 'none' ? [] : teamsIn(pull);
  const { teams } = await membershipsOf(octokit, login, asked);
  const person: Person = { ...by, login, role, teams };
  const may = !is_other && isAdmitted(pull, person) && (despite.length === 0 || mayOverride(person));
  const why = may ? '' : `@${login} is no longer allowed to approve (${standingOf(person, asked)})`;
  return { id, stands: may, why, role, ...(asked.length > 0 && { teams }) };
}

function standingOf({ role, teams = [] }: Person, asked: readonly string[]): string {
  const missing = asked.filter((team) => !teams.includes(team));
  return missing.length === 0
    ? `role ${role}`
    : `role ${role}, not in ${missing.map((team) => `@${team}`).join(' or ')}`;
}

interface Given {
  readonly approval: Approval;
  readonly source: ApprovalSource;
  readonly edits: ReadonlyMap<string, EditHistory>;
}

async function objectionToSource(
  pull: Approvable,
  { approval, source, edits }: Given,
): Promise<string | undefined> {
  switch (source.from) {
    case 'nowhere':
      return source.why;
    case 'click':
      return undefined;
    case 'text':
      return (
        objectionToText(source, approval) ??
        objectionToWords(source, approval) ??
        objectionToApp(source, pull) ??
        objectionToEditors(source, edits.get(source.node_id)) ??
        (await objectionToHead(source, approval, pull))
      );
  }
}

function objectionToText({ author, body, sha256 }: ApprovalText, { by }: Approval): string | undefined {
  if (!isSame(author, by)) return `the author of the approval is no longer @${by.login}`;
  return textSha256(body) === sha256 ? undefined : `the approval by @${by.login} was edited`;
}

/** Even unedited text may differ from what the ledger recorded about it. */
function objectionToWords({ command }: ApprovalText, approval: Approval): string | undefined {
  const { by, head_sha, despite } = approval;
  if (command?.type !== 'approve') return `the text by @${by.login} is not an approval`;
  if (!head_sha.startsWith(command.sha ?? '')) return `the approval by @${by.login} names another commit`;
  const unsaid = despite.filter((name) => !command.despite.includes(name));
  return unsaid.length === 0 ? undefined : `@${by.login} did not override ${unsaid.join(', ')}`;
}

function objectionToApp(
  text: ApprovalText,
  { where, number, own, approval }: Approvable,
): string | undefined {
  const { author, written_at: created_at } = text;
  const there = { repository_id: where.id, number, user_id: author.id };
  const { via_app } = saidThrough({ ...text, ...there, created_at }, own);
  if (via_app === undefined || maySpeak(approval, via_app)) return undefined;
  return `the App ${via_app} wrote the approval by @${author.login}`;
}

/** On GitHub, people with write access can edit what others wrote. */
function objectionToEditors(
  { what, author }: ApprovalText,
  history: EditHistory | undefined,
): string | undefined {
  const other = otherEditor(history, author);
  if (other === undefined) return undefined;
  return other.id === 0
    ? `GitHub does not say who edited the ${what} by @${author.login}`
    : `the ${what} by @${author.login} was edited by @${other.login}`;
}

/**
 * Without a SHA, a comment is about the commit that was the head at that time. So is one with a short SHA:
 * it is easy to make a second commit that begins alike.
 */
async function objectionToHead(
  { command, author, written_at }: ApprovalText,
  { head_sha }: Approval,
  { headAt }: Approvable,
): Promise<string | undefined> {
  if (command?.type === 'approve' && command.sha === head_sha) return undefined;
  const meant = await headAt(written_at);
  if (meant === head_sha) return undefined;
  const when = `when @${author.login} approved`;
  const what =
    meant === undefined
      ? `GitHub does not say which commit was the head ${when}`
      : `the head was ${shortSha(meant)} ${when}`;
  return `${what}: to approve ${shortSha(head_sha)}, say "/approve ${head_sha}"`;
}

/** What GitHub has at the place from which an approval came. */
type ApprovalSource =
  | { readonly from: 'nowhere'; readonly why: string }
  | { readonly from: 'click' }
  | ({ readonly from: 'text' } & ApprovalText);

/** A comment or a review as it is now. */
interface ApprovalText {
  readonly what: 'comment' | 'review';
  readonly node_id: string;
  readonly author: Account;
  readonly body: string;
  /** The digest of the text as it was recorded. */
  readonly sha256: string;
  readonly command: Command | undefined;
  readonly written_at: string;
  /** The App that wrote it on behalf of the author; GitHub does not say that about reviews. */
  readonly via_app: WrittenBody['via_app'];
}

/** Reads the comment, the review or the click again from which an approval came. */
async function readSource(
  octokit: Octokit,
  pull: OwnChecks,
  { by, at, source }: Approval,
): Promise<ApprovalSource> {
  switch (source.from) {
    case 'comment':
      return readComment(octokit, pull, { by, at, ...source });
    case 'review':
      return readReview(octokit, pull, { by, at, ...source });
    case 'click':
      return (await wasClicked(octokit, pull, { by, source }))
        ? { from: 'click' }
        : nowhere(`the click by @${by.login} could not be found`);
    case 'dispatch':
      return nowhere('a workflow cannot approve');
  }
}

/** Whose it was, when it was written, ISO 8601, and where. */
type Told<F> = Pick<Approval, 'by' | 'at'> & Extract<Source, { from: F }>;

async function readComment(
  octokit: Octokit,
  { where, number }: OwnChecks,
  { by, at, comment_id, text_sha256: sha256 }: Told<'comment'>,
): Promise<ApprovalSource> {
  const place = { ...repoParams(where), comment_id };
  const comment = await unlessGone(() => octokit.rest.issues.getComment(place), at);
  if (comment === undefined) return nowhere(`the approving comment by @${by.login} no longer exists`);
  const { issue_url, node_id, user, created_at, performed_via_github_app: via_app } = comment.data;
  if (!issue_url.endsWith(`/issues/${number}`))
    return nowhere(`the comment by @${by.login} is on another pull request`);
  const body = comment.data.body ?? '';
  const text = { node_id, author: accountOf(user), body, sha256, command: parseCommand(body), via_app };
  return { from: 'text', what: 'comment', ...text, written_at: created_at };
}

async function readReview(
  octokit: Octokit,
  { where, number: pull_number }: OwnChecks,
  { by, at, review_id, text_sha256: sha256 }: Told<'review'>,
): Promise<ApprovalSource> {
  const place = { ...repoParams(where), pull_number, review_id };
  const review = await unlessGone(() => octokit.rest.pulls.getReview(place), at);
  if (review === undefined) return nowhere(`the approving review by @${by.login} no longer exists`);
  const { state, node_id, commit_id, user, body, submitted_at: written_at = '' } = review.data;
  if (state === 'DISMISSED') return nowhere(`the approving review by @${by.login} was dismissed`);
  const plain = state === 'APPROVED' ? ({ type: 'approve', sha: null, despite: [] } as const) : undefined;
  const said = parseCommand(body) ?? plain;
  // A review belongs to a commit, whatever its text says.
  const sha = commit_id ?? '-';
  if (said?.type === 'approve' && !sha.startsWith(said.sha ?? ''))
    return nowhere(`the approving review by @${by.login} names another commit`);
  const command = said?.type === 'approve' ? { ...said, sha } : said;
  const text = { node_id, author: accountOf(user), body, sha256, command, via_app: null };
  return { from: 'text', what: 'review', ...text, written_at };
}

function nowhere(why: string): ApprovalSource {
  return { from: 'nowhere', why };
}
